"""What do a cloud instance's parts cost? Its price divided by base prices, to the last nano. Pure.

A list has one row an instance type: `instance, gpu_model, gpus, vcpus, memory_gib, storage_gib,
hourly, currency`. Base prices say how dear a part is beside the others, not what it costs.
"""

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass

from alldata.kernel.money import hamilton, parse_nano

COLUMNS = ("instance", "gpu_model", "gpus", "vcpus", "memory_gib", "storage_gib", "hourly", "currency")
#: Relative price of one GPU, one vCPU, one GiB of memory, one GiB of local storage.
BASE: Mapping[str, int] = {"gpu": 950_000, "cpu": 31_611, "memory": 4_237, "storage": 55}


class BadRow(ValueError):
    """A row of a list cannot be read: line number (the header is 1) and what was expected."""

    def __init__(self, line: int, expected: str) -> None:
        super().__init__(line, expected)
        self.line, self.expected = line, expected


@dataclass(frozen=True, slots=True)
class Instance:
    """One instance type at its hourly price."""

    name: str
    gpu_model: str
    gpus: int
    vcpus: int
    memory_gib: int
    storage_gib: int
    hourly_nano: int
    currency: str


@dataclass(frozen=True, slots=True)
class Parts:
    """Nano per hour: of one GPU, and of all cores, all memory, all storage together."""

    one_gpu: int
    cpu: int
    memory: int
    storage: int


def read_list(text: str) -> list[Instance]:
    """The rows of a CSV list (RFC 4180, BOM allowed). Errors: BadRow, BadAmount."""
    reader = csv.DictReader(io.StringIO(text.lstrip("\ufeff")))
    missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
    if missing:
        raise BadRow(1, "columns " + ", ".join(missing))
    return [_instance(line, row) for line, row in enumerate(reader, start=2)]


def _instance(line: int, row: Mapping[str, str]) -> Instance:
    gpus, vcpus, memory, storage = (
        _count(line, name, row[name]) for name in ("gpus", "vcpus", "memory_gib", "storage_gib")
    )
    currency = (row["currency"] or "").strip().upper()
    if len(currency) != 3 or not currency.isalpha():
        raise BadRow(line, "currency of three letters")
    nano = parse_nano((row["hourly"] or "").strip())
    if nano < 0 or vcpus < 1:
        raise BadRow(line, "hourly of at least 0 and at least one vCPU")
    return Instance(row["instance"].strip(), row["gpu_model"].strip(), gpus, vcpus, memory, storage, nano, currency)


def _count(line: int, name: str, text: str | None) -> int:
    if not (text or "").strip().isdecimal():
        raise BadRow(line, f"{name} as a whole number")
    return int((text or "").strip())


def parts_of(instance: Instance, base: Mapping[str, int] = BASE) -> Parts:
    """The price divided: gpus x one_gpu + cpu + memory + storage is the price, each at least 0."""
    amounts = {
        "gpu": instance.gpus,
        "cpu": instance.vcpus,
        "memory": instance.memory_gib,
        "storage": instance.storage_gib,
    }
    gpu, cpu, memory, storage = hamilton(instance.hourly_nano, [base[name] * amounts[name] for name in amounts])
    one = gpu // instance.gpus if instance.gpus else 0
    return Parts(one, cpu + gpu - one * instance.gpus, memory, storage)
