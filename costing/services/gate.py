"""Answer what scheduling asks about money before it is spent (scheduling.ports.BudgetGate)."""

from alldata.tenancy.viewer import Viewer
from costing.services import budgets
from costing.services.admission import Ask
from scheduling.ports import Shortage, Spend


class BudgetDesk:
    """Sets money aside by the budgets in force. Settling is costing's own: handlers.py, budgets.settle_ended."""

    def reserve(self, viewer: Viewer, spend: Spend, *, now_ms: int) -> None:
        """In the caller's transaction. Errors: BudgetExhausted."""
        budgets.reserve_within(viewer, Ask(spend.job_id, spend.project_id, spend.nano), now_ms=now_ms)

    def shortage(self, viewer: Viewer, spend: Spend, *, now_ms: int) -> Shortage | None:
        """The narrowest budget that would refuse."""
        return budgets.shortage(viewer, Ask(spend.job_id, spend.project_id, spend.nano), now_ms=now_ms)
