"""What does the new version of a profile mean that the old one did not, and what will jobs notice?

Two documents are compared as demands, so other words for the same thing are no change. A change
that all modes inherit from the body is told once, with scope "". Effects are stable codes:

takes_more takes_less - of a device or a unit; more_devices fewer_devices; fits_fewer fits_more
fits_others - devices a rule lets through; placed_otherwise; held_longer held_shorter - after the
end; judged_harder judged_easier - a served model; queued_otherwise; priced_otherwise;
mode_added mode_removed; falls_back_more falls_back_less falls_back_otherwise; none - words only.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields

from profiles.dimensions import BY_NAME, PPM
from profiles.rcdl.document import Alignment, Demand, Document, Resource, Rule

Shown = str | int | float | None


@dataclass(frozen=True, slots=True)
class Change:
    """`before` or `after` None: it was not there, or is no longer. `scope` is "", a mode's name or alternatives[i]."""

    scope: str
    path: str
    before: Shown
    after: Shown
    effect: str

    def as_json(self) -> Mapping[str, object]:
        return asdict(self)


def diff(old: Document, new: Document) -> tuple[Change, ...]:
    """All changes of meaning from `old` to `new`; empty exactly when they mean the same, versions apart."""
    found = list(_words(old, new))
    body = _compare("", old.body, new.body)
    found += body
    told = {(change.path, change.before, change.after) for change in body}
    for mode in sorted({*old.modes, *new.modes}):
        before, after = old.modes.get(mode), new.modes.get(mode)
        if before is None or after is None:
            effect = "mode_added" if before is None else "mode_removed"
            found.append(
                Change(mode, "modes", None if before is None else mode, None if after is None else mode, effect)
            )
        else:
            found += [c for c in _compare(mode, before, after) if (c.path, c.before, c.after) not in told]
    return (*found, *_ladder(old, new, told))


def _words(old: Document, new: Document) -> Iterator[Change]:
    for name in ("name", "description"):
        before, after = getattr(old, name), getattr(new, name)
        if before != after:
            yield Change("", name, before, after, "none")


def _ladder(old: Document, new: Document, told: set[tuple[str, Shown, Shown]]) -> Iterator[Change]:
    rungs, others = len(old.alternatives), len(new.alternatives)
    for index, (before, after) in enumerate(zip(old.alternatives, new.alternatives, strict=False)):
        scope = f"alternatives[{index}]"
        yield from (c for c in _compare(scope, before, after) if (c.path, c.before, c.after) not in told)
    if rungs != others:
        effect = "falls_back_more" if others > rungs else "falls_back_less"
        yield Change("", "alternatives", rungs, others, effect)


def _compare(scope: str, old: Demand, new: Demand) -> list[Change]:
    before, after = dict(_facts(old)), dict(_facts(new))
    found = []
    for path in dict.fromkeys((*before, *after)):
        was, now = before.get(path), after.get(path)
        if was != now:
            judge = (was or now or _NOTHING).effect
            effect = judge(was.value if was else None, now.value if now else None)
            found.append(Change(scope, path, was.shown if was else None, now.shown if now else None, effect))
    return found


Effect = Callable[[object, object], str]


@dataclass(frozen=True, slots=True)
class _Fact:
    """One thing a demand says; `effect` names what a change of `value` does (None: not said)."""

    value: object
    effect: Effect
    shown: Shown

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Fact) and self.value == other.value

    __hash__ = None  # type: ignore[assignment]


def _plainly(code: str) -> Effect:
    return lambda before, after: code


def _by_size(more: str, less: str) -> Effect:
    """Not said counts as zero."""
    return lambda before, after: more if _size(after) > _size(before) else less


def _size(value: object) -> float:
    return value if isinstance(value, int | float) else 0


_NOTHING = _Fact(None, _plainly("none"), None)
_TAKES, _COUNTS = _by_size("takes_more", "takes_less"), _by_size("more_devices", "fewer_devices")
_HOLDS = _by_size("held_longer", "held_shorter")


