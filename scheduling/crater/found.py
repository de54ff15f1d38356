"""What a board answers: a place that was found and booked, or how a refused shape stands."""

from typing import NamedTuple

from scheduling.crater.ranking import Ranked

Slots = tuple[int, ...]


class Found(NamedTuple):
    """A booked place. Parts of the score in micro-GPU."""

    row: int
    slots: Slots
    score: int
    fit: int  # best-fit part
    crossing: int  # penalty
    scarcity: int  # what the class's kind of GPU costs beyond its worth
    fitting: int  # on how many nodes it fitted
    ranked: Ranked  # the candidates: rows and totals, the chosen one first


class Survey(NamedTuple):
    """The nodes that come nearest, what each lacks in millionths of a device, devices by near.RULES."""

    rows: list[int]
    lacks: list[int]
    totals: list[int]
    slots: list[int]  # what the nearest node would need next, one for each need it fails
