"""Costing: price books, rating, ledger, cost views."""

from django.apps import AppConfig


class CostingConfig(AppConfig):
    name = "costing"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from costing import handlers  # noqa: F401, PLC0415 - registers the subscribers