def _facts(demand: Demand) -> Iterator[tuple[str, _Fact]]:
    seen: dict[str, int] = {}
    for resource in demand.resources:
        kind = f"{resource.component}/{resource.type}" if resource.component else resource.type
        index = seen[kind] = seen.get(kind, -1) + 1
        yield from _of_resource(f"{kind}[{index}]", resource)
    yield from _of_alignment("alignment", demand.alignment)
    for component in demand.components:
        yield f"{component.name}.count", _Fact(component.count, _COUNTS, component.count)
        if component.alignment is not None:
            yield from _of_alignment(f"{component.name}.alignment", component.alignment)
    yield "grace_period", _Fact(demand.grace_ms, _HOLDS, f"{demand.grace_ms} ms")
    for name, value in asdict(demand.scheduling).items():
        yield f"scheduling.{name}", _Fact(value, _plainly("queued_otherwise"), value)
    for field in fields(demand.serving):
        if (value := getattr(demand.serving, field.name)) is not None:
            yield f"serving.{field.name}", _Fact(value, _judged(field.name), value)
    yield "cost_model.currency", _Fact(demand.currency, _plainly("priced_otherwise"), demand.currency)
    for name, nano in demand.rates_nano.items():
        yield f"cost_model.{name}", _Fact(nano, _plainly("priced_otherwise"), nano / 10**9)
    if demand.lru is not None:
        yield f"lru.{demand.lru.name}.count", _Fact(demand.lru.count, _COUNTS, demand.lru.count)
        for name, amount in demand.lru.amounts.items():
            yield f"lru.{demand.lru.name}.{name}", _Fact(amount, _TAKES, BY_NAME[name].show(amount))


def _of_alignment(path: str, alignment: Alignment) -> Iterator[tuple[str, _Fact]]:
    for name, value in asdict(alignment).items():
        yield f"{path}.{name}", _Fact(value, _plainly("placed_otherwise"), value)


def _of_resource(path: str, resource: Resource) -> Iterator[tuple[str, _Fact]]:
    yield f"{path}.count", _Fact(resource.count, _COUNTS, resource.count)
    for name, amount in resource.amounts.items():
        yield f"{path}.{name}", _Fact(amount, _TAKES, BY_NAME[name].show(amount))
    for name, share in resource.shares.items():
        yield f"{path}.{name} share", _Fact(share, _TAKES, f"{share * 100 / PPM:g} %")
    for rule in resource.rules:
        yield f"{path}.{rule.attribute} {rule.op}", _Fact(rule.value, _sieve(rule), _shown(rule))


def _shown(rule: Rule) -> str:
    values = rule.value if isinstance(rule.value, tuple) else (rule.value,)
    dimension = BY_NAME[rule.attribute]
    return ", ".join(dimension.show(v) if isinstance(v, int | float) else v for v in values)


def _sieve(rule: Rule) -> Effect:
    """Does the rule now let fewer devices through, or more?"""

    def effect(before: object, after: object) -> str:
        if before is None or after is None:
            return "fits_fewer" if before is None else "fits_more"
        if isinstance(before, tuple) and isinstance(after, tuple):
            if set(after) <= set(before):
                return "fits_fewer"
            return "fits_more" if set(after) >= set(before) else "fits_others"
        if rule.op in ("min", "max"):
            return "fits_fewer" if (_size(after) > _size(before)) == (rule.op == "min") else "fits_more"
        return "fits_others"

    return effect


def _judged(name: str) -> Effect:
    """For a floor such as qps more is harder; for a ceiling such as p99_ms_max less is."""

    def effect(before: object, after: object) -> str:
        if before is None or after is None:
            return "judged_harder" if before is None else "judged_easier"
        grew = _size(after) > _size(before)
        return "judged_harder" if grew == (name in ("qps", "min_accuracy")) else "judged_easier"

    return effect
