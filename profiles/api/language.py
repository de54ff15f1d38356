"""/api/v1/rcdl: the schema of the language, and judging a document without keeping it."""

from typing import cast

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from alldata.tenancy.api import ApiView
from profiles.api.parsers import ANY, DOCUMENT, PARSERS
from profiles.hkb.advice import HardwareAdvisor
from profiles.rcdl.parse import PROFILE_BYTES, parse
from profiles.rcdl.schema import schema
from profiles.selectors.knowledge import knowledge


class LanguageSchema(APIView):
    """Open to everybody: editors fetch it while one writes."""

    authentication_classes: tuple[()] = ()
    permission_classes: tuple[()] = ()

    @extend_schema(responses=ANY, auth=[])
    def get(self, request: Request) -> Response:
        """RCDL as JSON Schema 2020-12, made from the tables that the parser reads."""
        return Response(schema(), headers={"Cache-Control": "public, max-age=3600"})


class LanguageCheck(ApiView):
    """A second reader for a document."""

    parser_classes = PARSERS

    @extend_schema(request=DOCUMENT, responses=ANY)
    def post(self, request: Request) -> Response:
        """`{valid, kind, errors, warnings}` as `alldata rcdl check --json` answers, with today's hardware knowledge."""
        advisor = HardwareAdvisor(knowledge())
        return Response(parse(cast(bytes, request.data or b""), advisor, most_bytes=PROFILE_BYTES).as_json())
