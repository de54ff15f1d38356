"""The way back: a document as plain data in its canonical form, and the digest of that.

Canonical means: base units, dimension names, defaults left out, keys sorted; equal meaning gives
equal text. Modes and alternatives are written as the smallest overlay on the body that gives
them back, null where something is taken away. `parse(dump(x)).document == x` for every document.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, replace
from decimal import Decimal

import yaml

from profiles.dimensions import PPM
from profiles.rcdl.document import Alignment, Component, Demand, Document, Part, Resource, Rule, Supply
from profiles.rcdl.document import SchedulingBlock as Scheduling
from profiles.rcdl.least import Map, least_overlay

NANO = Decimal(10**9)
_PREFIXED = {"min": "min", "max": "max", "version_min": "min"}
_BARE = {"eq": "equals", "in": "one_of", "regex": "regex"}


def dump(document: Document | Supply) -> str:
    """The canonical JSON text."""
    return json.dumps(as_plain(document), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def as_yaml(document: Document | Supply) -> str:
    """The same for people to read and edit."""
    text: str = yaml.safe_dump(as_plain(document), sort_keys=False, allow_unicode=True, width=110)
    return text


def sealed(document: Document | Supply) -> Document | Supply:
    """The document with its canonical text and digest filled in."""
    text = dump(document)
    return replace(document, canonical=text, digest=hashlib.sha256(text.encode()).hexdigest())


def as_plain(document: Document | Supply) -> Map:
    """Maps, lists, texts and numbers only."""
    if isinstance(document, Supply):
        told = {"name": document.name, "version": document.version, "description": document.description}
        return {"kind": "supply", **_some(told), "resources": [_part(part) for part in document.parts]}
    body = plain_demand(document.body)
    found: Map = {"name": document.name, "version": document.version}
    found |= _some({"description": document.description}) | body
    if document.modes:
        found["modes"] = {name: least_overlay(body, plain_demand(mode)) for name, mode in document.modes.items()}
    if document.alternatives:
        found["alternatives"] = [least_overlay(body, plain_demand(rung)) for rung in document.alternatives]
    return found


def _part(part: Part) -> Map:
    told: Map = {"name": part.name, "type": part.type, **_some({"vendor": part.vendor, "model": part.model})}
    return told | {"attributes": dict(part.attributes)}


def plain_demand(demand: Demand) -> Map:
    """One body without what is as by default."""
    found: Map = {}
    if demand.components:
        found["components"] = [_component(component) for component in demand.components]
    elif demand.resources:
        found["resources"] = [_resource(resource) for resource in demand.resources]
    found |= _some({"alignment": _changed(demand.alignment, Alignment())})
    if demand.grace_ms != Demand(()).grace_ms:
        found["grace_period"] = f"{demand.grace_ms}ms"
    rates = {name: f"{Decimal(nano) / NANO:f}" for name, nano in demand.rates_nano.items()}
    found |= _some(
        {
            "scheduling": _changed(demand.scheduling, Scheduling()),
            "cost_model": _some({"currency": demand.currency}) | rates,
            "serving": {name: value for name, value in asdict(demand.serving).items() if value is not None},
        }
    )
    if demand.lru is not None:
        count = {} if demand.lru.count == 1 else {"count": demand.lru.count}
        found["lru"] = {"name": demand.lru.name, "unit": dict(demand.lru.amounts), **count}
    return found


def _component(component: Component) -> Map:
    found: Map = {"name": component.name, "resources": [_resource(each) for each in component.resources]}
    if component.count != 1:
        found["count"] = component.count
    if component.alignment is not None:
        found["alignment"] = _changed(component.alignment, Alignment()) or {"same": component.alignment.same}
    return found


def _resource(resource: Resource) -> Map:
    found: Map = {"type": resource.type}
    if resource.count != 1:
        found["count"] = resource.count
    taken: list[tuple[str, Map]] = [(name, {"amount": amount}) for name, amount in resource.amounts.items()]
    taken += [(name, {"target": share / PPM}) for name, share in resource.shares.items()]
    constraints = _constraints(resource.rules)
    capabilities = [{"name": name, **how} for name, how in sorted(taken, key=lambda entry: entry[0])]
    return found | _some({"constraints": constraints, "capabilities": capabilities})


def _constraints(rules: Sequence[Rule]) -> Map:
    found: Map = {}
    bare = Counter(rule.attribute for rule in rules if rule.op in _BARE)
    for rule in rules:
        value = list(rule.value) if isinstance(rule.value, tuple) else rule.value
        if rule.op in _PREFIXED:
            found[f"{_PREFIXED[rule.op]}_{rule.attribute}"] = value
        elif bare[rule.attribute] == 1 and rule.op != "regex":
            found[rule.attribute] = value
        else:
            forms = found.setdefault(rule.attribute, {})
            assert isinstance(forms, dict)
            forms[_BARE[rule.op]] = value
    return found


def _changed(block: Alignment | Scheduling, default: Alignment | Scheduling) -> Map:
    return {f.name: v for f in fields(block) if (v := getattr(block, f.name)) != getattr(default, f.name)}


def _some(entries: Mapping[str, object]) -> Map:
    """What is not empty."""
    return {key: value for key, value in entries.items() if value not in (None, "", {}, [])}
