"""The shapes that scheduling's selectors answer with: frozen values that any room may hold."""

from scheduling.selectors.answers.holds import HoldView
from scheduling.selectors.answers.inventory import (
    DeviceView,
    DimensionView,
    LinkView,
    MachineRow,
    NodeGraph,
    NodeView,
    Provenance,
)
from scheduling.selectors.answers.jobs import ArtifactView, AttemptView, JobEvent, JobRow, JobView
from scheduling.selectors.answers.metering import AllocationSpan, Supply
from scheduling.selectors.answers.pipelines import PipelineView

__all__ = [
    "AllocationSpan",
    "ArtifactView",
    "AttemptView",
    "DeviceView",
    "DimensionView",
    "HoldView",
    "JobEvent",
    "JobRow",
    "JobView",
    "LinkView",
    "MachineRow",
    "NodeGraph",
    "NodeView",
    "PipelineView",
    "Provenance",
    "Supply",
]
