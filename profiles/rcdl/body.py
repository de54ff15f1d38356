"""Read what a profile asks for: resources, alignment, grace, scheduling, cost and serving blocks."""

from dataclasses import replace
from decimal import Decimal

from alldata.kernel.money import BadAmount, parse_nano
from profiles.dimensions import DEVICE_TYPES, PPM, Dimension, Kind, known_names, lookup
from profiles.errors import UnknownCapability
from profiles.rcdl.constraints import rules
from profiles.rcdl.document import Alignment, Demand, Lru, Resource, Rule, SchedulingBlock, Serving
from profiles.rcdl.fields import Fields
from profiles.rcdl.tree import Mapping
from profiles.rcdl.units import amount

BODY = (
    "resources", "components", "alignment", "grace_period", "scheduling", "cost_model", "serving", "lru",
)  # fmt: skip
RATES = ("gpu_hour", "cpu_core_hour", "memory_gb_hour", "storage_tb_hour", "network_gb_hour", "storage_iops_hour")
PRIORITIES = ("low", "normal", "high", "urgent")
POLICIES = ("fifo", "deadline_aware", "fair_share", "cost_min")
SAME = ("numa", "pcie_root", "nvlink_island", "node")
MOST_DEVICES, MOST_GRACE_MS = 4096, 3_600_000


def demand(fields: Fields) -> Demand:
    """One body; findings say what could not be read."""
    resources = [resource(inner) for inner in fields.maps("resources")]
    if "resources" in fields.tree.items and "components" in fields.tree.items:
        fields.error("components", "contradiction", "either resources or components")
    for component in fields.maps("components"):
        resources += _component(component)
    if not resources:
        fields.error("resources", "missing", "at least one resource")
    currency, rates = _cost(fields.inner("cost_model"))
    return Demand(
        resources=tuple(resources),
        alignment=_alignment(fields.inner("alignment")),
        grace_ms=fields.duration("grace_period", 30_000, most_ms=MOST_GRACE_MS),
        scheduling=_scheduling(fields.inner("scheduling")),
        serving=_serving(fields.inner("serving")),
        currency=currency,
        rates_nano=rates,
        lru=_lru(fields.inner("lru")),
    )


def _component(fields: Fields) -> list[Resource]:
    fields.only(("name", "count", "resources", "alignment"))
    name = fields.text("name")
    if not name:
        fields.error("name", "missing", "a name for the component")
    if fields.inner("alignment") is not None:
        expected = "one alignment for the whole job"
        fields.findings.warning(fields.spot("alignment"), "not_enforced", expected, "an alignment of one component")
    each = [replace(resource(inner), component=name) for inner in fields.maps("resources")]
    if not each:
        fields.error("resources", "missing", "at least one resource")
    return each * fields.integer("count", 1, most=MOST_DEVICES)


def resource(fields: Fields) -> Resource:
    """One entry of `resources`."""
    fields.only(("type", "name", "count", "constraints", "capabilities"))
    kind = fields.choice("type", DEVICE_TYPES, "")
    if not kind:
        if fields.scalar("type") is None:
            fields.error("type", "missing", f"one of {', '.join(DEVICE_TYPES)}")
        return Resource("")
    constraints = fields.inner("constraints")
    found = list(rules(constraints.tree, kind, constraints.path, fields.findings)) if constraints else []
    amounts: dict[str, int] = {}
    shares: dict[str, int] = {}
    for capability in fields.maps("capabilities"):
        _capability(capability, kind, (amounts, shares, found))
    ordered = tuple(sorted(found, key=lambda rule: (rule.attribute, rule.op)))
    return Resource(kind, fields.integer("count", 1, most=MOST_DEVICES), ordered, amounts, shares)


def _capability(fields: Fields, kind: str, into: tuple[dict[str, int], dict[str, int], list[Rule]]) -> None:
    """Exactly one of target (a share), amount (absolute) and max (a ceiling)."""
    amounts, shares, limits = into
    well_spelt = fields.only(("name", "target", "amount", "max"))
    dimension, scale = _dimension(fields, kind)
    given = [key for key in ("target", "amount", "max") if fields.scalar(key) is not None]
    if dimension is None or (not given and not well_spelt):
        return
    if len(given) != 1:
        code = "contradiction" if given else "missing"
        fields.error(given[1] if given else "name", code, "exactly one of target, amount and max")
        return
    if dimension.name in amounts or dimension.name in shares:
        fields.error("name", "duplicate", f"{dimension.name} once for each resource")
        return
    form, value = given[0], fields.scalar(given[0])
    assert value is not None
    if form == "target":
        share = _share(fields, dimension)
        if share is not None:
            shares[dimension.name] = share
        return
    base = amount(value.text, dimension, scale, fields.spot(form), fields.findings)
    if base is None:
        return
    if form == "max":
        limits.append(Rule(dimension.name, "max", base))
    elif dimension.kind is not Kind.ADDITIVE:
        fields.error("amount", "contradiction", f"max for {dimension.name}, which is not used up")
    elif dimension.unit == "ppm" and base > PPM:
        fields.error("amount", "out_of_range", "at most the whole device (1, or 100 %)")
    else:
        amounts[dimension.name] = base


