"""Shapes of requests: DRF checks them, `as_command` hands them to the services.

The article's names are accepted beside ours: `resource_profile`, `sla_deadline`,
`cost_budget`, and the legacy form `{image, gpu: 2}`.
"""

from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from rest_framework import serializers

from alldata.kernel.ids import uuid7
from alldata.kernel.money import parse_nano
from alldata.tenancy.selectors import ProjectView
from scheduling.api.strict import Strict
from scheduling.crater.model import Policy
from scheduling.errors import BadBudget, BadField
from scheduling.services.commands import HOLD, Entry, Sla, SubmitCommand
from scheduling.services.reserving import HOLD_MS, MOST_HOLD_MS

MOST_REQUEST_ID = 120


class FileShape(Strict):
    """A file put into the working directory, sent inline."""

    name = serializers.CharField(max_length=200)
    text = serializers.CharField(allow_blank=True, trim_whitespace=False)


class EntryShape(Strict):
    """What to run."""

    command = serializers.ListField(child=serializers.CharField(max_length=4000), max_length=200)
    files = FileShape(many=True, required=False)
    env = serializers.DictField(child=serializers.CharField(max_length=4000), required=False)
    outputs = serializers.ListField(child=serializers.CharField(max_length=200), max_length=50, required=False)


class BudgetField(serializers.Field[Any, Any, Any, Any]):
    """An amount as text or number in the project's currency, or `{"amount", "currency"}`."""

    def to_internal_value(self, data: Any) -> tuple[int, str | None]:
        if isinstance(data, dict):
            return self._nano(data.get("amount")), str(data.get("currency") or "") or None
        return self._nano(data), None

    @staticmethod
    def _nano(amount: Any) -> int:
        exact = Decimal(repr(amount)) if isinstance(amount, float) else amount
        return parse_nano(exact)

    def to_representation(self, value: Any) -> Any:
        return value


class AskShape(Strict):
    """What both doors understand: which place, until when, for how much."""

    name = serializers.CharField(max_length=120, required=False)
    profile = serializers.CharField(max_length=90, required=False)
    resource_profile = serializers.CharField(max_length=90, required=False)
    mode = serializers.CharField(max_length=40, required=False, allow_blank=True)
    entry = EntryShape(required=False)
    image = serializers.CharField(max_length=300, required=False)
    gpu = serializers.IntegerField(min_value=0, max_value=1024, required=False)
    deadline = serializers.CharField(max_length=60, required=False)
    sla_deadline = serializers.CharField(max_length=60, required=False)
    deadline_policy = serializers.ChoiceField(["hard", "soft"], required=False)
    budget = BudgetField(required=False)
    cost_budget = BudgetField(required=False)
    policy = serializers.ChoiceField([p.value for p in Policy], required=False)
    priority = serializers.IntegerField(min_value=-100, max_value=100, required=False)
    preemptible = serializers.BooleanField(required=False)
    project = serializers.CharField(max_length=63, required=False)
    then = serializers.ListField(child=serializers.ChoiceField(["serve", "load_test"]), required=False)
    timeout_s = serializers.IntegerField(min_value=1, max_value=30 * 86_400, required=False)
    request_id = serializers.CharField(max_length=MOST_REQUEST_ID, required=False)

    def entry_of(self, data: dict[str, Any]) -> Entry:
        """What to run. Errors: BadField."""
        raise NotImplementedError

    def as_command(self, project: ProjectView, *, request_id: str | None) -> SubmitCommand:
        """The command of a valid shape. Errors: BadField, BadBudget."""
        data = self.validated_data
        if request_id is not None and not (request_id.isprintable() and 0 < len(request_id) <= MOST_REQUEST_ID):
            raise BadField("Idempotency-Key", f"{len(request_id)} characters", "send 1 to 120 printable characters")
        legacy = "gpu" in data and not (data.get("profile") or data.get("resource_profile"))
        budget = _either(data, "budget", "cost_budget")
        deadline = _either(data, "deadline", "sla_deadline")
        timeout_s = data.get("timeout_s")
        return SubmitCommand(
            name=data.get("name") or data.get("image") or "job",
            profile="" if legacy else _either(data, "profile", "resource_profile") or "",
            mode=data.get("mode", ""),
            entry=self.entry_of(data),
            request_id=request_id or data.get("request_id") or str(uuid7()),
            sla=Sla(
                deadline_ms=parse_instant(deadline, project.timezone) if deadline else None,
                deadline_policy=data.get("deadline_policy", "soft"),
                cap_nano=budget[0] if budget else None,
                currency=budget[1] if budget else None,
                policy=data.get("policy", Policy.DEADLINE_AWARE.value),
                priority=data.get("priority", 0),
                preemptible=data.get("preemptible"),
            ),
            project=project.id,
            then=tuple(data["then"]) if "then" in data else None,
            timeout_ms=timeout_s * 1000 if timeout_s else None,
            legacy_gpu=data["gpu"] if legacy else None,
            reservation=data.get("reservation"),
        )


