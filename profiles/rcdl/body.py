"""Read what a profile asks for: resources or components, alignment, grace, the blocks beside them."""

from dataclasses import replace

from alldata.kernel.money import BadAmount, parse_nano
from profiles.dimensions import DEVICE_TYPES, Kind, closest, lookup
from profiles.errors import UnknownCapability
from profiles.rcdl.capabilities import Taken, capability
from profiles.rcdl.constraints import rules, settled
from profiles.rcdl.document import Alignment, Component, Demand, Lru, Resource, SchedulingBlock, Serving
from profiles.rcdl.fields import Fields
from profiles.rcdl.lint import lint_resource
from profiles.rcdl.tables import (
    ALIGNMENT,
    COMPONENT,
    COST,
    CURRENCY,
    DEADLINES,
    LRU,
    MOST_DEVICES,
    MOST_GRACE_MS,
    MOST_RESOURCES,
    POLICIES,
    PRIORITIES,
    RATES,
    RESOURCE,
    SAME,
    SCHEDULING,
    SERVING,
    SPREAD,
    unit_names,
)  # fmt: skip
from profiles.rcdl.units import amount


def demand(fields: Fields) -> Demand:
    """One body; findings say what could not be read."""
    resources = [resource(inner) for inner in fields.maps("resources", most=MOST_RESOURCES)]
    if "resources" in fields.tree.items and "components" in fields.tree.items:
        fields.error("components", "contradiction", "either resources or components")
    components = _components(fields)
    resources += _copies(fields, components)
    if not resources and "lru" not in fields.tree.items:
        fields.error("resources", "missing", "at least one resource")
    currency, rates = _cost(fields.inner("cost_model"))
    found = Demand(
        resources=tuple(resources),
        alignment=_alignment(fields.inner("alignment")) or Alignment(),
        grace_ms=fields.duration("grace_period", 30_000, most_ms=MOST_GRACE_MS),
        scheduling=_scheduling(fields.inner("scheduling")),
        serving=_serving(fields.inner("serving")),
        currency=currency,
        rates_nano=rates,
        lru=_lru(fields.inner("lru")),
        components=components,
    )
    if found.alignment.spread == "node" and len({each.component for each in found.held()}) < 2:
        spot, expected = fields.spot("alignment"), "several components, or an lru with a count"
        fields.findings.warning(spot, "not_enforced", expected, "spread: node for a single part")
    return found


def _components(fields: Fields) -> tuple[Component, ...]:
    found: dict[str, Component] = {}
    for inner in fields.maps("components", most=MOST_RESOURCES):
        component = _component(inner)
        if component.name in found:
            inner.error("name", "duplicate", "each component's name once")
        elif component.name:
            found[component.name] = component
    return tuple(found.values())


def _component(fields: Fields) -> Component:
    fields.only(COMPONENT)
    name = fields.text("name")
    if not name:
        fields.error("name", "missing", "a name for the component")
    alignment = _alignment(fields.inner("alignment"))
    if alignment is not None and alignment.spread is not None:
        spot, found = fields.spot("alignment"), f"spread: {alignment.spread}"
        fields.findings.warning(spot, "not_enforced", f"{found} for the whole job", f"{found} for one component")
    each = tuple(resource(inner) for inner in fields.maps("resources", most=MOST_RESOURCES))
    if not each:
        fields.error("resources", "missing", "at least one resource")
    return Component(name, each, fields.integer("count", 1, most=MOST_DEVICES), alignment)


def _copies(fields: Fields, components: tuple[Component, ...]) -> list[Resource]:
    if sum(len(c.resources) * c.count for c in components) > MOST_RESOURCES:
        fields.error("components", "too_large", f"at most {MOST_RESOURCES} resources in all copies together")
        return []
    return [replace(each, component=name) for c in components for name in c.instances for each in c.resources]


