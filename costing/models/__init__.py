"""Rows of costing: prices and ledger are insert-only, daily sums are computed, budgets and marks change."""

from costing.models.budgets import Budget, Reservation, SetAside
from costing.models.capacity import CapacityVersion
from costing.models.ledger import LedgerEntry
from costing.models.prices import ChargeMode, ExchangeRate, PriceBook, PriceRate, PriceVersion
from costing.models.progress import DirtyHour, InvoiceLock, NodeBooks
from costing.models.spend import DeviceDay, DirtyDay, JobDay, JobSpan, SpendDay, SpendHour

__all__ = [
    "Budget",
    "CapacityVersion",
    "ChargeMode",
    "DeviceDay",
    "DirtyDay",
    "DirtyHour",
    "ExchangeRate",
    "InvoiceLock",
    "JobDay",
    "JobSpan",
    "LedgerEntry",
    "NodeBooks",
    "PriceBook",
    "PriceRate",
    "PriceVersion",
    "Reservation",
    "SetAside",
    "SpendDay",
    "SpendHour",
]
