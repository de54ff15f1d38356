"""What was asked for does not exist for this viewer."""

from alldata.kernel.errors import NotFound


class JobNotFound(NotFound):
    """No such job for this viewer."""

    code = "job_not_found"

    def __init__(self, reference: str) -> None:
        super().__init__(reference)
        self.reference = reference

    def __str__(self) -> str:
        return f"there is no job {self.reference} that you can see"


class DeviceNotFound(NotFound):
    """No such device for this viewer."""

    code = "device_not_found"

    def __init__(self, uuid: str) -> None:
        super().__init__(uuid)
        self.uuid = uuid

    def __str__(self) -> str:
        return f"there is no device {self.uuid} that you can see"


class PipelineNotFound(NotFound):
    """No such pipeline run for this viewer."""

    code = "pipeline_not_found"

    def __init__(self, reference: str) -> None:
        super().__init__(reference)
        self.reference = reference

    def __str__(self) -> str:
        return f"there is no pipeline run {self.reference} that you can see"


class DecisionNotFound(NotFound):
    """The job has no such decision."""

    code = "decision_not_found"

    def __init__(self, job: str, number: int) -> None:
        super().__init__(job, number)
        self.job, self.number = job, number

    def __str__(self) -> str:
        return f"{self.job} has no decision {self.number}; 0 is the latest"


class ReservationNotFound(NotFound):
    """No such reservation for this viewer."""

    code = "reservation_not_found"
    field = "reservation"

    def __init__(self, reference: str) -> None:
        super().__init__(reference)
        self.reference = reference

    def __str__(self) -> str:
        return f"there is no reservation {self.reference} that you can see"
