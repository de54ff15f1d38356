"""Set budgets, set money aside when a job is admitted, and settle it when the job has ended.

Admission asks every budget above the job, under one lock an organisation, so that two jobs
cannot both take the last of it. Reserving twice for one job changes nothing; asking for more adds the difference.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from alldata.kernel.intervals import DAY_MS
from alldata.tenancy.audit import Deed, record
from alldata.tenancy.selectors import ProjectView, project_view, projects_below, projects_of
from alldata.tenancy.viewer import Viewer
from costing.errors import BadBudget, BudgetExhausted, FinanceOnly
from costing.models import Budget, DirtyDay, Reservation
from costing.selectors.budgets import projects_in, taken
from costing.selectors.spent import charged_to_jobs
from costing.services.admission import Ask, admitted, set_right
from scheduling.ports import Shortage
from scheduling.selectors.metering import ended_before

#: After a job's end its last usage is still booked and its day summed.
SETTLE_AFTER_MS = 120_000


@dataclass(frozen=True, slots=True)
class BudgetCommand:
    """A limit over whole UTC days for an organisation, team, project or job."""

    scope: str
    scope_id: UUID
    limit_nano: int
    start_ms: int
    end_ms: int


def set_budget(viewer: Viewer, command: BudgetCommand, *, now_ms: int) -> UUID:
    """Set a limit; the same scope and start replace the limit. Errors: FinanceOnly, BadBudget."""
    if command.scope not in Budget.Scope.values:
        raise BadBudget("scope", "one of " + ", ".join(Budget.Scope.values))
    if command.start_ms % DAY_MS or command.end_ms % DAY_MS or command.end_ms <= command.start_ms:
        raise BadBudget("start_timestamp", "whole UTC days, end after start")
    if command.limit_nano < 0:
        raise BadBudget("limit", "an amount of at least 0")
    own = command.scope in (Budget.Scope.PROJECT, Budget.Scope.JOB) and "team_admin" in viewer.roles
    if not viewer.is_finance and not own:
        raise FinanceOnly
    projects = projects_of(viewer)
    if command.scope != Budget.Scope.JOB and not projects_in(command.scope, command.scope_id, projects):
        raise BadBudget("scope_id", f"a {command.scope} of yours")
    with transaction.atomic():
        row, _ = Budget.objects.update_or_create(
            scope=command.scope,
            scope_id=command.scope_id,
            start_ms=command.start_ms,
            defaults={"limit_nano": command.limit_nano, "end_ms": command.end_ms},
            create_defaults={
                "limit_nano": command.limit_nano,
                "end_ms": command.end_ms,
                "organisation_id": viewer.organisation_id,
                "currency": projects[0].currency,
                "created_ms": now_ms,
                "created_by": viewer.name,
            },
        )
        facts = {"scope": command.scope, "limit_nano": str(command.limit_nano)}
        record(viewer, Deed("budget.set", str(command.scope_id), facts=facts), now_ms=now_ms)
    return row.id


def reserve(viewer: Viewer, ask: Ask, *, now_ms: int) -> None:
    """Set money aside, or refuse, in a transaction of its own. Errors: as reserve_within."""
    with transaction.atomic():
        reserve_within(viewer, ask, now_ms=now_ms)


def reserve_within(viewer: Viewer, ask: Ask, *, now_ms: int) -> None:
    """The same in the caller's transaction. Errors: BudgetExhausted (the narrowest budget that lacks it).

    The lock is taken only where a budget is in force; it ends with the transaction.
    """
    project = project_view(viewer, ask.project_id)
    if admitted(project, ask, now_ms=now_ms):
        return
    held = Reservation.objects.filter(pk=ask.job_id).first()
    if held is not None and (held.settled_ms is not None or held.reserved_nano >= ask.nano):
        return
    more = ask.nano - held.reserved_nano if held is not None else ask.nano
    short = _short(project, Ask(ask.job_id, ask.project_id, more), list(_in_force(project, now_ms=now_ms)))
    if short is not None:
        raise BudgetExhausted(short)
    if held is not None:
        Reservation.objects.filter(pk=held.pk).update(reserved_nano=ask.nano)
        return
    Reservation.objects.create(
        job_id=ask.job_id,
        project_id=project.id,
        currency=project.currency,
        reserved_nano=ask.nano,
        reserved_ms=now_ms,
    )
    set_right([below.id for below in projects_below(project.organisation_id)])


def shortage(viewer: Viewer, ask: Ask, *, now_ms: int) -> Shortage | None:
    """The narrowest budget that lacks the money, None when every one has it."""
    project = project_view(viewer, ask.project_id)
    return _short(project, ask, list(_in_force(project, now_ms=now_ms)))


def _short(project: ProjectView, ask: Ask, limits: Sequence[Budget]) -> Shortage | None:
    above = {
        (Budget.Scope.JOB.value, ask.job_id): str(ask.job_id),
        (Budget.Scope.PROJECT.value, project.id): project.name,
        (Budget.Scope.TEAM.value, project.team_id): project.team,
        (Budget.Scope.ORGANISATION.value, project.organisation_id): project.organisation,
    }
    order = list(above)
    mine = sorted(
        (b for b in limits if (b.scope, b.scope_id) in above), key=lambda b: order.index((b.scope, b.scope_id))
    )
    below = projects_below(project.organisation_id) if mine else []
    for budget in mine:
        covered = [] if budget.scope == Budget.Scope.JOB else projects_in(budget.scope, budget.scope_id, below)
        total = sum(taken(budget, [p.id for p in covered]))
        if total + ask.nano > budget.limit_nano:
            name = above[budget.scope, budget.scope_id]
            return Shortage(budget.scope, name, budget.currency, budget.limit_nano, total, ask.nano)
    return None


def _in_force(project: ProjectView, *, now_ms: int) -> QuerySet[Budget]:
    return Budget.objects.filter(organisation_id=project.organisation_id, start_ms__lte=now_ms, end_ms__gt=now_ms)


def settle_ended(*, now_ms: int) -> int:
    """Settle the jobs that ended a while ago, once the days they ran on are summed; returns how many."""
    if DirtyDay.objects.filter(due_ms__lte=now_ms).exists():
        return 0
    waiting = list(Reservation.objects.filter(settled_ms=None).values_list("job_id", flat=True)[:500])
    return sum(settle(job_id, now_ms=now_ms) for job_id in ended_before(waiting, now_ms - SETTLE_AFTER_MS))


def settle(job_id: UUID, *, now_ms: int) -> bool:
    """The job is over and booked: what was set aside is freed. False when there was nothing open."""
    spent = charged_to_jobs([job_id]).get(job_id, 0)
    open_ones = Reservation.objects.filter(pk=job_id, settled_ms=None)
    return bool(open_ones.update(settled_nano=spent, settled_ms=now_ms))