class SubmitShape(AskShape):
    """POST /api/v1/jobs. `reservation` starts the job on the place that was held (POST /api/v1/schedule)."""

    reservation = serializers.CharField(max_length=60, required=False)

    def entry_of(self, data: dict[str, Any]) -> Entry:
        """A job needs something to run."""
        return _entry(data)


class ScheduleShape(AskShape):
    """POST /api/v1/schedule: a profile and mode, or a demand vector in RCDL; `entry` only sharpens the forecast."""

    demand = serializers.JSONField(required=False)
    reserve = serializers.BooleanField(required=False)
    hold_ms = serializers.IntegerField(min_value=1_000, max_value=MOST_HOLD_MS, required=False)

    def entry_of(self, data: dict[str, Any]) -> Entry:
        """A place can be asked for before there is anything to run."""
        return _entry(data) if "entry" in data else Entry(command=())

    def as_command(self, project: ProjectView, *, request_id: str | None) -> SubmitCommand:
        """A command for a place alone. Errors: BadField, BadBudget."""
        command = super().as_command(project, request_id=request_id)
        demand = self.validated_data.get("demand")
        if demand is None:
            return replace(command, kind=HOLD)
        if not isinstance(demand, dict):
            raise BadField("demand", type(demand).__name__, "give an RCDL body: {resources: [...], alignment: {...}}")
        if command.profile or command.legacy_gpu is not None:
            raise BadField("demand", "given beside a profile", "give one of them")
        return replace(command, kind=HOLD, demand=demand)

    @property
    def hold_ms_asked(self) -> int | None:
        """How long to hold the place; None: only answer."""
        data = self.validated_data
        return data.get("hold_ms", HOLD_MS) if data.get("reserve") else None


def _entry(data: dict[str, Any]) -> Entry:
    if "entry" not in data:
        raise BadField("entry", "missing", "say what to run: {command: [...], files: [...]}")
    entry = data["entry"]
    return Entry(
        command=tuple(entry["command"]),
        files=tuple(dict(file) for file in entry.get("files", [])),
        env=dict(entry.get("env", {})),
        outputs=tuple(entry.get("outputs", [])),
    )


def _either(data: dict[str, Any], ours: str, articles: str) -> Any:
    """One of two names for the same thing; both with different values is a contradiction."""
    if ours in data and articles in data and data[ours] != data[articles]:
        kind = BadBudget if "budget" in ours else BadField
        raise kind(ours, f"differs from {articles}", "give one of them")
    return data.get(ours, data.get(articles))


def parse_instant(text: str, timezone: str) -> int:
    """UTC ms of an RFC 3339 time; without an offset it is meant in the project's zone."""
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=ZoneInfo(timezone))
        return round(moment.timestamp() * 1000)
    except (ValueError, OverflowError):
        raise BadField("deadline", repr(text), "give a time such as 2026-12-01T10:00:00+08:00") from None
