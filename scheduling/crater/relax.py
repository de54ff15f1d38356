"""What would a request look like with less asked of it? Changes as data, applied to a copy.

A Relaxation names a dimension and a device type; `rule` says what is changed: amount, share
(parts per million of the device), constraint, count, alignment or cap. `to` None drops it.
"""

from collections.abc import Iterable
from dataclasses import replace

from scheduling.crater.model import Attribute, Constraint, Need, Relaxation, Request


def apply(request: Request, changes: Iterable[Relaxation]) -> Request:
    """The request with all changes made."""
    for change in changes:
        request = _changed(request, change)
    return request


def _changed(request: Request, change: Relaxation) -> Request:
    if change.rule == "alignment":
        return replace(request, same="node", allow_cross_numa=True)
    if change.rule == "cap":
        return replace(request, cap_nano=change.to if isinstance(change.to, int) else None)
    needs = tuple(_relaxed(need, change) if need.type == change.type else need for need in request.needs)
    return replace(request, needs=needs)


def _relaxed(need: Need, change: Relaxation) -> Need:
    if change.rule == "count":
        return replace(need, count=min(need.count, int(change.to or 1)))
    if change.rule == "constraint":
        return replace(need, constraints=tuple(_wider(need.constraints, change)))
    if change.rule == "share":
        return replace(need, shares=_lowered(need.shares.items(), change))
    return replace(need, amounts=_lowered(need.amounts.items(), change))


def _lowered(amounts: Iterable[tuple[str, int]], change: Relaxation) -> dict[str, int]:
    lowered = {}
    for name, amount in amounts:
        if name != change.dimension:
            lowered[name] = amount
        elif isinstance(change.to, int):
            lowered[name] = min(amount, change.to)
    return lowered


def _wider(rules: Iterable[Constraint], change: Relaxation) -> Iterable[Constraint]:
    for rule in rules:
        if rule.attribute != change.dimension:
            yield rule
        elif change.to is None:
            continue
        elif rule.op in ("eq", "in", "regex"):
            yield Constraint(rule.attribute, "in", (*_options(rule), change.to))
        else:
            yield replace(rule, value=change.to)


def _options(rule: Constraint) -> tuple[Attribute, ...]:
    if rule.op == "regex":
        return ()
    return rule.value if isinstance(rule.value, tuple) else (rule.value,)
