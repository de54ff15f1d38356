"""/api/v1/profiles: upload (YAML or JSON), list, read, publish, deprecate."""

from collections.abc import Mapping
from typing import IO, Any, cast

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response

from alldata.kernel import clock
from alldata.tenancy.api import ApiView
from profiles.rcdl.parse import PROFILE_BYTES as MAX_BYTES
from profiles.selectors import ProfileRow, ProfileView, profiles_of, version_view
from profiles.services import deprecate_version, draft_profile, publish_version

ANY = OpenApiTypes.OBJECT


class YamlParser(BaseParser):
    """The document as it was written, so that errors can name its lines.

    DRF hands on whatever is returned here; its stubs know only maps.
    """

    media_type = "application/yaml"

    def parse(  # type: ignore[override]
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> bytes:
        # One byte more than allowed is enough for the reader to refuse it.
        text: bytes = stream.read(MAX_BYTES + 1)
        return text


class JsonTextParser(YamlParser):
    media_type = "application/json"


class PlainTextParser(YamlParser):
    media_type = "text/*"


class XYamlParser(YamlParser):
    media_type = "application/x-yaml"


class ProfileCollection(ApiView):
    """All profiles of the organisation."""

    parser_classes = [YamlParser, JsonTextParser, PlainTextParser, XYamlParser]

    @extend_schema(responses=ANY)
    def get(self, request: Request) -> Response:
        """Every profile with its versions, newest first."""
        return Response({"profiles": [_row(row) for row in profiles_of(self.viewer(request))]})

    @extend_schema(
        request={"application/yaml": OpenApiTypes.STR, "application/json": ANY}, responses={201: ANY, 422: ANY}
    )
    def post(self, request: Request) -> Response:
        """Store an RCDL document as a draft. Errors of the document come with line, path and suggestion."""
        view = draft_profile(self.viewer(request), cast(bytes, request.data or b""), now_ms=clock.now_ms())
        return Response(_view(view), status=status.HTTP_201_CREATED)


class ProfileItem(ApiView):
    """One version."""

    @extend_schema(responses=ANY)
    def get(self, request: Request, name: str, version: str) -> Response:
        """The version with its text, needs by mode and thresholds."""
        return Response(_view(version_view(self.viewer(request), name, version)))


class ProfilePublish(ApiView):
    """draft -> published."""

    @extend_schema(request=None, responses=ANY)
    def post(self, request: Request, name: str, version: str) -> Response:
        """Make the version immutable and usable; repeating it changes nothing."""
        view = publish_version(self.viewer(request), name=name, version=version, now_ms=clock.now_ms())
        return Response(_view(view))


class ProfileDeprecate(ApiView):
    """published -> deprecated."""

    @extend_schema(request=None, responses=ANY)
    def post(self, request: Request, name: str, version: str) -> Response:
        """Offer the version no longer; jobs that pin it keep working."""
        view = deprecate_version(self.viewer(request), name=name, version=version, now_ms=clock.now_ms())
        return Response(_view(view))


def _row(row: ProfileRow) -> dict[str, object]:
    return {
        "name": row.name,
        "latest": row.latest.version if row.latest else None,
        "versions": [
            {"version": v.version, "status": v.status, "digest": v.digest, "published_ms": v.published_ms}
            for v in row.versions
        ],
    }


def _view(view: ProfileView) -> dict[str, object]:
    serving = view.document.body.serving
    return {
        "name": view.name,
        "version": view.version,
        "status": view.status,
        "digest": view.digest,
        "description": view.document.description,
        "text": view.text,
        "body": view.document.body.needs_json(),
        "modes": {
            mode: {**demand.needs_json(), "grace_ms": demand.grace_ms} for mode, demand in view.document.modes.items()
        },
        "serving": {"qps": serving.qps, "p99_ms_max": serving.p99_ms_max, "min_accuracy": serving.min_accuracy},
        "created_by": view.created_by,
        "created_ms": view.created_ms,
        "published_ms": view.published_ms,
        "deprecated_ms": view.deprecated_ms,
    }
