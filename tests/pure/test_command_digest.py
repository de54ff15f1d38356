"""The digest of a submission outlives releases: a repeated request must stay the same request."""

import pytest

from scheduling.services.commands import Entry, Sla, SubmitCommand

KNOWN = "2e415d2ac5772da375b00ec4a4b5882f11d440f33d61bfb77315d7eaa7622784"


def command(**more: object) -> SubmitCommand:
    plain: dict[str, object] = {
        "name": "digits",
        "profile": "ocr-train-infer@1.0",
        "mode": "training",
        "entry": Entry(command=("python", "-c", "print(1)")),
        "request_id": "r",
        "sla": Sla(deadline_ms=1_795_000_600_000),
    }
    return SubmitCommand(**plain | more)  # type: ignore[arg-type]


def test_fields_that_came_later_leave_it_as_it_was() -> None:
    assert command().digest() == KNOWN
    assert command(request_id="another").digest() == KNOWN


@pytest.mark.parametrize("more", [{"reservation": "x"}, {"demand": {"resources": []}}, {"sla": Sla(preemptible=True)}])
def test_used_they_make_another_request(more: dict[str, object]) -> None:
    assert command(**more).digest() != KNOWN
