"""Scheduling: who runs where, when, and what happens then."""

from django.apps import AppConfig


class SchedulingConfig(AppConfig):
    name = "scheduling"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from scheduling import handlers  # noqa: F401, PLC0415 - registers the subscribers
