"""Refusals of costing."""

from collections.abc import Mapping

from alldata.kernel.errors import Conflict, Forbidden, Invalid, Unavailable


class BadPriceBook(Invalid):
    """A price list cannot be used as written."""

    code = "bad_price_book"

    def __init__(self, where: str, expected: str) -> None:
        super().__init__(where, expected)
        self.where, self.expected = where, expected

    def __str__(self) -> str:
        return f"{self.where}: expected {self.expected}"


class NoPriceBook(Unavailable):
    """No price list is in force yet."""

    code = "no_price_book"

    def __str__(self) -> str:
        return "no price book is in force; create one under Admin > Prices"


class BadQuestion(Invalid):
    """A breakdown cannot be computed as asked."""

    code = "bad_question"

    def __init__(self, where: str, expected: str) -> None:
        super().__init__(where, expected)
        self.where, self.expected = where, expected
        self.field = where

    def __str__(self) -> str:
        return f"{self.where}: expected {self.expected}"


class FinanceOnly(Forbidden):
    """Prices, invoices and budgets above a project are for those who answer for money."""

    code = "finance_only"

    def __str__(self) -> str:
        return "this is for the roles finance and platform_admin"


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


class NotClosedYet(Conflict):
    """A period cannot be invoiced while its hours may still change."""

    code = "not_closed_yet"

    def __init__(self, end_ms: int) -> None:
        super().__init__(end_ms)
        self.end_ms = end_ms

    def __str__(self) -> str:
        return f"not every hour before {self.end_ms} is closed on every node"


class AlreadyInvoiced(Conflict):
    """A period overlaps one that was invoiced, or the number was used."""

    code = "already_invoiced"

    def __init__(self, number: str) -> None:
        super().__init__(number)
        self.number = number

    def __str__(self) -> str:
        return f"invoice {self.number} covers this already"


class BadBudget(Invalid):
    """A budget cannot be set as asked."""

    code = "bad_budget"

    def __init__(self, where: str, expected: str) -> None:
        super().__init__(where, expected)
        self.field, self.expected = where, expected

    def __str__(self) -> str:
        return f"{self.field}: expected {self.expected}"
