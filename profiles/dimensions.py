"""What can hardware give, in which unit, and under which names do people ask for it?

The one vocabulary of supply, demand, price, usage and heatmap. Amounts are integers in the
base unit of their dimension; limits are compared as written and may be fractions. `ADDITIVE`
is a fixed order (columns of the wide capacity row): append, never reorder. A name may be an
alias (`memory_bandwidth_gbps`), and the same alias can mean different dimensions on different
types of device; `_gbps` means GB/s, `_gb` is 10^9 bytes, `_gib` 2^30. Documents with units and
limits are read in `rcdl/`.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, Decimal, InvalidOperation
from difflib import get_close_matches
from enum import StrEnum
from functools import lru_cache

from profiles.errors import BadQuantity, UnknownCapability

DEVICE_TYPES = ("cpu", "memory", "gpu", "storage", "network", "link")
PPM = 1_000_000
KILO, MEGA, GIGA, TERA = 10**3, 10**6, 10**9, 10**12
GIBI = 2**30


class Kind(StrEnum):
    """How a dimension is compared: used up, measured against a limit, or contained in a list.

    What is only seen and priced (power) is never compared: nobody asks for it and nothing promises it.
    """

    ADDITIVE = "additive"
    THRESHOLD = "threshold"
    SET = "set"
    USAGE = "usage"


@dataclass(frozen=True, slots=True)
class Dimension:
    """One capability. `aliases` give base units per written 1; `scale` is base units per shown unit."""

    name: str
    title: str
    unit: str
    kind: Kind
    device_types: tuple[str, ...]
    aliases: Mapping[str, int] = field(default_factory=dict, hash=False)
    shown_unit: str = ""
    scale: int = 1
    billable: bool = False

    def show(self, amount: float) -> str:
        """The amount for people: 1555000000000 -> "1555 GB/s"."""
        value = f"{Decimal(str(amount)) / self.scale:.3f}".rstrip("0").rstrip(".")
        unit = self.shown_unit or self.unit
        return f"{value} {unit}" if unit not in ("", "%") else f"{value}{unit}"


def _bandwidth(*stems: str) -> dict[str, int]:
    per = {"gbps": GIGA, "mbps": MEGA, "bytes_per_second": 1}
    return {f"{stem}_{suffix}": scale for stem in stems for suffix, scale in per.items()}


def _bytes(*stems: str) -> dict[str, int]:
    per = {"gb": GIGA, "gib": GIBI, "mb": MEGA, "mib": 2**20, "tb": TERA, "tib": 2**40}
    return {f"{stem}_{suffix}": scale for stem in stems for suffix, scale in per.items()}


POWER = "power"
_SHOWN = {"bytes/s": ("GB/s", GIGA), "bytes": ("GiB", GIBI), "millicores": ("cores", 1000), "ppm": ("%", 10_000)}


def _additive(name: str, title: str, unit: str, types: tuple[str, ...], aliases: Mapping[str, int]) -> Dimension:
    shown_unit, scale = _SHOWN.get(unit, ("", 1))
    return Dimension(name, title, unit, Kind.ADDITIVE, types, aliases, shown_unit, scale, billable=True)


def _limit(name: str, title: str, unit: str, types: tuple[str, ...], *aliases: str) -> Dimension:
    return Dimension(name, title, unit, Kind.THRESHOLD, types, dict.fromkeys(aliases, 1))


def _unbilled(dimension: Dimension) -> Dimension:
    return replace(dimension, billable=False)


def _set(name: str, title: str, *aliases: str) -> Dimension:
    return Dimension(name, title, "", Kind.SET, DEVICE_TYPES, dict.fromkeys(aliases, 1))


_SM = {"sm_utilization": PPM, "sm_util": PPM, "sm": PPM, "gpu_sm_util": PPM}
_TENSOR = {"tensor_utilization": PPM, "tensor_core_util": PPM, "tensor": PPM}
_FABRIC = _bandwidth("nvlink_bandwidth", "fabric_bandwidth", "xgmi_bandwidth", "hccs_bandwidth")
_QUEUES = {"nvme_queues": 1, "queue_slots": 1, "queues": 1}
_COMPUTE = (
    ("fp64", "FP64"),
    ("fp64_tensor", "FP64 tensor"),
    ("fp32", "FP32"),
    ("fp16", "FP16"),
    ("tf32_tensor", "TF32 tensor"),
    ("fp16_tensor", "FP16 tensor", "fp16_matrix_tflops"),
    ("bf16_tensor", "BF16 tensor", "bf16_matrix_tflops"),
    ("fp8_tensor", "FP8 tensor", "fp8_matrix_tflops"),
)

DIMENSIONS: tuple[Dimension, ...] = (
    _additive("cpu_millicores", "CPU cores", "millicores", ("cpu",), {"cpu_cores": 1000, "cores": 1000}),
    _additive("memory_bytes", "Memory", "bytes", ("memory",), _bytes("memory", "host_memory", "capacity")),
    _additive(
        "memory_bandwidth", "Memory bandwidth", "bytes/s", ("memory",), _bandwidth("bandwidth", "memory_bandwidth")
    ),
    _additive("gpu_sm", "GPU compute (SM)", "ppm", ("gpu",), _SM),
    _additive("gpu_memory_bytes", "GPU memory", "bytes", ("gpu",), _bytes("memory", "gpu_memory", "hbm")),
    _additive(
        "hbm_bandwidth",
        "GPU memory bandwidth",
        "bytes/s",
        ("gpu",),
        {**_bandwidth("hbm_bandwidth", "memory_bandwidth", "bandwidth"), "mem_bw": 1, "hbm": 1, "memory_bandwidth": 1},
    ),
    _additive("nvlink_bandwidth", "NVLink bandwidth", "bytes/s", ("gpu", "link"), _FABRIC),
    _unbilled(_additive("gpu_tensor", "Tensor cores", "ppm", ("gpu",), _TENSOR)),
    _additive(
        "pcie_bandwidth", "PCIe bandwidth", "bytes/s", ("link", "gpu"), _bandwidth("pcie_bandwidth", "link_bandwidth")
    ),
    _additive("storage_bytes", "Storage", "bytes", ("storage",), _bytes("storage", "capacity")),
    _additive("storage_iops", "Storage IOPS", "io/s", ("storage",), {"iops": 1, "max_iops": 1, "nvme_iops": 1}),
    _additive(
        "storage_bandwidth", "Storage bandwidth", "bytes/s", ("storage",), _bandwidth("storage_bandwidth", "bandwidth")
    ),
    _additive("storage_queue_slots", "Storage queue slots", "slots", ("storage",), _QUEUES),
    _additive(
        "network_bandwidth", "Network bandwidth", "bytes/s", ("network",), _bandwidth("network_bandwidth", "bandwidth")
    ),
    _limit("sm_count", "SM count", "SMs", ("gpu",), "cu_count", "aicore_count"),
    _limit("compute_capability", "Compute capability", "version", ("gpu",), "version"),
    _limit("driver_version", "Driver version", "version", ("gpu",), "driver"),
    _limit("latency_us", "Latency", "us", ("storage", "network")),
    _limit("latency_ns", "Memory latency", "ns", ("memory",)),
    _limit("cores", "Cores", "cores", ("cpu",), "core_count"),
    _limit("threads", "Threads", "threads", ("cpu",)),
    _limit("ipc_baseline", "IPC baseline", "ipc", ("cpu",)),
    _limit("base_ghz", "Base clock", "GHz", ("cpu",)),
    _limit("boost_ghz", "Boost clock", "GHz", ("cpu",)),
    _limit("l3_mb", "L3 cache", "MB", ("cpu",)),
    _limit("specrate2017_int", "SPECrate 2017 integer", "points", ("cpu",)),
    _limit("queue_depth", "Queue depth", "entries", ("storage",)),
    _limit("write_iops", "Write IOPS", "IOPS", ("storage",)),
    _limit("write_mbps", "Write bandwidth", "MB/s", ("storage",)),
    *(_limit(f"{name}_tflops", title, "TFLOPS", ("gpu",), *other) for name, title, *other in _COMPUTE),
    _limit("int8_tops", "INT8", "TOPS", ("gpu",), "int8_tensor_tops"),
    _limit("l2_mb", "L2 cache", "MB", ("gpu",)),
    _limit("memory_bus_bits", "Memory bus", "bits", ("gpu",), "mem_bus_bits"),
    _limit("nvlink_links", "NVLink links", "links", ("gpu",)),
    _limit("mig_max", "MIG instances", "instances", ("gpu",)),
    _limit("tdp_w", "Power limit", "W", ("gpu", "cpu")),
    _set("vendor", "Vendor"),
    _set("model", "Model", "product", "name"),
    _set("interface", "Interface"),
    _set("numa_node", "NUMA node", "numa"),
    _set("pci_bus_id", "PCI address"),
    _set("upstream_pci_bus_id", "Upstream PCI address"),
    _set("nvlink_island", "NVLink island"),
    Dimension(POWER, "Power", "mW", Kind.USAGE, ("gpu", "cpu"), {}, "W", 1000),
)

BY_NAME: Mapping[str, Dimension] = {dimension.name: dimension for dimension in DIMENSIONS}
ADDITIVE: tuple[str, ...] = tuple(d.name for d in DIMENSIONS if d.kind is Kind.ADDITIVE)
BILLABLE: tuple[str, ...] = tuple(d.name for d in DIMENSIONS if d.billable)

# Unit as people write it -> (what it measures, base units per 1).
UNITS: Mapping[str, tuple[str, int]] = {
    **{f"{p}B/s": ("bytes/s", s) for p, s in (("", 1), ("k", KILO), ("M", MEGA), ("G", GIGA), ("T", TERA))},
    **{f"{p}iB/s": ("bytes/s", s) for p, s in (("M", 2**20), ("G", GIBI))},
    **{f"{p}b/s": ("bits/s", s) for p, s in (("M", MEGA), ("G", GIGA), ("T", TERA))},
    **{f"{p}B": ("bytes", s) for p, s in (("", 1), ("k", KILO), ("M", MEGA), ("G", GIGA), ("T", TERA))},
    **{f"{p}iB": ("bytes", s) for p, s in (("K", 2**10), ("M", 2**20), ("G", GIBI), ("T", 2**40))},
    **{f"{p}IOPS": ("io/s", s) for p, s in (("", 1), ("k", KILO), ("M", MEGA))},
    "io/s": ("io/s", 1),
    "cores": ("millicores", 1000),
    "core": ("millicores", 1000),
    "m": ("millicores", 1),
    "%": ("ppm", 10_000),
    "ppm": ("ppm", 1),
    "slots": ("slots", 1),
    "us": ("us", 1),
    "ms": ("us", 1000),
    "ns": ("ns", 1),
    **{unit: (unit, 1) for unit in ("TFLOPS", "TOPS", "GHz", "W", "bits")},
}
_QUANTITY = re.compile(r"\s*([+-]?[0-9][0-9_]*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?)\s*([A-Za-z%µ/]*)\s*")


def known_names(device_type: str | None = None) -> tuple[str, ...]:
    """Every name and alias that means something (on this type of device)."""
    asked = (d for d in DIMENSIONS if d.kind is not Kind.USAGE)
    fitting = (d for d in asked if device_type is None or device_type in d.device_types)
    return tuple(sorted({name for d in fitting for name in (d.name, *d.aliases)}))


def closest(name: str, known: Iterable[str], least: float = 0.6) -> str | None:
    """The known name most like `name`, if any is at least so alike."""
    found = get_close_matches(name.lower(), list(known), n=1, cutoff=least)
    return found[0] if found else None


def lookup(name: str, device_type: str | None = None) -> tuple[Dimension, int]:
    """The consumable dimension that `name` means and the base units per written 1.

    Additive dimensions win over limits of the same name: a demand for `cores` consumes cores.
    """
    return _find(name, device_type, (Kind.ADDITIVE, Kind.THRESHOLD, Kind.SET))


def attribute(name: str, device_type: str | None = None) -> tuple[Dimension, int]:
    """Like `lookup`, for constraints and described attributes: limits win (`min_cores: 8`)."""
    return _find(name, device_type, (Kind.THRESHOLD, Kind.SET, Kind.ADDITIVE))


@lru_cache(maxsize=4096)
def _find(name: str, device_type: str | None, kinds: tuple[Kind, ...]) -> tuple[Dimension, int]:
    fitting = [d for d in DIMENSIONS if device_type is None or device_type in d.device_types]
    for kind in kinds:
        for dimension in fitting:
            if dimension.kind is kind and name == dimension.name:
                return dimension, 1
        for dimension in fitting:
            if dimension.kind is kind and name in dimension.aliases:
                return dimension, dimension.aliases[name]
    raise UnknownCapability(name, device_type, closest(name, known_names(device_type)))


def convert(value: object, alias: str, device_type: str | None = None) -> tuple[Dimension, int]:
    """Base units of a number or a text with a unit: (1.5, "bandwidth_gbps", "memory") -> 1.5e9 bytes/s.

    Fractions of a base unit round up: a demand is never understated.
    """
    dimension, scale = lookup(alias, device_type)
    return dimension, to_base(value, dimension, scale)


def to_base(value: object, dimension: Dimension, scale: int) -> int:
    """`value` in base units of `dimension`; a plain number is taken as `scale` base units each."""
    return int(_amount(value, dimension, scale).to_integral_value(rounding=ROUND_CEILING))


def to_limit(value: object, dimension: Dimension, scale: int) -> int | float:
    """The same for what is compared and not used up: 19.5 TFLOPS stay 19.5."""
    amount = _amount(value, dimension, scale)
    return int(amount) if amount == amount.to_integral_value() else float(amount)


def _amount(value: object, dimension: Dimension, scale: int) -> Decimal:
    number, unit = split_quantity(value, dimension)
    amount = number * (unit_scale(unit, dimension, number) if unit else scale)
    if amount < 0 or amount >= 2**63:
        raise BadQuantity("out_of_range", str(value), "a value between 0 and 2^63", None)
    return amount


def split_quantity(value: object, dimension: Dimension) -> tuple[Decimal, str]:
    """The finite number and the unit text ("" when none) of what was written."""
    expected = f"a number, or a number with a unit ({dimension.shown_unit or dimension.unit})"
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | str):
        raise BadQuantity("wrong_type", type(value).__name__, expected, None)
    match = _QUANTITY.fullmatch(str(value)[:100])
    if match is None:
        raise BadQuantity("wrong_type", repr(value), expected, None)
    try:
        return Decimal(match.group(1).replace("_", "")), match.group(2).replace("µ", "u")
    except InvalidOperation:
        raise BadQuantity("wrong_type", repr(value), expected, None) from None


def unit_scale(unit: str, dimension: Dimension, number: Decimal = Decimal(1)) -> int:
    """Base units of `dimension` in one `unit`; a unit that measures something else is refused."""
    expected = dimension.shown_unit or dimension.unit
    if unit == dimension.unit:
        return 1
    if unit not in UNITS:
        raise BadQuantity("unknown_unit", unit, expected, _did_you_mean(unit))
    measures, scale = UNITS[unit]
    if measures == dimension.unit:
        return scale
    hint = None
    if measures == "bits/s" and dimension.unit == "bytes/s":
        octets = unit.replace("b", "B")
        hint = f"{number:f} {unit} is {(number / 8).normalize():f} {octets}: divide by 8"
    raise BadQuantity("unit_mismatch", unit, expected, hint)


def _did_you_mean(unit: str) -> str | None:
    if unit.casefold().endswith("bps"):
        return f"{unit[:-3]}B/s for bytes, {unit[:-3]}b/s for bits?"
    same = [known for known in UNITS if known.lower() == unit.lower()]
    found = same or get_close_matches(unit, list(UNITS), n=1, cutoff=0.5)
    return f"did you mean {found[0]}?" if found else None
