"""Register the pages that combine apps, and plug every app's ports once models are loaded."""

from django.apps import AppConfig


class PortalConfig(AppConfig):
    """The top layer: composes what the apps below answer."""

    name = "alldata.portal"
    label = "portal"

    def ready(self) -> None:
        from alldata.wiring import plug_all  # noqa: PLC0415 - models exist only now

        plug_all()
