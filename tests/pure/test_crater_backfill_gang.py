"""A gang is placed whole or not at all, and a refusal names the member in the way."""

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.crater.gang import Places, place_gang
from scheduling.crater.model import Pick, Placement, Request
from tests.pure.crater_rooms import UNIT, units_of, wants


def places_in(offered: dict[str, int]) -> Places:
    """Every node with room beside the members already placed."""

    def places(member: Request, done: tuple[Placement, ...]) -> list[Placement]:
        used = {name: sum(p.picks[0].amounts[UNIT] for p in done if p.node == name) for name in offered}
        fitting = [name for name in offered if offered[name] - used[name] >= units_of(member)]
        taken = Pick("n", "slot", {UNIT: units_of(member)})
        return [Placement(member.job, name, (taken,), (), None, None, None, None) for name in fitting]

    return places


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(1, 5), max_size=4), st.lists(st.integers(0, 6), min_size=1, max_size=3))
def test_a_gang_that_fits_is_placed(sizes: list[int], rooms: list[int]) -> None:
    members = [wants(f"m{i}", units) for i, units in enumerate(sizes)]
    offered = {f"n{i}": units for i, units in enumerate(rooms)}
    answer = place_gang(members, places_in(offered))
    possible = any(
        all(sum(s for s, w in zip(sizes, where, strict=True) if w == n) <= rooms[n] for n in range(len(rooms)))
        for where in product(range(len(rooms)), repeat=len(sizes))
    )
    assert (answer.worst is None) == possible
    assert [p.job for p in answer.placements] == ([m.job for m in members] if possible else [])


def test_the_worst_member_is_named() -> None:
    answer = place_gang([wants("small", 1), wants("huge", 9)], places_in({"n": 4}))
    assert (answer.worst, answer.placements, answer.is_exhaustive) == ("huge", (), True)
