"""/api/v1/profiles: upload (YAML or JSON), list, read, compare, publish, deprecate."""

from typing import cast

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from alldata.kernel import clock
from alldata.tenancy.api import ApiView
from profiles.api.parsers import ANY, DOCUMENT, PARSERS
from profiles.hkb.advice import HardwareAdvisor
from profiles.rcdl.diff import diff
from profiles.rcdl.parse import parse
from profiles.selectors.knowledge import knowledge
from profiles.selectors.versions import ProfileRow, ProfileView, profiles_of, version_view
from profiles.services.versions import deprecate_version, draft_profile, publish_version


class ProfileCollection(ApiView):
    """All profiles of the organisation."""

    parser_classes = PARSERS

    @extend_schema(responses=ANY)
    def get(self, request: Request) -> Response:
        """Every profile with its versions, newest first."""
        return Response({"profiles": [_row(row) for row in profiles_of(self.viewer(request))]})

    @extend_schema(request=DOCUMENT, responses={201: ANY, 422: ANY})
    def post(self, request: Request) -> Response:
        """Store an RCDL document as a draft. Errors of the document come with line, path and suggestion."""
        text = cast(bytes, request.data or b"")
        view = draft_profile(self.viewer(request), text, now_ms=clock.now_ms())
        warnings = [problem.as_json() for problem in parse(text, HardwareAdvisor(knowledge())).warnings]
        return Response(_view(view) | {"warnings": warnings}, status=status.HTTP_201_CREATED)


class ProfileItem(ApiView):
    """One version."""

    @extend_schema(responses=ANY)
    def get(self, request: Request, name: str, version: str) -> Response:
        """The version with its text, needs by mode and thresholds."""
        return Response(_view(version_view(self.viewer(request), name, version)))


class ProfileDocument(ApiView):
    """One version as a file."""

    @extend_schema(responses={(200, "application/yaml"): OpenApiTypes.STR})
    def get(self, request: Request, name: str, version: str) -> HttpResponse:
        """The document as it was written, comments and all; uploading it again gives the same digest."""
        view = version_view(self.viewer(request), name, version)
        name = f'attachment; filename="{view.name}-{view.version}.yaml"'
        return HttpResponse(view.text, content_type="application/yaml", headers={"Content-Disposition": name})


class ProfileDiff(ApiView):
    """Two versions."""

    @extend_schema(parameters=[OpenApiParameter("from", str), OpenApiParameter("to", str)], responses=ANY)
    def get(self, request: Request, name: str) -> Response:
        """What `to` means that `from` does not, change by change with its effect."""
        viewer = self.viewer(request)
        old, new = (version_view(viewer, name, request.query_params.get(key, "")) for key in ("from", "to"))
        changes = [change.as_json() for change in diff(old.document, new.document)]
        return Response({"name": name, "from": old.version, "to": new.version, "changes": changes})


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
