"""Wake the loops early. Each also runs every second, so a lost wake-up costs only time."""

from alldata.outbox.wake import send


def wake_planner() -> None:
    """Something waits or something became free."""
    send("scheduling.tasks.plan")


def wake_driver() -> None:
    """Something should start, stop or be looked at."""
    send("scheduling.tasks.drive")


def wake_pipelines() -> None:
    """A job that a pipeline waits for has moved."""
    send("scheduling.tasks.advance_pipelines")
