"""Which GPUs of a machine are joined by NVLink (or its like), directly or through one another?"""

from collections.abc import Mapping

from alldata.agent.wire import Register

ISLAND = "nvlink_island"


def islands(message: Register) -> Mapping[str, str]:
    """GPU -> its island's number, counted in the order of the message; a GPU without links is in none."""
    joined: dict[str, set[str]] = {}
    for link in message.links:
        if link.kind == "nvlink":
            both = joined.get(link.a, {link.a}) | joined.get(link.b, {link.b})
            joined |= dict.fromkeys(both, both)
    found: dict[str, str] = {}
    for device in message.devices:
        if device.type == "gpu" and device.uuid in joined and device.uuid not in found:
            number = str(len(set(found.values())))
            found |= dict.fromkeys(joined[device.uuid], number)
    return found
