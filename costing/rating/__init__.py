"""What is a span of a device's capability worth, and to whom? Pure: buckets, spans, tracks."""

from costing.rating.buckets import Bucket, Evidence, Holding, Line, Slice, price_nano, rate_slice
from costing.rating.spans import Piece, bridged, clipped, covered_ms, gaps, merged, overlap, resolved
from costing.rating.tracks import Sharers, Track, divided
from costing.rating.usage import rate_usage

__all__ = [
    "Bucket",
    "Evidence",
    "Holding",
    "Line",
    "Piece",
    "Sharers",
    "Slice",
    "Track",
    "bridged",
    "clipped",
    "covered_ms",
    "divided",
    "gaps",
    "merged",
    "overlap",
    "price_nano",
    "rate_slice",
    "rate_usage",
    "resolved",
]
