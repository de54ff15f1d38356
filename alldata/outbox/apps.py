"""Outbox: event rows, one delivery row per subscriber, and the relay."""

from django.apps import AppConfig


class OutboxConfig(AppConfig):
    name = "alldata.outbox"
    label = "outbox"
    default_auto_field = "django.db.models.BigAutoField"
