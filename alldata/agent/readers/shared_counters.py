"""How many devices can be given out together when they draw on shared counters?"""

from typing import Any

from alldata.agent.readers.quantities import bytes_of

Item = dict[str, Any]


def most_at_once(specs: list[Item], devices: list[Item]) -> int:
    """How many devices the shared counters let be given out together, the most modest first."""
    left: dict[tuple[str, str], int] = {}
    for spec in specs:
        for group in spec.get("sharedCounters") or ():
            for name, counter in (group.get("counters") or {}).items():
                left[group.get("name"), name] = bytes_of(str(counter.get("value"))) or 0
    given = 0
    for wanted in sorted((_drawn(device) for device in devices), key=lambda draws: sum(draws.values())):
        if all(left.get(key, 0) >= amount for key, amount in wanted.items()):
            left |= {key: left[key] - amount for key, amount in wanted.items()}
            given += 1
    return given


def _drawn(device: Item) -> dict[tuple[str, str], int]:
    found = {}
    for draw in (device.get("basic") or device).get("consumesCounters") or ():
        for name, counter in (draw.get("counters") or {}).items():
            found[draw.get("counterSet"), name] = bytes_of(str(counter.get("value"))) or 0
    return found
