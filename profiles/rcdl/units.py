"""Is this number plausible for a part of that kind, and is its unit the right one?

A value more than 100 times above, or below a hundredth of, what known parts have is taken for
a slip of the unit (an error); above the fastest known part it is only a warning. The ranges
come from the knowledge base when an advisor is at hand, so a new part widens them at once;
KNOWN is what shipped with this release (a test holds the two together) and covers what no
part publishes. The low ends of what is shared out in small portions are set by the smallest
sensible portion and not by the smallest part: asking 50 IOPS of a drive is no slip.
"""

import re
from collections.abc import Mapping

from profiles.dimensions import GIBI, GIGA, MEGA, Dimension, Kind, split_quantity, to_base, to_limit, unit_scale
from profiles.errors import BadQuantity
from profiles.rcdl.problems import Findings, Spot

SLIP = 100
KNOWN: Mapping[str, tuple[float, float]] = {
    "cpu_millicores": (1000, 512_000),
    "memory_bytes": (GIBI // 2, 12 * 1024 * GIBI),
    "memory_bandwidth": (5 * GIGA, 576 * GIGA),
    "gpu_memory_bytes": (2 * GIGA, 256 * GIGA),
    "hbm_bandwidth": (100 * GIGA, 8_000 * GIGA),
    "nvlink_bandwidth": (20 * GIGA, 1_800 * GIGA),
    "pcie_bandwidth": (GIGA // 4, 121 * GIGA),
    "storage_bytes": (GIGA, 256_000 * GIGA),
    "storage_iops": (50, 1_500_000),
    "storage_bandwidth": (50 * MEGA, 7_200 * MEGA),
    "storage_queue_slots": (1, 65_536),
    "network_bandwidth": (10 * MEGA, 100 * GIGA),
    "sm_count": (1, 304),
    "latency_us": (1, 50_000),
    "latency_ns": (20, 2_000),
    "cores": (1, 128),
    "threads": (1, 256),
    "base_ghz": (0.5, 3.0),
    "boost_ghz": (0.5, 4.1),
    "fp32_tflops": (1, 163.4),
    "fp16_tensor_tflops": (10, 2_500),
}
_DURATION = re.compile(r"\s*([0-9]{1,12})\s*(ms|s|m)\s*")
_DURATION_MS = {"ms": 1, "s": 1000, "m": 60_000}


def amount(value: object, dimension: Dimension, scale: int, spot: Spot, findings: Findings) -> int | None:
    """What is used up, in base units, checked; None after an error."""
    found = quantity(value, dimension, scale, spot, findings)
    return None if found is None else int(found)


def quantity(value: object, dimension: Dimension, scale: int, spot: Spot, findings: Findings) -> int | float | None:
    """The value in base units, checked (a limit may be a fraction); None after an error."""
    convert = to_base if dimension.kind is Kind.ADDITIVE else to_limit
    try:
        _unit_must_agree(value, dimension, scale)
        base = convert(value, dimension, scale)
    except BadQuantity as fault:
        findings.error(spot, fault.code, fault.expected, fault.found, fault.suggestion)
        return None
    _plausible(base, dimension, spot, findings)
    return base


def _unit_must_agree(value: object, dimension: Dimension, scale: int) -> None:
    """`bandwidth_gbps: 120 MB/s` says two different things."""
    number, unit = split_quantity(value, dimension)
    if not unit or dimension.kind is not Kind.ADDITIVE:
        return
    if scale not in (1, unit_scale(unit, dimension, number)):
        hint = f"write {dimension.name}: {value}, or convert the number"
        raise BadQuantity("unit_mismatch", unit, "the unit in the key's name", hint)


def _plausible(base: int | float, dimension: Dimension, spot: Spot, findings: Findings) -> None:
    low, high = known_range(dimension.name, findings)
    if base <= high and base * SLIP >= low:
        return
    shown = dimension.show(base)
    if base > high * SLIP or 0 < base * SLIP < low:
        parts = f"something like {dimension.show(low)} to {dimension.show(high)}"
        times = f"{base / high:.0f} x the largest known part" if base > high else "far below the smallest known part"
        hint = f"that is {times}: which unit is meant? Write it after the number"
        findings.error(spot, "unit_slip", parts, shown, hint)
    elif base > high:
        findings.warning(spot, "unit_slip", f"at most {dimension.show(high)}, the largest known part", shown)


def known_range(name: str, findings: Findings) -> tuple[float, float]:
    """The release's range, widened by what was learned since."""
    low, high = KNOWN.get(name, (0, 2**63))
    if name in KNOWN and findings.advisor is not None:
        seen = findings.advisor.ranges.get(name, (low, high))
        return min(low, seen[0]), max(high, seen[1])
    return low, high


def duration_ms(text: str) -> int | None:
    """ "30s" -> 30000; None when it is no duration with a unit."""
    match = _DURATION.fullmatch(text)
    return int(match.group(1)) * _DURATION_MS[match.group(2)] if match else None
