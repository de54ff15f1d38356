"""Turn a cloud's CSV list into a price list of ours: instances divided into parts, converted once.

The cheapest instance of a GPU model prices that model; cores, memory and storage are priced per
amount by the first instance without a GPU (or the first of all).
"""

from dataclasses import dataclass

from costing.errors import BadPriceBook
from costing.models import ExchangeRate as RateRow
from costing.pricing import PriceLine
from costing.pricing.cloud import BadRow, Instance, Parts, parts_of, read_list
from costing.pricing.exchange import ExchangeRate, converted, rate_at
from costing.services.lists import PriceList, check_weights, digest_of, read_mode

GPU_WEIGHTS = {"gpu_sm": 400_000, "hbm_bandwidth": 350_000, "gpu_memory_bytes": 200_000, "pcie_bandwidth": 50_000}
GIB = 2**30


@dataclass(frozen=True, slots=True)
class CloudList:
    """What to make of a CSV. `gpu_weights` divide a GPU's rate between its capabilities."""

    name: str
    currency: str
    text: str
    source: str
    charge_mode: str = "consumption"
    gpu_weights: dict[str, int] | None = None


def read_cloud_list(asked: CloudList, *, now_ms: int) -> PriceList:
    """A price list from a CSV. Errors: BadPriceBook, BadAmount."""
    try:
        instances = read_list(asked.text)
    except BadRow as fault:
        raise BadPriceBook(f"line {fault.line}", fault.expected) from None
    if not instances:
        raise BadPriceBook("line 2", "at least one instance")
    rates = {i.currency: _rate(i.currency, asked.currency, now_ms=now_ms) for i in instances}
    priced = [_in_our_currency(i, rates[i.currency]) for i in instances]
    weights = check_weights("gpu", asked.gpu_weights or GPU_WEIGHTS)
    lines = (*_gpu_lines(priced, weights), *_host_lines(priced))
    used = [rate for code, rate in sorted(rates.items()) if code != asked.currency]
    return PriceList(
        name=asked.name,
        currency=asked.currency,
        charge_mode=read_mode(asked.charge_mode),
        source=asked.source,
        example=False,
        bills_proxy=True,
        lines=lines,
        digest=digest_of([asked.text, asked.currency, asked.charge_mode, weights, [r.nano_per_unit for r in used]]),
        facts={"exchange": [[r.base, r.quote, r.as_of_ms, r.nano_per_unit] for r in used]},
    )


def _rate(base: str, quote: str, *, now_ms: int) -> ExchangeRate:
    rows = RateRow.objects.filter(base=base, quote=quote).values_list("base", "quote", "as_of_ms", "nano_per_unit")
    rate = rate_at([ExchangeRate(*row) for row in rows], base, quote, now_ms)
    if rate is None:
        raise BadPriceBook("currency", f"an exchange rate {base}/{quote} known by now")
    return rate


def _in_our_currency(instance: Instance, rate: ExchangeRate) -> tuple[Instance, Parts]:
    fields = {name: getattr(instance, name) for name in Instance.__slots__}
    nano = converted(instance.hourly_nano, rate)
    mine = Instance(**fields | {"hourly_nano": nano, "currency": rate.quote})
    return mine, parts_of(mine)


def _gpu_lines(priced: list[tuple[Instance, Parts]], weights: dict[str, int]) -> list[PriceLine]:
    cheapest: dict[str, int] = {}
    for instance, parts in priced:
        if instance.gpus:
            known = cheapest.get(instance.gpu_model, parts.one_gpu)
            cheapest[instance.gpu_model] = min(known, parts.one_gpu)
    return [PriceLine("gpu", model, "", 1, nano, weights) for model, nano in sorted(cheapest.items())]


def _host_lines(priced: list[tuple[Instance, Parts]]) -> list[PriceLine]:
    instance, parts = next(((i, p) for i, p in priced if not i.gpus), priced[0])
    lines = [PriceLine("cpu", "", "cpu_millicores", instance.vcpus * 1000, parts.cpu, {"cpu_millicores": 1_000_000})]
    if instance.memory_gib:
        weights = {"memory_bytes": 1_000_000}
        lines.append(PriceLine("memory", "", "memory_bytes", instance.memory_gib * GIB, parts.memory, weights))
    if instance.storage_gib:
        weights = {"storage_iops": 600_000, "storage_bandwidth": 400_000}
        lines.append(PriceLine("storage", "", "storage_bytes", instance.storage_gib * GIB, parts.storage, weights))
    return lines
