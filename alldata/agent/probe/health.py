"""May this card be used? Driver floor, lost or waiting for a reset, memory rows that failed, Xid errors seen.

A card below its driver's floor stays usable for nobody: it is degraded with the reason, and its bandwidths count as
unknown, for such drivers answer them wrongly or not at all.
"""

from collections.abc import Mapping

from alldata.agent.probe.nvml import Answer, Nvml
from alldata.agent.wire import Capacity, Health

#: Below these drivers the readings of a card cannot be trusted.
FLOORS = {"A100": (510, 47, 3), "A800": (510, 47, 3), "": (470, 82, 1)}
_DEAD = {"gpu_is_lost", "reset_required"}
#: Xids after which a card must not be given out until it was reset; the others are a job's own fault or a warning.
DEADLY_XIDS = frozenset({48, 62, 64, 74, 79, 94, 95, 110, 119, 120, 136, 140, 143, 154})
FALLEN_OFF_THE_BUS = 79
_BANDWIDTHS = ("hbm_bandwidth", "pcie_bandwidth", "nvlink_bandwidth")


def health_for(reason: str) -> Health:
    return "lost" if reason in _DEAD else "degraded"


def version_of(text: str) -> tuple[int, ...]:
    """`580.159.04` as numbers; empty where it is not a version."""
    parts = text.split(".")
    return tuple(int(part) for part in parts) if all(part.isdecimal() for part in parts) else ()


def below_floor(model: str, driver: str) -> str | None:
    """The reason when the driver is older than this card needs."""
    floor = next(least for mark, least in FLOORS.items() if mark in model)
    return f"driver_below_{'.'.join(map(str, floor))}" if (version_of(driver) or (0,)) < floor else None


def health(nvml: Nvml, handle: object, uuid: Answer, xid: int | None) -> tuple[Health, str | None]:
    """Apart from the driver's age: what the card itself and the driver's events say."""
    if uuid.reason:
        return health_for(uuid.reason), uuid.reason
    if xid in DEADLY_XIDS:
        return ("lost" if xid == FALLEN_OFF_THE_BUS else "degraded"), f"xid_{xid}"
    rows = nvml.ask("DeviceGetRemappedRows", handle).value
    if rows:
        _correctable, _uncorrectable, pending, failed = rows
        if failed:
            return "degraded", "memory_row_remapping_failed"
        if pending:
            return "degraded", "memory_row_remapping_needs_reset"
    return "ok", None


def without_bandwidths(capacities: Mapping[str, Capacity], reason: str) -> dict[str, Capacity]:
    """The same with every bandwidth unknown for that reason."""
    gap = Capacity(None, "driver", "missing", reason=reason)
    return {name: gap if name in _BANDWIDTHS else value for name, value in capacities.items()}
