"""Refusals of scheduling: what was wrong, where, and what would mend it."""

from scheduling.errors.fields import (
    BadBudget,
    BadDemand,
    BadField,
    BadFilter,
    DeadlinePast,
    DeadlineUnmeetable,
    EntryTooLarge,
    TooFewMachines,
    UnknownProfile,
)
from scheduling.errors.missing import (
    DecisionNotFound,
    DeviceNotFound,
    JobNotFound,
    PipelineNotFound,
    ReservationNotFound,
)
from scheduling.errors.states import (
    EngineAway,
    IllegalMove,
    JobIsOver,
    NoPlace,
    RequestReused,
    ReservationOver,
)

__all__ = [
    "BadBudget",
    "BadDemand",
    "BadField",
    "BadFilter",
    "DeadlinePast",
    "DeadlineUnmeetable",
    "DecisionNotFound",
    "DeviceNotFound",
    "EngineAway",
    "EntryTooLarge",
    "IllegalMove",
    "JobIsOver",
    "JobNotFound",
    "NoPlace",
    "PipelineNotFound",
    "RequestReused",
    "ReservationNotFound",
    "ReservationOver",
    "TooFewMachines",
    "UnknownProfile",
]
