"""Which reader fits a file? Told by content alone, never by the file's name.

`read_path` gives a Reading for anything: what no reader knows, or what breaks one, comes back as a complaint with the
file's name and, where there is one, the line.
"""

import gzip
import re
import tarfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from alldata.agent.readers import (
    archive,
    cpuinfo,
    dcgm,
    dmidecode,
    hwloc,
    ibstat,
    kmsg,
    lsblk,
    lscpu,
    lspci,
    manifest,
    npu_smi,
    numactl,
    nvme_controller,
    nvme_list,
    rocm,
    slurm,
    smi_csv,
    smi_error,
    smi_list,
    smi_xml,
    sysfs,
    topo,
)
from alldata.agent.readers.document import MAX_BYTES, Document
from alldata.agent.readers.records import Complaint, Reading

_NOBODY = "no reader knows this kind of file"
#: Outputs that are read in another form.
_NEARLY = (
    (r"^apiVersion:", "Kubernetes YAML is not read: save it with -o json"),
    (r"^=+NVSMI LOG=+", "nvidia-smi's text is not read: save it with -q -x"),
    (r"^Node\s+(Generic\s+)?SN\s+Model", "nvme's table is not read: save it with -o json"),
    (r"^[\s|+-]*\[?[0-9a-f]{4}:[0-9a-f]{2}\]-\+-", "lspci's tree is not read: save it with -nn alone"),
)
_GZIP = b"\x1f\x8b"
#: What a reader may trip over in a damaged file; the file is then reported, the others still load.
_BROKEN = (ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError)


class Reader(NamedTuple):
    """`recognises` looks at the text; the first reader that says yes reads it."""

    recognises: Callable[[Document], bool]
    read: Callable[[Document], Reading]


#: The most particular first: a log may quote a table, a table never quotes a log.
READERS = tuple(
    Reader(module.recognises, module.read)
    for module in (
        smi_xml,
        hwloc,
        manifest,
        nvme_list,
        lsblk,
        nvme_controller,
        rocm,
        npu_smi,
        dcgm,
        kmsg,
        topo,
        smi_list,
        slurm,
        numactl,
        lscpu,
        cpuinfo,
        dmidecode,
        ibstat,
        lspci,
        smi_csv,
        smi_error,
    )
)


def read_path(path: Path, node: str = "imported") -> Reading:
    """Everything the file or folder says; `node` names the machine of a recorded tree. Errors: OSError."""
    name = str(path)
    try:
        if path.is_dir():
            return sysfs.read(archive.tree_in(path), node)
        if tarfile.is_tarfile(path):
            with archive.unpacked(path) as tree:
                return sysfs.read(tree, node)
        return _read_text(Document.of(name, _content(path)), node)
    except archive.Unfit as fault:
        return Reading("unknown", complaints=(Complaint(name, 0, str(fault)),))
    except _BROKEN as fault:
        return Reading("unknown", complaints=(Complaint(name, 0, f"damaged: {type(fault).__name__}: {fault}"),))


def _content(path: Path) -> bytes:
    with open(path, "rb") as file:
        raw = file.read(MAX_BYTES + 1)
    if raw.startswith(_GZIP):
        try:
            with gzip.open(path) as file:
                raw = file.read(MAX_BYTES + 1)
        except (EOFError, zlib.error, gzip.BadGzipFile) as fault:
            raise archive.Unfit(f"not sound gzip: {fault}") from None
    if len(raw) > MAX_BYTES:
        raise archive.Unfit(f"larger than {MAX_BYTES >> 20} MiB")
    return raw


def _read_text(document: Document, node: str) -> Reading:
    if not document.text.strip():
        return Reading("unknown", complaints=(document.complaint(0, "the file is empty"),))
    table = archive.table_of(document)
    if table:
        with archive.laid_out(table) as tree:
            return sysfs.read(tree, node)
    return read_document(document)


def read_document(document: Document) -> Reading:
    """The first fitting reader's answer. Errors: any of _BROKEN, where the text is damaged."""
    reader = next((reader for reader in READERS if reader.recognises(document)), None)
    if reader is None:
        first = next((n for n, line in enumerate(document.lines, 1) if line.strip()), 0)
        hint = next((hint for mark, hint in _NEARLY if re.search(mark, document.text, re.MULTILINE)), _NOBODY)
        return Reading("unknown", complaints=(document.complaint(first, hint),))
    return reader.read(document)
