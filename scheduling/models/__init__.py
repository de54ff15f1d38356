"""Rows of scheduling: supply (inventory.py), demand (work.py), decisions and pipelines."""

from scheduling.models.decisions import Decision, ObservedMix, PlannerInput
from scheduling.models.inventory import Device, DeviceCapacity, Link, Node
from scheduling.models.pipelines import Artifact, PipelineRun
from scheduling.models.work import Allocation, Attempt, Job

__all__ = [
    "Allocation",
    "Artifact",
    "Attempt",
    "Decision",
    "Device",
    "DeviceCapacity",
    "Job",
    "Link",
    "Node",
    "ObservedMix",
    "PipelineRun",
    "PlannerInput",
]
