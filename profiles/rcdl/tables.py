"""Which keys may stand where, and which words are known? Read by the parser and by the schema alike."""

import re

from profiles.dimensions import DEVICE_TYPES, Kind, attribute, known_names, lookup

BODY = (
    "resources", "components", "alignment", "grace_period", "scheduling", "cost_model", "serving", "lru",
)  # fmt: skip
TOP = ("kind", "name", "version", "description", "modes", "alternatives")
SUPPLY = ("kind", "name", "version", "description", "resources")
KINDS = ("supply", "demand", "profile")
RESOURCE = ("type", "name", "count", "constraints", "capabilities")
COMPONENT = ("name", "count", "resources", "alignment")
CAPABILITY = ("name", "target", "amount", "max")
PART = ("name", "type", "vendor", "model", "attributes")
ALIGNMENT = ("same", "spread", "allow_cross_numa")
SCHEDULING = ("priority_class", "deadline_policy", "policy")
#: key -> (more than, at most)
SERVING = {
    "qps": (0, 1e7),
    "p50_ms_max": (0, 3.6e6),
    "p99_ms_max": (0, 3.6e6),
    "min_accuracy": (0, 1),
    "max_error_rate": (-1e-12, 1),
}
RATES = ("gpu_hour", "cpu_core_hour", "memory_gb_hour", "storage_tb_hour", "network_gb_hour", "storage_iops_hour")
COST = ("currency", *RATES)
LRU = ("name", "unit", "count")

PRIORITIES = ("low", "normal", "high", "urgent")
DEADLINES = ("soft", "hard")
POLICIES = ("fifo", "deadline_aware", "fair_share", "cost_min")
SAME = ("numa", "pcie_root", "nvlink_island", "node")
SPREAD = ("node", "device")
FORMS = ("min", "max", "regex", "one_of", "equals")

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
VERSION = re.compile(r"(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})")
CURRENCY = re.compile(r"[A-Z]{3}")
MOST_DEVICES, MOST_GRACE_MS, MOST_MODES, MOST_RUNGS, MOST_RESOURCES = 4096, 3_600_000, 16, 16, 1024


def capability_names(kind: str) -> tuple[str, ...]:
    """Every name that a capability of this type of device may go by: what is used up, or has a ceiling."""
    return tuple(name for name in known_names(kind) if lookup(name, kind)[0].kind is not Kind.SET)


def constraint_names(kind: str) -> tuple[str, ...]:
    """Every key that `constraints` of this type of device may have."""
    known = known_names(kind)
    limited = (name for name in known if attribute(name, kind)[0].kind is not Kind.SET or name in ("numa", "numa_node"))
    return (*known, *(f"{prefix}_{name}" for name in limited for prefix in ("min", "max")))


def attribute_names(kind: str) -> tuple[str, ...]:
    """Every key that `attributes` of a described device of this type may have."""
    return known_names(kind)


def unit_names() -> tuple[str, ...]:
    """Every name that the unit of an LRU may hold: what is used up, whatever holds it."""
    names = (name for kind in DEVICE_TYPES for name in known_names(kind))
    return tuple(sorted({name for name in names if lookup(name)[0].kind is Kind.ADDITIVE}))
