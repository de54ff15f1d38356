"""What is used and has no idle: energy. Its price is that of what was measured, divided between who used it. Pure."""

from collections.abc import Callable, Mapping

from alldata.kernel.money import hamilton
from costing.rating.buckets import Bucket, Line


def rate_usage(whole: int, used: Mapping[str, int], price: Callable[[int], int]) -> list[Line]:
    """The attempts' parts of a quantity and the rest, the system's: they sum to it, and their money to its price."""
    keys = sorted(used)
    shares = [*(used[key] for key in keys), whole - sum(used.values())]
    nanos = hamilton(price(whole), shares) if whole else [0] * len(shares)
    lines = [Line(Bucket.USED, key, q, nano) for key, q, nano in zip(keys, shares, nanos, strict=False)]
    return [line for line in (*lines, Line(Bucket.SYSTEM, None, shares[-1], nanos[-1])) if line.q or line.nano]
