"""/api/v1/hkb: what is known of hardware, with unit, source, date and quality; additions and overrides."""

from typing import cast
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from alldata.kernel import clock
from alldata.tenancy.api import ApiView
from profiles.api.answers import links_json, part_json, upload_json
from profiles.api.parsers import ANY, DOCUMENT, PARSERS
from profiles.errors import UnknownKnowledge
from profiles.selectors.knowledge import knowledge, knowledge_versions, overrides
from profiles.services.knowledge import add_knowledge, check_knowledge, end_override, withdraw_knowledge


class KnowledgeBase(ApiView):
    """All known parts."""

    parser_classes = PARSERS

    @extend_schema(parameters=[OpenApiParameter("type", str), OpenApiParameter("q", str)], responses=ANY)
    def get(self, request: Request) -> Response:
        """Parts of a type, or whose model or name contains a text; `type=link` for what links of a generation carry."""
        known, wanted = knowledge(), request.query_params
        kind, text = wanted.get("type", ""), wanted.get("q", "").casefold()
        parts = (part for part in known.parts if kind in ("", part.type))
        found = [part for part in parts if any(text in name.casefold() for name in (part.model, *part.names))]
        links = links_json() if kind in ("", "link") and not text else []
        return Response({"version": known.version, "parts": [part_json(part) for part in found], "links": links})

    @extend_schema(
        parameters=[OpenApiParameter("check", bool, description="true: judge it, keep nothing")],
        request=DOCUMENT, responses={200: ANY, 201: ANY, 422: ANY},
    )  # fmt: skip
    def post(self, request: Request) -> Response:
        """Add parts with their facts as the next version, or an operator's overrides. No release is needed."""
        text = cast(bytes, request.data or b"")
        if request.query_params.get("check") in ("1", "true"):
            return Response(upload_json(check_knowledge(text)))
        note = request.query_params.get("note", "")
        upload, version = add_knowledge(self.viewer(request), text, note=note, now_ms=clock.now_ms())
        return Response(upload_json(upload) | {"version": version}, status=status.HTTP_201_CREATED)


class KnowledgeLookup(ApiView):
    """One part by what a machine says of it."""

    @extend_schema(
        parameters=[OpenApiParameter(name, str) for name in ("type", "name", "pci_id", "memory_bytes")], responses=ANY
    )
    def get(self, request: Request) -> Response:
        """The part with that product name or alias, PCI id, or name completed by its memory size; else 404."""
        asked = request.query_params
        size = asked.get("memory_bytes", "")
        memory = int(size) if size.isdecimal() else None
        part = knowledge().find(asked.get("type", "gpu"), asked.get("name"), asked.get("pci_id"), memory)
        if part is None:
            raise UnknownKnowledge(
                f"{asked.get('type', 'gpu')} {asked.get('name') or asked.get('pci_id') or ''}".strip()
            )
        return Response(part_json(part))


class KnowledgeVersions(ApiView):
    """What was uploaded since the release."""

    @extend_schema(responses=ANY)
    def get(self, request: Request) -> Response:
        """Every upload, newest first; those withdrawn say when."""
        rows = [
            {
                "version": row.version, "digest": row.digest, "models": row.models, "note": row.note,
                "created_by": row.created_by, "created_ms": row.created_ms, "withdrawn_ms": row.withdrawn_ms,
            }
            for row in knowledge_versions()
        ]  # fmt: skip
        return Response({"in_force": knowledge().version, "versions": rows})


class KnowledgeWithdraw(ApiView):
    """One upload taken back."""

    @extend_schema(request=None, responses=ANY)
    def post(self, request: Request, version: int) -> Response:
        """Take its facts out of force; repeating it changes nothing."""
        return Response({"version": withdraw_knowledge(self.viewer(request), version, now_ms=clock.now_ms())})


class Overrides(ApiView):
    """Operators' own values."""

    @extend_schema(responses=ANY)
    def get(self, request: Request) -> Response:
        """Every override, newest first; those ended say when."""
        keys = ("id", "type", "vendor", "model", "dimension", "value", "reason", "created_ms", "ended_ms")
        return Response({"overrides": [{key: getattr(row, key) for key in keys} for row in overrides()]})


class Override(ApiView):
    """One value."""

    @extend_schema(responses=ANY)
    def delete(self, request: Request, override: UUID) -> Response:
        """End it: what is published or measured counts again."""
        return Response({"version": end_override(self.viewer(request), override, now_ms=clock.now_ms())})
