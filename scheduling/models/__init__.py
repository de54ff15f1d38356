"""Rows of scheduling: supply (inventory.py), demand (work.py), places held (holds.py), decisions and pipelines."""

from scheduling.models.decisions import Decision, ObservedMix, PlannerInput
from scheduling.models.holds import Hold
from scheduling.models.inventory import Device, DeviceCapacity, Link, Node
from scheduling.models.pipelines import Artifact, PipelineRun
from scheduling.models.work import HAS_ENDED, IS_LIVE, Allocation, Attempt, Job

__all__ = [
    "HAS_ENDED",
    "IS_LIVE",
    "Allocation",
    "Artifact",
    "Attempt",
    "Decision",
    "Device",
    "DeviceCapacity",
    "Hold",
    "Job",
    "Link",
    "Node",
    "ObservedMix",
    "PipelineRun",
    "PlannerInput",
]
