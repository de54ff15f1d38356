"""Monitoring: ingest of usage frames and everything shown from them."""

from django.apps import AppConfig


class MonitoringConfig(AppConfig):
    name = "monitoring"
    default_auto_field = "django.db.models.BigAutoField"
