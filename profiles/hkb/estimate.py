"""What may be said of a part that nobody listed? Only what its class and its own measured facts carry.

Conservative by construction: the least that any known part of the class gives for the same
measured fact. No class, no estimate: the value stays missing. Every estimate names its class.
"""

from profiles.hkb.lookup import Knowledge, normal
from profiles.hkb.parts import Fact, Part


def socket_bandwidth(known: Knowledge, vendor: str, product: str | None, cores: int) -> Fact | None:
    """Memory bandwidth beside `cores` cores of a processor newer than the knowledge base.

    The class is the maker's family (epyc, xeon), else all the maker's processors.
    """
    made = [part for part in known.parts if part.type == "cpu" and part.vendor == vendor]
    family = normal(product or "").split("-")[0]
    alike = [part for part in made if part.model.split("-")[0] == family]
    name, alike = (family, alike) if alike else (vendor, made)
    rates = [
        bandwidth / known_cores
        for part in alike
        if (bandwidth := part.number("memory_bandwidth")) and (known_cores := part.number("cores"))
    ]
    if not rates or cores <= 0:
        return None
    basis = f"the least of {len(rates)} known {name} processors, by core"
    return Fact(int(min(rates) * cores), "class", basis)


def card_bandwidth(known: Knowledge, vendor: str, generation: str, memory: int | None) -> Fact | None:
    """Memory bandwidth of a card known only by its compute capability and the size of its memory."""
    alike = [
        part for part in known.parts if part.type == "gpu" and part.vendor == vendor and _made_as(part, generation)
    ]
    rates = [
        bandwidth / size
        for part in alike
        if (bandwidth := part.number("hbm_bandwidth")) and (size := part.number("gpu_memory_bytes"))
    ]
    if not rates or not memory:
        return None
    least = min(bandwidth for part in alike if (bandwidth := part.number("hbm_bandwidth")))
    basis = f"the least of {len(rates)} known cards of compute capability {generation}, by byte of memory"
    return Fact(int(min(min(rates) * memory, least)), "class", basis)


def _made_as(part: Part, generation: str) -> bool:
    fact = part.facts.get("compute_capability")
    return fact is not None and str(fact.value) == generation
