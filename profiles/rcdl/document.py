"""What a document says, as frozen values in base units.

A `Document` is one file; a `Demand` is what is asked for in one mode (or on one rung of the
fallback ladder), with everything overlaid. Equal meaning is equal value, however it was
written. `needs_json` is the plain form that scheduling stores with a job and turns into its
own values; the way back to text is dump.py.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from profiles.dimensions import BY_NAME
from profiles.errors import UnknownMode

Value = str | int | float


@dataclass(frozen=True, slots=True)
class Rule:
    """A hard rule on one attribute: op is eq, in, min, max, regex or version_min."""

    attribute: str
    op: str
    value: Value | tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Resource:
    """`count` devices of one type; `shares` are parts per million of each device."""

    type: str
    count: int = 1
    rules: tuple[Rule, ...] = ()
    amounts: Mapping[str, int] = field(default_factory=dict)
    shares: Mapping[str, int] = field(default_factory=dict)
    component: str = ""


@dataclass(frozen=True, slots=True)
class Alignment:
    """How near the devices must be; `spread` asks that no two needs share a device, or no two components a node."""

    same: str = "numa"
    allow_cross_numa: bool = False
    spread: str | None = None


@dataclass(frozen=True, slots=True)
class Component:
    """A part of the job with its own appetite, `count` times; its alignment None is that of the job."""

    name: str
    resources: tuple[Resource, ...]
    count: int = 1
    alignment: Alignment | None = None

    @property
    def instances(self) -> tuple[str, ...]:
        """The name each copy goes by: `decoder`, or `decoder.0`, `decoder.1`."""
        return (self.name,) if self.count == 1 else tuple(f"{self.name}.{i}" for i in range(self.count))


@dataclass(frozen=True, slots=True)
class SchedulingBlock:
    """What the profile wishes where the job says nothing."""

    priority_class: str = "normal"
    deadline_policy: str = "soft"
    policy: str = "deadline_aware"


@dataclass(frozen=True, slots=True)
class Serving:
    """Thresholds a served model is judged by; None is not judged."""

    qps: float | None = None
    p50_ms_max: float | None = None
    p99_ms_max: float | None = None
    min_accuracy: float | None = None
    max_error_rate: float | None = None


@dataclass(frozen=True, slots=True)
class Lru:
    """A unit at the grain of a service: what one of its `count` instances holds, each on devices near each other."""

    name: str
    amounts: Mapping[str, int]
    count: int = 1

    @property
    def instances(self) -> tuple[str, ...]:
        return (self.name,) if self.count == 1 else tuple(f"{self.name}.{i}" for i in range(self.count))

    def by_type(self) -> dict[str, dict[str, int]]:
        """Device type -> amounts of one unit."""
        found: dict[str, dict[str, int]] = {}
        for name, amount in self.amounts.items():
            types = BY_NAME[name].device_types
            found.setdefault("gpu" if "gpu" in types else types[0], {})[name] = amount
        return found


@dataclass(frozen=True, slots=True)
class Demand:
    """What is asked for, everything overlaid. `resources` holds the components' too, copy by copy."""

    resources: tuple[Resource, ...]
    alignment: Alignment = Alignment()
    grace_ms: int = 30_000
    scheduling: SchedulingBlock = SchedulingBlock()
    serving: Serving = Serving()
    currency: str | None = None
    rates_nano: Mapping[str, int] = field(default_factory=dict)
    lru: Lru | None = None
    components: tuple[Component, ...] = ()

    def held(self) -> tuple[Resource, ...]:
        """`resources` with the LRU written out.

        A resource of a type that the unit holds gives at least the unit's amounts, once an instance; what no
        resource is there for is added. Beside components the unit is one more component.
        """
        if self.lru is None:
            return self.resources
        unit, found = self.lru.by_type(), list[Resource]()
        for resource in self.resources:
            amounts = None if self.components else unit.pop(resource.type, None)
            found += [resource] if amounts is None else self._copies(resource, amounts)
        return (*found, *(copy for kind, amounts in unit.items() for copy in self._copies(Resource(kind), amounts)))

    def _copies(self, resource: Resource, unit: Mapping[str, int]) -> list[Resource]:
        amounts = {**resource.amounts, **{n: max(a, resource.amounts.get(n, 0)) for n, a in unit.items()}}
        return [replace(resource, amounts=amounts, component=name) for name in self._units() or ("",)]

    def _units(self) -> tuple[str, ...]:
        """The instances of the LRU that choose their own places; one alone is the job itself."""
        alone = self.lru is None or (self.lru.count == 1 and not self.components)
        return () if alone or self.lru is None else self.lru.instances

    def needs_json(self) -> dict[str, object]:
        """`{needs: [{type, count, constraints, amounts, shares, component}], same, allow_cross_numa}`.

        Where they are stated also `spread` and `components: {instance: {same, allow_cross_numa}}`; the
        instances of an LRU are as near to themselves as the job is asked to be.
        """
        needs: dict[str, object] = {
            "needs": [_need(resource) for resource in self.held()],
            "same": self.alignment.same,
            "allow_cross_numa": self.alignment.allow_cross_numa,
        }
        if self.alignment.spread is not None:
            needs["spread"] = self.alignment.spread
        stated = {name: c.alignment for c in self.components for name in c.instances if c.alignment is not None}
        stated |= dict.fromkeys(self._units(), self.alignment)
        if stated:
            needs["components"] = {
                name: {"same": own.same, "allow_cross_numa": own.allow_cross_numa} for name, own in stated.items()
            }
        return needs


def _need(resource: Resource) -> dict[str, object]:
    return {
        "type": resource.type,
        "count": resource.count,
        "constraints": [
            {"attribute": r.attribute, "op": r.op, "value": list(r.value) if isinstance(r.value, tuple) else r.value}
            for r in resource.rules
        ],
        "amounts": dict(resource.amounts),
        "shares": dict(resource.shares),
        "component": resource.component,
    }


@dataclass(frozen=True, slots=True)
class Document:
    """A profile: one demand a mode, and the ladder to fall back on."""

    name: str
    version: str
    description: str
    body: Demand
    modes: Mapping[str, Demand]
    alternatives: tuple[Demand, ...]
    canonical: str = ""  # JSON with sorted keys, by meaning (dump.py)
    digest: str = ""  # sha256 of `canonical`

    kind = "demand"


@dataclass(frozen=True, slots=True)
class Part:
    """One described piece of hardware; `attributes` are in base units, by dimension name."""

    name: str
    type: str
    vendor: str
    model: str
    attributes: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Supply:
    """Hardware as described by hand or by an import."""

    parts: tuple[Part, ...]
    name: str = ""
    version: str = ""
    description: str = ""
    canonical: str = ""
    digest: str = ""

    kind = "supply"


def resolve(document: Document, mode: str | None = None) -> Demand:
    """What is asked for in `mode` (None: the body as it stands). Errors: UnknownMode."""
    if mode is None:
        return document.body
    if mode not in document.modes:
        raise UnknownMode(f"{document.name} {document.version}", mode, tuple(sorted(document.modes)))
    return document.modes[mode]
