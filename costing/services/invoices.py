"""Lock a billing period: from then on, what is booked for its hours is a correction, never a change."""

from django.db import IntegrityError, transaction

from alldata.kernel.intervals import HOUR_MS
from alldata.tenancy.audit import Deed, record
from alldata.tenancy.viewer import Viewer
from costing.errors import AlreadyInvoiced, BadQuestion, FinanceOnly, NotClosedYet
from costing.models import InvoiceLock
from costing.selectors.breakdown import is_provisional


def lock_period(viewer: Viewer, number: str, *, start_ms: int, end_ms: int, now_ms: int) -> None:
    """Invoice the hours of [start_ms, end_ms). Errors: FinanceOnly, NotClosedYet, AlreadyInvoiced, BadQuestion."""
    if not viewer.is_finance:
        raise FinanceOnly
    if start_ms % HOUR_MS or end_ms % HOUR_MS or start_ms >= end_ms:
        raise BadQuestion("start_timestamp", "whole UTC hours, end after start")
    if end_ms > now_ms or is_provisional(end_ms):
        raise NotClosedYet(end_ms)
    try:
        with transaction.atomic():
            overlapping = InvoiceLock.objects.filter(start_ms__lt=end_ms, end_ms__gt=start_ms).first()
            if overlapping is not None:
                raise AlreadyInvoiced(overlapping.number)
            InvoiceLock.objects.create(number=number, start_ms=start_ms, end_ms=end_ms, locked_ms=now_ms)
            record(viewer, Deed("invoice.lock", number, facts={"start_ms": start_ms, "end_ms": end_ms}), now_ms=now_ms)
    except IntegrityError:
        raise AlreadyInvoiced(number) from None
