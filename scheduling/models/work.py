"""Demand: jobs, their attempts, and what each attempt holds.

State columns move only through services/moves.py (conditional updates); the constraints
here hold whatever the code does. A foreign key has no index of its own where another begins with it; where
many rows are written at once (attempts, claims, decisions) it is held by a trigger that refuses to delete what is
referred to (migrations 0005 and 0006), which costs the writer nothing.
"""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from alldata.kernel.ids import uuid7
from scheduling.lifecycle import ATTEMPT_ENDS, JOB_ENDS, AllocationState, AttemptState, JobState


def _choices(states: type) -> list[tuple[str, str]]:
    return [(state.value, state.value) for state in states]  # type: ignore[attr-defined]


class Job(models.Model):
    """What someone asked for, with the profile version it is pinned to."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organisation_id = models.UUIDField()
    project = models.ForeignKey("tenancy.Project", models.PROTECT, related_name="+", db_index=False)
    number = models.BigIntegerField()
    name = models.CharField(max_length=120)
    kind = models.CharField(max_length=20)  # train, serve, load_test, run
    mode = models.CharField(max_length=40)
    request_id = models.CharField(max_length=120)
    digest = models.CharField(max_length=64)  # of the whole request, for idempotency
    entry_digest = models.CharField(max_length=64)  # of the code alone, for forecasts
    submitted_by = models.CharField(max_length=120)
    profile_name = models.CharField(max_length=63)
    profile_version = models.CharField(max_length=20)
    profile_digest = models.CharField(max_length=64)
    demand = models.JSONField()  # the resolved needs, frozen at submit
    entry = models.JSONField()  # {command, files, env, outputs}
    follow_up = models.JSONField(default=dict)
    notices = models.JSONField(default=list)  # codes such as legacy_gpu_translated
    policy = models.CharField(max_length=20)
    priority = models.IntegerField(default=0)
    deadline_ms = models.BigIntegerField(null=True)
    deadline_policy = models.CharField(max_length=8, default="soft")
    cap_nano = models.BigIntegerField(null=True)
    currency = models.CharField(max_length=3)
    grace_ms = models.IntegerField()
    timeout_ms = models.BigIntegerField()
    max_attempts = models.IntegerField(default=3)
    preemptible = models.BooleanField(default=False, db_default=False)  # may be stopped for a job of higher rank
    preemptions = models.IntegerField(default=0, db_default=0)  # how often it was; such attempts are no failures
    room_since_ms = models.BigIntegerField(null=True)  # others were stopped to make room for it
    promise = models.JSONField(default=dict)  # forecast at submit: the receipt's left half
    state = models.CharField(max_length=12, choices=_choices(JobState), default=JobState.QUEUED)
    reason = models.CharField(max_length=60, blank=True)  # why it ended or waits (code)
    reason_facts = models.JSONField(default=dict)
    stop_requested = models.CharField(max_length=20, blank=True)  # cancelled | completed | over_budget | preempted
    submitted_ms = models.BigIntegerField()
    changed_ms = models.BigIntegerField()
    started_ms = models.BigIntegerField(null=True)
    ended_ms = models.BigIntegerField(null=True)
    deadline_met = models.BooleanField(null=True)
    rev = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "request_id"], name="job_request_once"),
            models.UniqueConstraint(fields=["organisation_id", "number"], name="job_number_once"),
            models.CheckConstraint(condition=Q(cap_nano=None) | Q(cap_nano__gte=0), name="job_cap_not_negative"),
            models.CheckConstraint(
                condition=Q(ended_ms=None) | Q(ended_ms__gte=models.F("submitted_ms")),
                name="job_ends_after_submit",
            ),
            models.CheckConstraint(
                condition=Q(ended_ms=None) | Q(state__in=sorted(JOB_ENDS)),
                name="job_is_open_until_it_ends",
            ),
        ]
        indexes = [
            models.Index(fields=["project", "-number"], name="job_recent"),
            models.Index(fields=["profile_digest", "entry_digest"], name="job_history"),
            models.Index(
                fields=["organisation_id", "-ended_ms"],
                name="job_promised",
                condition=Q(deadline_met__isnull=False),
            ),
            models.Index(
                fields=["submitted_ms"],
                name="job_open",  # never by state: a move that no index sees is written in its page alone
                condition=Q(ended_ms=None),
            ),
        ]

    def __str__(self) -> str:
        return f"J-{self.number} {self.name}"


#: Ended attempts and live ones, in the words of the indexes: a query in other words, or another order, reads the table.
HAS_ENDED = Q(state__in=sorted(ATTEMPT_ENDS))
IS_LIVE = ~HAS_ENDED


class Attempt(models.Model):
    """One run of a job, or of one member of a gang, on one engine. Its id is the executor's key.

    The members of one try share its ordinal; each is on a machine of its own.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    job = models.ForeignKey(Job, models.PROTECT, related_name="attempts", db_index=False, db_constraint=False)
    project_id = models.UUIDField()
    ordinal = models.IntegerField()
    member = models.IntegerField(default=0, db_default=0)  # 0 .. members - 1
    members = models.IntegerField(default=1, db_default=1)
    component = models.CharField(max_length=80, blank=True, db_default="")  # what the member of a gang is called
    engine = models.CharField(max_length=20)
    node = models.ForeignKey("scheduling.Node", models.PROTECT, related_name="+", db_index=False, db_constraint=False)
    state = models.CharField(max_length=12, choices=_choices(AttemptState), default=AttemptState.PLACING)
    #: Crater's Placement where it differs from what the decision of this id says (selectors/placements.py): a member's
    #: own part of it, say.
    placement = models.JSONField(null=True)
    created_ms = models.BigIntegerField()
    changed_ms = models.BigIntegerField()
    started_ms = models.BigIntegerField(null=True)  # the engine's own stamps
    ended_ms = models.BigIntegerField(null=True)
    exit_code = models.IntegerField(null=True)
    signal = models.IntegerField(null=True)
    reason = models.CharField(max_length=60, blank=True)
    detail = models.TextField(blank=True)
    endpoint = models.JSONField(default=dict)
    limits = models.JSONField(default=dict)
    progress = models.JSONField(default=dict)
    stop_sent_ms = models.BigIntegerField(null=True)
    forgotten_ms = models.BigIntegerField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["job", "ordinal", "member"], name="attempt_member_once"),
            models.UniqueConstraint(
                fields=["job", "member"],
                name="one_live_attempt_per_member",
                condition=IS_LIVE,
            ),
            models.CheckConstraint(
                condition=Q(member__gte=0) & Q(member__lt=models.F("members")), name="attempt_member_is_one_of_all"
            ),
        ]
        indexes = [
            models.Index(fields=["changed_ms"], name="attempt_to_forget", condition=HAS_ENDED & Q(forgotten_ms=None)),
        ]

    def __str__(self) -> str:
        return f"attempt {self.ordinal} of {self.job_id}"


