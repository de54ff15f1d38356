"""Whose turn it is when teams share by weight."""

from dataclasses import replace

from scheduling.crater.model import Policy, Request
from scheduling.crater.order import dominant_share
from scheduling.crater.running import Teams
from tests.pure.crater_cases import NOW, cores, job
from tests.pure.test_crater_order import names


def shared(name: str, team: str, age: int = 0, millicores: int = 1000) -> Request:
    request = job(name, cores(millicores), policy=Policy.FAIR_SHARE, team=team)
    return replace(request, submitted_ms=NOW - 1000 + age)


def test_fair_share_serves_the_team_that_holds_least() -> None:
    teams = Teams({"cpu_millicores": 10_000}, {"rich": {"cpu_millicores": 5_000}})
    assert names(shared("r", "rich", 0), shared("p", "poor", 9), teams=teams) == ["p", "r"]


def test_fair_share_alternates_as_it_fills() -> None:
    teams = Teams({"cpu_millicores": 10_000})
    queue = [shared("a1", "a", 0), shared("a2", "a", 1), shared("b1", "b", 2), shared("b2", "b", 3)]
    assert names(*queue, teams=teams) == ["a1", "b1", "a2", "b2"]


def test_a_weight_of_two_gets_two_turns() -> None:
    teams = Teams({"cpu_millicores": 10_000}, weights={"a": 2})
    queue = [shared(f"{team}{n}", team, n) for team in "ab" for n in range(4)]
    assert sorted(name[0] for name in names(*queue, teams=teams)[:6]) == list("aaaabb")


def test_the_dominant_share_is_the_largest() -> None:
    teams = Teams({"cpu_millicores": 10, "memory_bytes": 100}, weights={"t": 2})
    assert float(dominant_share({"cpu_millicores": 1, "memory_bytes": 60}, teams, "t")) == 0.3
