"""Refusals of costing: each says what happened, with a stable code and its data."""

from costing.errors.budgets import BadBudget, BudgetExhausted
from costing.errors.invoices import AlreadyInvoiced, BadQuestion, FinanceOnly, NotClosedYet
from costing.errors.prices import BadPriceBook, NoPriceBook

__all__ = [
    "AlreadyInvoiced",
    "BadBudget",
    "BadPriceBook",
    "BadQuestion",
    "BudgetExhausted",
    "FinanceOnly",
    "NoPriceBook",
    "NotClosedYet",
]
