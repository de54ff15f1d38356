"""Refusals about invoices and questions."""

from alldata.kernel.errors import Conflict, Forbidden, Invalid


class FinanceOnly(Forbidden):
    """Prices, invoices and budgets above a project are for those who answer for money."""

    code = "finance_only"

    def __str__(self) -> str:
        return "this is for the roles finance and platform_admin"


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


class BadQuestion(Invalid):
    """A breakdown cannot be computed as asked."""

    code = "bad_question"

    def __init__(self, where: str, expected: str) -> None:
        super().__init__(where, expected)
        self.where, self.expected = where, expected
        self.field = where

    def __str__(self) -> str:
        return f"{self.where}: expected {self.expected}"
