"""Note a dated rate of exchange. It never changes; a better one is another, later one."""

from django.db import transaction

from costing.models import ExchangeRate as Row
from costing.pricing.exchange import ExchangeRate


def note_rate(rate: ExchangeRate, source: str) -> None:
    """Keep a rate. Errors: IntegrityError when one of that very moment is known."""
    with transaction.atomic():
        Row.objects.create(
            base=rate.base,
            quote=rate.quote,
            nano_per_unit=rate.nano_per_unit,
            as_of_ms=rate.as_of_ms,
            source=source,
        )
