"""Files kept by content: one directory, sha256 names, written once, never changed."""

import hashlib
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from alldata.kernel.ids import uuid7

CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Blob:
    """A stored content."""

    sha256: str
    size: int


class BlobStore:
    """A directory of contents. Safe for many writers; storing twice stores once."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def put(self, source: Path) -> Blob:
        """Keep a copy of the file. OSError when it cannot be read or written."""
        self.root.mkdir(parents=True, exist_ok=True)
        temporary = self.root / f".{uuid7()}"
        try:
            shutil.copyfile(source, temporary)
            digest = hashlib.sha256()
            with temporary.open("rb") as file:
                while chunk := file.read(CHUNK):
                    digest.update(chunk)
            blob = Blob(digest.hexdigest(), temporary.stat().st_size)
            target = self.path(blob.sha256)
            target.parent.mkdir(exist_ok=True)
            os.replace(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)
        return blob

    def path(self, sha256: str) -> Path:
        """Where the content lies (it may not exist)."""
        return self.root / sha256[:2] / sha256
