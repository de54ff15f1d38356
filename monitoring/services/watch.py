"""Answer what scheduling asks about usage (scheduling.ports.UsageWatch)."""

from monitoring.selectors.streams import metered_until


class FrameWatch:
    """How far a node's usage has been received."""

    def metered_until_ms(self, node: str) -> int | None:
        """End of the last frame that has no gap before it, or None."""
        return metered_until(node)
