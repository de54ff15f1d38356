"""Tenancy: organisations, teams, projects, people, tokens, secrets, audit."""

from django.apps import AppConfig


class TenancyConfig(AppConfig):
    name = "alldata.tenancy"
    label = "tenancy"
    default_auto_field = "django.db.models.BigAutoField"
