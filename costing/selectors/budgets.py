"""How do budgets stand: spent, set aside, burn rate, and where will they end?

Burn rate is spend per hour over budget per hour: 1 ends exactly at the limit. Windows and their
thresholds follow the usual fast and slow alerts (over an hour 14.4, over a day 3).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet

from alldata.kernel.intervals import DAY_MS, HOUR_MS
from alldata.tenancy.selectors import ProjectView, projects_below, projects_of
from alldata.tenancy.viewer import Viewer
from costing.models import Budget, Reservation
from costing.selectors.spent import charged_by_hour, charged_in_days, charged_to_jobs

WINDOWS: Mapping[str, int] = {"1h": 1, "6h": 6, "24h": 24}
FAST, SLOW = 14.4, 3.0


@dataclass(frozen=True, slots=True)
class BudgetView:
    """One budget now. `forecast` is the charge at the end of the period at the pace of the last day."""

    id: UUID
    scope: str
    scope_id: UUID
    name: str
    currency: str
    limit_nano: int
    spent_nano: int
    reserved_nano: int
    start_ms: int
    end_ms: int
    burn: Mapping[str, float]
    forecast_nano: int
    state: str  # ok, burning_slow, burning_fast, will_exceed, exceeded

    @property
    def left_nano(self) -> int:
        return max(0, self.limit_nano - self.spent_nano - self.reserved_nano)


def budgets_of(viewer: Viewer, *, now_ms: int) -> list[BudgetView]:
    """The budgets in force that cover what the viewer may see, widest first."""
    projects = projects_of(viewer)
    rows = Budget.objects.filter(
        organisation_id=viewer.organisation_id, start_ms__lte=now_ms, end_ms__gt=now_ms
    ).order_by("start_ms", "id")
    order = [scope.value for scope in Budget.Scope]
    every = projects_below(viewer.organisation_id)
    seen = [row for row in rows if _may_see(row, projects)]
    spending = _spending([p.id for p in every], seen, now_ms=now_ms)
    found = [_view(row, every, spending, now_ms=now_ms) for row in seen]
    return sorted(found, key=lambda view: (order.index(view.scope), view.name))


def projects_in(scope: str, scope_id: UUID, projects: list[ProjectView]) -> list[ProjectView]:
    """The projects whose spend counts."""
    above = {
        Budget.Scope.ORGANISATION: lambda p: p.organisation_id,
        Budget.Scope.TEAM: lambda p: p.team_id,
        Budget.Scope.PROJECT: lambda p: p.id,
    }
    return [p for p in projects if above[Budget.Scope(scope)](p) == scope_id]


def taken(budget: Budget, project_ids: list[UUID]) -> tuple[int, int]:
    """(spent, set aside beyond what is spent already) in nano."""
    jobs = Reservation.objects.filter(settled_ms=None)
    if budget.scope == Budget.Scope.JOB:
        spent = charged_to_jobs([budget.scope_id]).get(budget.scope_id, 0)
        jobs = jobs.filter(job_id=budget.scope_id)
    else:
        spent = sum(charged_in_days(project_ids, budget.start_ms, budget.end_ms).values())
        jobs = jobs.filter(project_id__in=project_ids)
    return spent, sum(_set_aside(jobs).values())


def _set_aside(reservations: QuerySet[Reservation]) -> dict[UUID, int]:
    """By project: what is reserved beyond what its jobs have been charged already."""
    held = list(reservations.values_list("job_id", "project_id", "reserved_nano"))
    so_far = charged_to_jobs([job_id for job_id, _, _ in held])
    found: dict[UUID, int] = {}
    for job_id, project_id, nano in held:
        found[project_id] = found.get(project_id, 0) + max(0, nano - so_far.get(job_id, 0))
    return found


@dataclass(frozen=True, slots=True)
class _Spending:
    """What every budget needs, by project, read once: charged by period and by hour of the last day, and set aside."""

    in_period: Mapping[tuple[int, int], Mapping[UUID, int]]
    by_hour: Mapping[UUID, Mapping[int, int]]
    aside: Mapping[UUID, int]

    def taken(self, budget: Budget, project_ids: list[UUID]) -> tuple[int, int]:
        """As `taken`, for a budget of projects."""
        spent = self.in_period[budget.start_ms, budget.end_ms]
        return sum(spent.get(p, 0) for p in project_ids), sum(self.aside.get(p, 0) for p in project_ids)

    def recent(self, project_ids: list[UUID]) -> dict[int, int]:
        """Charged by hour, all these projects together."""
        found: dict[int, int] = {}
        for project_id in project_ids:
            for hour_ms, nano in self.by_hour.get(project_id, {}).items():
                found[hour_ms] = found.get(hour_ms, 0) + nano
        return found


def _spending(project_ids: list[UUID], budgets: list[Budget], *, now_ms: int) -> _Spending:
    end_ms = now_ms // HOUR_MS * HOUR_MS
    periods = {(budget.start_ms, budget.end_ms) for budget in budgets}
    return _Spending(
        in_period={period: charged_in_days(project_ids, *period) for period in periods},
        by_hour=charged_by_hour(project_ids, end_ms - DAY_MS, end_ms),
        aside=_set_aside(Reservation.objects.filter(settled_ms=None, project_id__in=project_ids)),
    )


def _may_see(budget: Budget, projects: list[ProjectView]) -> bool:
    """Who sees a project sees the budgets above it; a job's budget, who sees the job's project."""
    if budget.scope != Budget.Scope.JOB:
        return bool(projects_in(budget.scope, budget.scope_id, projects))
    held = Reservation.objects.filter(job_id=budget.scope_id).values_list("project_id", flat=True)
    return bool({p.id for p in projects}.intersection(held))


def _view(budget: Budget, projects: list[ProjectView], spending: _Spending, *, now_ms: int) -> BudgetView:
    mine: list[ProjectView] = []
    name = str(budget.scope_id)
    if budget.scope != Budget.Scope.JOB:
        mine = projects_in(budget.scope, budget.scope_id, projects)
        names = {"organisation": mine[0].organisation, "team": mine[0].team, "project": mine[0].name}
        name = names[budget.scope]
    ids = [p.id for p in mine]
    spent, reserved = spending.taken(budget, ids) if mine else taken(budget, ids)
    end_ms = now_ms // HOUR_MS * HOUR_MS
    recent = spending.recent(ids)
    burn = {label: _burn(budget, recent, end_ms - hours * HOUR_MS, end_ms) for label, hours in WINDOWS.items()}
    forecast = _forecast(budget, recent, spent, now_ms=now_ms)
    return BudgetView(
        id=budget.id,
        scope=budget.scope,
        scope_id=budget.scope_id,
        name=name,
        currency=budget.currency,
        limit_nano=budget.limit_nano,
        spent_nano=spent,
        reserved_nano=reserved,
        start_ms=budget.start_ms,
        end_ms=budget.end_ms,
        burn=burn,
        forecast_nano=forecast,
        state=_state(budget, spent, forecast, burn),
    )


def _burn(budget: Budget, recent: Mapping[int, int], first_ms: int, end_ms: int) -> float:
    """Spend of the hours in [first_ms, end_ms) over what the budget allows in as many."""
    nano = sum(spent for hour_ms, spent in recent.items() if first_ms <= hour_ms < end_ms)
    allowed = budget.limit_nano * (end_ms - first_ms) // (budget.end_ms - budget.start_ms)
    return round(nano / allowed, 3) if allowed else 0.0


def _forecast(budget: Budget, recent: Mapping[int, int], spent: int, *, now_ms: int) -> int:
    """Spent so far plus the pace of the last day until the period ends."""
    end_ms = now_ms // HOUR_MS * HOUR_MS
    since_ms = max(budget.start_ms, end_ms - DAY_MS)
    if end_ms <= since_ms:
        return spent
    pace = sum(nano for hour_ms, nano in recent.items() if hour_ms >= since_ms)
    return spent + pace * max(0, budget.end_ms - now_ms) // (end_ms - since_ms)


def _state(budget: Budget, spent: int, forecast: int, burn: Mapping[str, float]) -> str:
    if spent > budget.limit_nano:
        return "exceeded"
    if burn["1h"] > FAST:
        return "burning_fast"
    if burn["24h"] > SLOW:
        return "burning_slow"
    return "will_exceed" if forecast > budget.limit_nano else "ok"
