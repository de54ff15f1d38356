"""Refusals about budgets."""

from collections.abc import Mapping

from alldata.kernel.errors import Conflict, Invalid
from alldata.kernel.money import Money
from scheduling.ports import Shortage


class BudgetExhausted(Conflict):
    """A job would take its organisation, team, project or itself over a budget."""

    code = "budget_exhausted"
    field = "cost_budget"

    def __init__(self, shortage: Shortage) -> None:
        super().__init__(shortage)
        self.shortage = shortage

    def __str__(self) -> str:
        short = self.shortage
        return f"the budget of the {short.scope} {short.name} has {self._shown(short.left_nano)} left, {self.fix}"

    @property
    def fix(self) -> str:
        """What would mend it."""
        short = self.shortage
        return (
            f"and the job may come to {self._shown(short.asked_nano)}: "
            f"give it a cost_budget of at most what is left, or have the budget of the {short.scope} raised"
        )

    @property
    def facts(self) -> Mapping[str, object]:
        short = self.shortage
        names = ("limit_nano", "taken_nano", "left_nano", "asked_nano")
        known = {"scope": short.scope, "name": short.name, "currency": short.currency, "fix": self.fix}
        return {**known, **{name: str(getattr(short, name)) for name in names}}

    def _shown(self, nano: int) -> str:
        return f"{Money(nano, self.shortage.currency).as_json()['amount']} {self.shortage.currency}"


class BadBudget(Invalid):
    """A budget cannot be set as asked."""

    code = "bad_budget"

    def __init__(self, where: str, expected: str) -> None:
        super().__init__(where, expected)
        self.field, self.expected = where, expected

    def __str__(self) -> str:
        return f"{self.field}: expected {self.expected}"
