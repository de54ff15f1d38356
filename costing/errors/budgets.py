"""Refusals about budgets."""

from collections.abc import Mapping

from alldata.kernel.errors import Conflict, Invalid


class BudgetExceeded(Conflict):
    """A job would take its organisation, team, project or itself over a budget."""

    code = "budget_exceeded"

    def __init__(self, scope: str, limit_nano: int, taken_nano: int, asked_nano: int) -> None:
        super().__init__(scope, limit_nano, taken_nano, asked_nano)
        self.scope, self.limit_nano, self.taken_nano, self.asked_nano = scope, limit_nano, taken_nano, asked_nano

    def __str__(self) -> str:
        return f"the {self.scope}'s budget has {self.left_nano} nano left, {self.asked_nano} are asked for"

    @property
    def left_nano(self) -> int:
        return max(0, self.limit_nano - self.taken_nano)

    @property
    def facts(self) -> Mapping[str, object]:
        names = ("limit_nano", "taken_nano", "left_nano", "asked_nano")
        return {"scope": self.scope, **{name: str(getattr(self, name)) for name in names}}


class BadBudget(Invalid):
    """A budget cannot be set as asked."""

    code = "bad_budget"

    def __init__(self, where: str, expected: str) -> None:
        super().__init__(where, expected)
        self.field, self.expected = where, expected

    def __str__(self) -> str:
        return f"{self.field}: expected {self.expected}"
