"""Prices that never change: a correction is another version; rates of exchange are dated. All insert-only."""

from django.db import models
from django.db.models import Q

from alldata.kernel.ids import uuid7
from costing.pricing.charging import PPM


class ChargeMode(models.TextChoices):
    """Which buckets a project pays for (costing.pricing.charging.Mode). It never changes what the ledger holds."""

    CONSUMPTION = "consumption"
    ALLOCATION = "allocation"
    MAX = "max"
    BLEND = "blend"


class PriceBook(models.Model):
    """A named list of prices in one currency."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    name = models.SlugField(max_length=63, unique=True)
    currency = models.CharField(max_length=3)
    charge_mode = models.CharField(max_length=12, choices=ChargeMode.choices, default=ChargeMode.CONSUMPTION)

    def __str__(self) -> str:
        return self.name


class PriceVersion(models.Model):
    """The book as it was from a moment on. Immutable."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    book = models.ForeignKey(PriceBook, models.PROTECT, related_name="versions")
    number = models.IntegerField()
    digest = models.CharField(max_length=64)
    valid_from_ms = models.BigIntegerField()
    source = models.CharField(max_length=300)
    example = models.BooleanField(default=False)
    bills_proxy = models.BooleanField(default=True)
    charge_mode = models.CharField(max_length=12, choices=ChargeMode.choices, default=ChargeMode.CONSUMPTION)
    blend_ppm = models.IntegerField(default=0, help_text="part of allocated_idle that is charged in mode blend")
    facts = models.JSONField(default=dict, help_text="how the prices came about: exchange rate, own costs")
    created_ms = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["book", "number"], name="price_version_number_once"),
            models.UniqueConstraint(fields=["book", "valid_from_ms"], name="price_version_one_at_a_time"),
            models.CheckConstraint(
                condition=Q(blend_ppm__gte=0, blend_ppm__lte=PPM), name="price_version_blend_is_part"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.book_id} r{self.number}"


class PriceRate(models.Model):
    """One kind of device in one version (costing.pricing.PriceLine). Immutable."""

    version = models.ForeignKey(PriceVersion, models.PROTECT, related_name="rates")
    device_type = models.CharField(max_length=20)
    model = models.CharField(max_length=120, blank=True)
    basis = models.CharField(max_length=40, blank=True)
    per_amount = models.BigIntegerField()
    nano_per_hour = models.BigIntegerField()
    weights = models.JSONField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["version", "device_type", "model"], name="price_rate_once"),
            models.CheckConstraint(condition=Q(nano_per_hour__gte=0, per_amount__gt=0), name="price_rate_not_negative"),
        ]

    def __str__(self) -> str:
        return f"{self.device_type} {self.model}"


class ExchangeRate(models.Model):
    """Billionths of `quote` for one unit of `base`, known from a moment on (costing.pricing.exchange). Immutable."""

    base = models.CharField(max_length=3)
    quote = models.CharField(max_length=3)
    as_of_ms = models.BigIntegerField()
    nano_per_unit = models.BigIntegerField()
    source = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["base", "quote", "as_of_ms"], name="exchange_rate_once"),
            models.CheckConstraint(condition=Q(nano_per_unit__gt=0), name="exchange_rate_is_positive"),
        ]

    def __str__(self) -> str:
        return f"{self.base}/{self.quote} {self.as_of_ms}"
