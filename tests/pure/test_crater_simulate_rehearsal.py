"""Whole rehearsals on simulated servers."""

from benchmarks.count_based import CountBased
from benchmarks.crossing import crosses
from benchmarks.server_jobs import noisy, trials
from benchmarks.servers import Setting, servers, setting
from scheduling.crater.plan import plan
from scheduling.crater.rehearse import rehearse


def small() -> Setting:
    return setting()


def test_our_placements_cross_no_socket_and_fill_no_queue() -> None:
    found = small()
    nodes, jobs = servers(2, found.server), noisy(trials(found, 40, 10, 1), found.noise, 2)
    outcomes, watched = rehearse(nodes, jobs, plan, found.parameters)
    assert all(outcome.ends_ms is not None for outcome in outcomes)
    assert (watched.over_depth, sum(crosses(p) for p, _ in watched.placements)) == (0, 0)


def test_a_rehearsal_repeats_and_another_planner_differs() -> None:
    found = small()
    nodes, jobs = servers(2, found.server), trials(found, 40, 10, 1)
    ours, again = (rehearse(nodes, jobs, plan, found.parameters)[0] for _ in range(2))
    assert ours == again != rehearse(nodes, jobs, CountBased(True, False), found.parameters)[0]
