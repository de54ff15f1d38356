"""Profiles: what hardware is and what workloads want."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ProfilesConfig(AppConfig):
    name = "profiles"
    verbose_name = _("Profiles")
    default_auto_field = "django.db.models.BigAutoField"