def resource(fields: Fields) -> Resource:
    """One entry of `resources`."""
    fields.only(RESOURCE)
    kind = fields.choice("type", DEVICE_TYPES, "")
    if not kind:
        if fields.scalar("type") is None:
            fields.error("type", "missing", f"one of {', '.join(DEVICE_TYPES)}")
        return Resource("")
    constraints, taken, faults = fields.inner("constraints"), Taken(), len(fields.findings.errors)
    found = rules(constraints.tree, kind, constraints.path, fields.findings) if constraints else []
    for inner in fields.maps("capabilities", most=MOST_RESOURCES):
        capability(inner, kind, taken)
    asked = Resource(
        type=kind,
        count=fields.integer("count", 1, most=MOST_DEVICES),
        rules=settled(found + taken.ceilings, fields.findings),
        amounts=taken.amounts,
        shares=taken.shares,
    )
    if len(fields.findings.errors) == faults and not fields.findings.warned:  # no advice on what could not be read
        lint_resource(asked, fields)
    return asked


def _alignment(fields: Fields | None) -> Alignment | None:
    if fields is None:
        return None
    fields.only(ALIGNMENT)
    spread = fields.choice("spread", SPREAD, "") or None
    if spread == "node" and fields.scalar("same") is not None:
        fields.error("spread", "contradiction", "either same or spread: node; same may stand in each component")
    return Alignment(fields.choice("same", SAME, "numa"), fields.flag("allow_cross_numa"), spread)


def _scheduling(fields: Fields | None) -> SchedulingBlock:
    if fields is None:
        return SchedulingBlock()
    fields.only(SCHEDULING)
    return SchedulingBlock(
        fields.choice("priority_class", PRIORITIES, "normal"),
        fields.choice("deadline_policy", DEADLINES, "soft"),
        fields.choice("policy", POLICIES, "deadline_aware"),
    )


def _serving(fields: Fields | None) -> Serving:
    if fields is None:
        return Serving()
    fields.only(SERVING)
    return Serving(**{key: fields.number(key, *limits) for key, limits in SERVING.items()})


def _cost(fields: Fields | None) -> tuple[str | None, dict[str, int]]:
    if fields is None:
        return None, {}
    fields.only(COST)
    currency = fields.text("currency") or None
    if currency and not CURRENCY.fullmatch(currency):
        fields.error("currency", "out_of_range", "a three-letter currency such as CNY")
    return currency, {name: rate for name in RATES if (rate := _rate(fields, name)) is not None}


def _rate(fields: Fields, name: str) -> int | None:
    value = fields.scalar(name)
    if value is None:
        return None
    try:
        nano = parse_nano(value.text)
    except BadAmount:
        fields.error(name, "wrong_type", "an amount of money with at most nine decimals")
        return None
    if nano < 0:
        fields.error(name, "out_of_range", "0 or more")
    return nano


def _lru(fields: Fields | None) -> Lru | None:
    if fields is None:
        return None
    fields.only(LRU)
    name, unit = fields.text("name"), fields.inner("unit")
    if not name or unit is None or not unit.tree.items:
        fields.error("unit" if name else "name", "missing", "a name and a unit that holds something")
        return None
    return Lru(name, _unit(unit), fields.integer("count", 1, most=MOST_DEVICES))


def _unit(fields: Fields) -> dict[str, int]:
    amounts: dict[str, int] = {}
    for key in fields.tree.items:
        value = fields.scalar(key)
        try:
            dimension, scale = lookup(key)
        except UnknownCapability:
            fields.findings.unknown(fields.spot(key), "unknown_capability", key, unit_names())
            continue
        if dimension.kind is not Kind.ADDITIVE:
            near = closest(key, unit_names())
            fields.error(key, "contradiction", "something that is used up", f"did you mean {near}?" if near else None)
        elif dimension.name in amounts:
            fields.error(key, "duplicate", f"{dimension.name} once")
        elif value is None:
            fields.error(key, "wrong_type", "an amount")
        elif (base := amount(value.text, dimension, scale, fields.spot(key), fields.findings)) is not None:
            amounts[dimension.name] = base
    return amounts
