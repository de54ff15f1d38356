"""How much is asked of a device, and is that much there? Integer arithmetic on amounts."""

from collections.abc import Mapping

from profiles.dimensions import PPM
from scheduling.crater.model import Amounts, Device, Need

CORE = 1000
CPU, MEMORY = "cpu_millicores", "memory_bytes"
#: A device that says `none` here cannot keep two jobs apart (no MPS limits, not a slice): it is held whole.
ISOLATION = "isolation"
#: What a job holds of such a card, however little it asked for.
HELD_WHOLE = ("gpu_sm", "gpu_memory_bytes")


def ceil_div(numerator: int, denominator: int) -> int:
    """Integer division that rounds up."""
    return -(-numerator // denominator)


def asked(need: Need, device: Device) -> dict[str, int]:
    """Absolute amounts that `need` takes from `device`; a card that cannot isolate a share is taken whole."""
    amounts = wanted(need, device)
    if not isolates(device):
        whole = {name: device.capacity[name] for name in HELD_WHOLE if device.capacity.get(name)}
        amounts |= {name: max(amounts.get(name, 0), amount) for name, amount in whole.items()}
    return amounts


def wanted(need: Need, device: Device) -> dict[str, int]:
    """The amounts as they are asked for: shares of the device's capacity round up.

    Where the device names its cores, whole cores are taken, so that each can be pinned.
    """
    amounts = dict(need.amounts)
    for name, share in need.shares.items():
        part = ceil_div(device.capacity.get(name, 0) * share, PPM)
        amounts[name] = max(amounts.get(name, 0), part)
    if names_cores(device) and amounts.get(CPU):
        whole = ceil_div(amounts[CPU], CORE) * CORE
        amounts[CPU] = max(amounts[CPU], min(whole, device.capacity.get(CPU, 0)))
    return amounts


def names_cores(device: Device) -> bool:
    """Whether jobs get cores by number here, whatever is free of them."""
    return device.pins or bool(device.cpus)


def isolates(device: Device) -> bool:
    """Whether parts of the device may be given to different jobs."""
    return device.attributes.get(ISOLATION) != "none"


def minus(have: Amounts, taken: Amounts) -> dict[str, int]:
    """What is left of `have`."""
    return {name: amount - taken.get(name, 0) for name, amount in have.items()}


def left_over(device: Device, free: Amounts, taken: Amounts) -> float:
    """Mean share of the device's asked capabilities that stays unused: 0 is a perfect fit."""
    parts = [
        (free[name] - amount) / device.capacity[name] for name, amount in taken.items() if device.capacity.get(name)
    ]
    return sum(parts) / len(parts) if parts else 0.0


def frozen(amounts: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    """A hashable, ordered copy."""
    return tuple(sorted(amounts.items()))