class Allocation(models.Model):
    """What one attempt holds of one device in one dimension, in base units."""

    pk = models.CompositePrimaryKey("attempt_id", "device_id", "dimension")
    attempt = models.ForeignKey(
        Attempt, models.PROTECT, related_name="allocations", db_index=False, db_constraint=False
    )
    device = models.ForeignKey(
        "scheduling.Device", models.PROTECT, related_name="allocations", db_index=False, db_constraint=False
    )
    dimension = models.CharField(max_length=40)
    amount = models.BigIntegerField()
    cpus = ArrayField(models.IntegerField(), default=list)
    state = models.CharField(max_length=12, choices=_choices(AllocationState), default=AllocationState.RESERVED)
    start_ms = models.BigIntegerField()
    release_due_ms = models.BigIntegerField(null=True)
    end_ms = models.BigIntegerField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(amount__gt=0), name="allocation_is_positive"),
            models.CheckConstraint(
                condition=Q(state=AllocationState.RELEASED, end_ms__isnull=False)
                | (~Q(state=AllocationState.RELEASED) & Q(end_ms=None)),
                name="allocation_ends_when_released",
            ),
        ]
        indexes = [
            models.Index(
                fields=["release_due_ms"],
                name="allocation_releasing",
                condition=Q(state=AllocationState.RELEASING),
            ),
            models.Index(fields=["device", "start_ms"], name="allocation_by_device"),
            models.Index(
                fields=["device"],
                name="allocation_of_cores",  # who holds which: read by every commit, so never the whole history
                condition=~Q(state=AllocationState.RELEASED) & ~Q(cpus=[]),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.amount} {self.dimension} of {self.device_id}"