def _dimension(fields: Fields, kind: str) -> tuple[Dimension | None, int]:
    name = fields.text("name")
    if not name:
        fields.error("name", "missing", "the name of a capability")
        return None, 1
    try:
        dimension, scale = lookup(name, kind)
    except UnknownCapability:
        fields.findings.unknown(fields.spot("name"), "unknown_capability", name, known_names(kind))
        return None, 1
    if dimension.kind is Kind.SET:
        fields.error("name", "contradiction", f"{name} under constraints: it is not used up")
        return None, 1
    return dimension, scale


def _share(fields: Fields, dimension: Dimension) -> int | None:
    """A fraction of the device, 0 < target <= 1, in parts per million."""
    if dimension.kind is not Kind.ADDITIVE:
        fields.error("target", "contradiction", f"max for {dimension.name}: a limit has no share")
        return None
    share = fields.number("target", 0, 1)
    return None if share is None else max(1, round(Decimal(str(share)) * PPM))


def _alignment(fields: Fields | None) -> Alignment:
    if fields is None:
        return Alignment()
    fields.only(("same", "spread", "allow_cross_numa"))
    spread = fields.choice("spread", ("node",), "") or None
    if spread and fields.scalar("same") is not None:
        fields.error("spread", "contradiction", "either same or spread")
    if spread:
        fields.findings.warning(fields.spot("spread"), "not_enforced", "all devices of a job on one node", "spread")
    return Alignment(fields.choice("same", SAME, "numa"), fields.flag("allow_cross_numa"), spread)


def _scheduling(fields: Fields | None) -> SchedulingBlock:
    if fields is None:
        return SchedulingBlock()
    fields.only(("priority_class", "deadline_policy", "policy"))
    return SchedulingBlock(
        fields.choice("priority_class", PRIORITIES, "normal"),
        fields.choice("deadline_policy", ("soft", "hard"), "soft"),
        fields.choice("policy", POLICIES, "deadline_aware"),
    )


def _serving(fields: Fields | None) -> Serving:
    if fields is None:
        return Serving()
    fields.only(("qps", "p50_ms_max", "p99_ms_max", "min_accuracy", "max_error_rate"))
    return Serving(
        qps=fields.number("qps", 0, 1e7),
        p50_ms_max=fields.number("p50_ms_max", 0, 3.6e6),
        p99_ms_max=fields.number("p99_ms_max", 0, 3.6e6),
        min_accuracy=fields.number("min_accuracy", 0, 1),
        max_error_rate=fields.number("max_error_rate", -1e-12, 1),
    )


def _cost(fields: Fields | None) -> tuple[str | None, dict[str, int]]:
    if fields is None:
        return None, {}
    fields.only(("currency", *RATES))
    currency = fields.text("currency") or None
    if currency and not (len(currency) == 3 and currency.isascii() and currency.isupper()):
        fields.error("currency", "out_of_range", "a three-letter currency such as CNY")
    rates = {}
    for name in RATES:
        value = fields.scalar(name)
        if value is not None:
            try:
                rates[name] = parse_nano(value.text)
            except BadAmount:
                fields.error(name, "wrong_type", "an amount of money with at most nine decimals")
            if rates.get(name, 0) < 0:
                fields.error(name, "out_of_range", "0 or more")
    return currency, rates


def _lru(fields: Fields | None) -> Lru | None:
    if fields is None:
        return None
    fields.only(("name", "unit"))
    unit = fields.inner("unit")
    if not fields.text("name") or unit is None:
        fields.error("unit" if fields.text("name") else "name", "missing", "a name and a unit")
        return None
    return Lru(fields.text("name"), _unit(unit, unit.tree))


def _unit(fields: Fields, tree: Mapping) -> dict[str, int]:
    amounts = {}
    for key in tree.items:
        value = fields.scalar(key)
        try:
            dimension, scale = lookup(key)
        except UnknownCapability:
            fields.findings.unknown(fields.spot(key), "unknown_capability", key, known_names())
            continue
        base = amount(value.text, dimension, scale, fields.spot(key), fields.findings) if value else None
        if base is not None:
            amounts[dimension.name] = base
    return amounts
