"""What is valid but will cause trouble later? Warnings only, never errors.

Kubernetes' device API holds at most 32 attributes and capacities a device, strings of 64
characters, and 32 devices a claim, so what goes beyond cannot be carried there whole. What no
known part can do is told by whoever knows parts (`Findings.advisor`).
"""

from profiles.rcdl.document import Part, Resource
from profiles.rcdl.fields import Fields

DRA_ATTRIBUTES, DRA_TEXT, DRA_DEVICES = 32, 64, 32


def lint_part(part: Part, fields: Fields) -> None:
    """Limits of the engines that may be told of this hardware, and what is known of the product."""
    found, at = fields.findings, fields.inner("attributes") or fields
    if len(part.attributes) > DRA_ATTRIBUTES:
        expected = f"at most {DRA_ATTRIBUTES} attributes for Kubernetes"
        found.warning(fields.spot("attributes"), "engine_limit", expected, len(part.attributes))
    for key in at.tree.items:
        value = at.scalar(key)
        if value is not None and len(value.text) > DRA_TEXT:
            expected = f"at most {DRA_TEXT} characters for Kubernetes"
            found.warning(at.spot(key), "engine_limit", expected, f"{len(value.text)} characters")
    if found.advisor is not None:
        for advice in found.advisor.of_part(part):
            at.advise(advice)


def lint_resource(asked: Resource, fields: Fields) -> None:
    """A resource that takes nothing books nothing, so others may take it at the same time."""
    found = fields.findings
    if not asked.amounts and not asked.shares:
        spot = fields.spot("capabilities")
        found.warning(spot, "unused", "an amount or a target", f"a {asked.type} of which nothing is taken")
    if asked.count > DRA_DEVICES:
        expected = f"at most {DRA_DEVICES} devices for one Kubernetes claim"
        found.warning(fields.spot("count"), "engine_limit", expected, asked.count)
    constraints = fields.inner("constraints")
    if found.advisor is not None and constraints is not None:
        for advice in found.advisor.of_resource(asked):
            constraints.advise(advice)
