"""Bodies that are documents reach the reader as they were written, so that errors can name their lines."""

from collections.abc import Mapping
from typing import IO, Any

from drf_spectacular.types import OpenApiTypes
from rest_framework.parsers import BaseParser

from profiles.rcdl.parse import PROFILE_BYTES

ANY = OpenApiTypes.OBJECT
DOCUMENT = {"application/yaml": OpenApiTypes.STR, "application/json": ANY}


class YamlParser(BaseParser):
    """The document as it was written.

    DRF hands on whatever is returned here; its stubs know only maps.
    """

    media_type = "application/yaml"

    def parse(  # type: ignore[override]
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> bytes:
        # One byte more than allowed is enough for the reader to refuse it.
        text: bytes = stream.read(PROFILE_BYTES + 1)
        return text


class JsonTextParser(YamlParser):
    media_type = "application/json"


class PlainTextParser(YamlParser):
    media_type = "text/*"


class XYamlParser(YamlParser):
    media_type = "application/x-yaml"


PARSERS = [YamlParser, JsonTextParser, PlainTextParser, XYamlParser]
