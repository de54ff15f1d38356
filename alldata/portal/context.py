"""What does every page's frame need? The navigation, the reader's theme and organisation."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

THEMES = ("light", "dark")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the navigation; `key` is the letter after G."""

    title: Any
    view: str
    icon: str
    prefix: str
    key: str
    finance: bool = False


SECTIONS: tuple[tuple[Any, tuple[Entry, ...]], ...] = (
    (
        "",
        (
            Entry(_("Home"), "home", "home", "/", "h"),
            Entry(_("Jobs"), "jobs", "list", "/jobs/", "j"),
            Entry(_("Pipelines"), "pipelines", "share", "/pipelines/", "p"),
        ),
    ),
    (
        _("Fleet"),
        (
            Entry(_("Heatmap"), "heatmap", "grid", "/fleet/heatmap/", "f"),
            Entry(_("Nodes"), "nodes", "server", "/fleet/nodes/", "n"),
        ),
    ),
    (
        _("Money"),
        (
            Entry(_("Cost"), "cost", "coin", "/cost/", "c"),
            Entry(_("Models"), "models", "chip", "/models/", "o"),
            Entry(_("Budgets"), "budgets", "flag", "/budgets/", "b"),
            Entry(_("Prices"), "prices", "receipt", "/prices/", "m", finance=True),
        ),
    ),
    (
        _("Plan"),
        (
            Entry(_("Profiles"), "profiles", "layers", "/profiles/", "r"),
            Entry(_("Compare"), "compare", "pulse", "/compare/", "x"),
        ),
    ),
)


def shell(request: HttpRequest) -> dict[str, Any]:
    """Context of templates/base.html. Fragments and signed-out pages need little of it."""
    theme = request.COOKIES.get("theme", "")
    frame: dict[str, Any] = {"theme": theme if theme in THEMES else "", "viewer": None}
    project = getattr(request, "project", None)
    if project is None or request.headers.get("HX-Request"):
        return frame
    viewer = request.viewer  # type: ignore[attr-defined]
    return frame | {
        "viewer": viewer,
        "project": project,
        "sections": [
            (title, [_line(entry, request.path) for entry in entries if viewer.is_finance or not entry.finance])
            for title, entries in SECTIONS
        ],
        "initials": initials(viewer.name),
    }


def _line(entry: Entry, path: str) -> dict[str, Any]:
    here = path == "/" if entry.prefix == "/" else path.startswith(entry.prefix) and path != "/jobs/new/"
    return {"title": entry.title, "url": reverse(entry.view), "icon": entry.icon, "key": entry.key, "here": here}


def initials(name: str) -> str:
    """One or two letters for the round mark of a person."""
    parts = name.replace(".", " ").replace("-", " ").replace("_", " ").split()
    return "".join(part[0] for part in parts[:2]).upper() or "?"
