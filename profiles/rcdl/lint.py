"""What is valid but will cause trouble later? Warnings only, never errors.

Kubernetes' device API holds at most 32 attributes a device and strings of 64 characters, so a
document that describes more cannot be carried there whole.
"""

from profiles.rcdl.document import Demand, Supply
from profiles.rcdl.problems import Findings, Spot

DRA_ATTRIBUTES, DRA_TEXT = 32, 64


def lint_supply(supply: Supply, findings: Findings) -> None:
    """Limits of the engines that may be told of this hardware."""
    for index, part in enumerate(supply.parts):
        spot = Spot(1, 1, f"resources[{index}].attributes")
        if len(part.attributes) > DRA_ATTRIBUTES:
            expected = f"at most {DRA_ATTRIBUTES} attributes for Kubernetes"
            findings.warning(spot, "not_enforced", expected, len(part.attributes))
        for name, value in part.attributes.items():
            if isinstance(value, str) and len(value) > DRA_TEXT:
                expected = f"at most {DRA_TEXT} characters for Kubernetes"
                findings.warning(spot.at(f"{spot.path}.{name}"), "not_enforced", expected, value)


def lint_demand(demand: Demand, path: str, findings: Findings) -> None:
    """A resource that takes nothing books nothing, so others may take it at the same time."""
    for index, resource in enumerate(demand.resources):
        if resource.type and not resource.amounts and not resource.shares:
            spot = Spot(1, 1, f"{path}resources[{index}].capabilities")
            findings.warning(spot, "unused", "an amount or a target", f"a {resource.type} of which nothing is taken")
