"""What does the advice on a job say? Codes and figures of costing as sentences."""

from typing import Any

from django.utils.translation import gettext as _

from alldata.portal.figures import money, percent
from alldata.portal.words import word


def title(hint: Any, currency: str) -> str:
    """The finding in one sentence."""
    facts = hint.facts
    what = word(facts.get("capability", ""), "capability")
    if hint.code == "bottleneck":
        text = _("%(what)s set the pace: %(busy)s busy.") if facts["saturated"] else _("Busiest: %(what)s, %(busy)s.")
        return text % {"what": what, "busy": percent(facts["busy"], 1)}
    if hint.code == "holds_more_than_it_uses":
        return _("%(what)s: %(share)s of what was held was used.") % {
            "what": what,
            "share": percent(facts["used_of_held"], 1),
        }
    if hint.code == "poorly_metered":
        return _("Only %(share)s of what was held is metered.") % {"share": percent(facts["coverage"], 1, 1)}
    if hint.code == "cheaper_elsewhere":
        cost = money(int(facts["cost_nano"]), currency)
        return _("On %(model)s the same work would have cost %(cost)s.") % {"model": facts["model"], "cost": cost}
    return str(hint.code).replace("_", " ")


def detail(hint: Any, currency: str) -> str:
    """What follows from it, in money or room."""
    facts = hint.facts
    parts = []
    if hint.code == "bottleneck" and facts["slack"]:
        rooms = (f"{word(name, 'capability')} {percent(share, 1)}" for name, share in facts["slack"].items())
        parts.append(_("Room left: %(rooms)s.") % {"rooms": ", ".join(rooms)})
    if hint.code == "cheaper_elsewhere":
        least, most = facts["time_factor"]
        parts.append(_("It would take %(least)s to %(most)s times as long.") % {"least": least, "most": most})
    if hint.saving_nano:
        low, high = (money(nano, currency) for nano in hint.saving_nano)
        text = _("Worth %(low)s to %(high)s.") if low != high else _("Worth %(high)s.")
        parts.append(text % {"low": low, "high": high} if low != high else text % {"high": high})
    return " ".join(parts)
