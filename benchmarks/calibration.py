"""Were promises kept as often as they said? The calibration table and the Brier score."""

from collections.abc import Sequence

from benchmarks.cases import Case

BINS = 10


def calibration(cases: Sequence[Case]) -> list[dict[str, float]]:
    """Mean promise and share kept, by tenths of the promise."""
    bins: dict[int, list[Case]] = {}
    for case in cases:
        if case.promised is not None:
            bins.setdefault(min(BINS - 1, int(case.promised * BINS)), []).append(case)
    return [
        {
            "promised": round(sum(case.promised or 0.0 for case in found) / len(found), 4),
            "met": round(sum(case.kept for case in found) / len(found), 4),
            "n": len(found),
        }
        for _, found in sorted(bins.items())
    ]


def brier(cases: Sequence[Case]) -> dict[str, float]:
    """Mean squared error of the promises, beside always promising the base rate."""
    known = [(case.promised, float(case.kept)) for case in cases if case.promised is not None]
    rate = sum(kept for _, kept in known) / len(known)
    score = sum((promised - kept) ** 2 for promised, kept in known) / len(known)
    return {
        "score": round(score, 4),
        "base_rate": round(rate, 4),
        "base_rate_score": round(rate * (1 - rate), 4),
        "promises": len(known),
        "not_promised_for_lack_of_history": len(cases) - len(known),
    }
