"""Static files under names that change with their content, so that browsers keep them for ever."""

from typing import Any

from whitenoise.compress import Compressor
from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc] # whitenoise ships no types
    """Gzip only: Brotli would take most of a minute of a first start to save a few kB."""

    def create_compressor(self, **options: Any) -> Compressor:
        return Compressor(**{**options, "use_brotli": False})
