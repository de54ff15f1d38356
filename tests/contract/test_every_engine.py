"""What may be relied on whatever the engine is."""

from dataclasses import replace
from pathlib import Path

from scheduling.executors.base import Phase
from tests.contract.engines import BLANK, Engine, Play


def ended(engine: Engine, key: str = "a") -> object:
    return engine.until(key, lambda seen: seen.phase is Phase.ENDED)


def is_running(engine: Engine, key: str = "a") -> bool:
    return engine.until(key, lambda seen: seen.phase is Phase.RUNNING).started_ms is not None


def test_an_unknown_key_is_absent(engine: Engine) -> None:
    assert engine.executor.observe(["nobody"])["nobody"].phase is Phase.ABSENT


def test_success_has_exit_code_zero_and_an_end_after_the_start(engine: Engine) -> None:
    engine.launch("a", Play())
    seen = engine.until("a", lambda seen: seen.phase is Phase.ENDED)
    assert (seen.exit_code, seen.signal, seen.reason) == (0, None, None)
    assert seen.started_ms is not None and seen.ended_ms is not None and seen.ended_ms >= seen.started_ms + 50


def test_exit_3_is_reported(engine: Engine) -> None:
    engine.launch("a", Play(exits=3))
    assert engine.until("a", lambda seen: seen.phase is Phase.ENDED).exit_code == 3


def test_launching_twice_runs_once(engine: Engine) -> None:
    engine.launch("a", Play(says="once\n"))
    first = engine.until("a", lambda seen: seen.phase is Phase.ENDED)
    engine.launch("a", Play(says="twice\n"))
    assert engine.executor.observe(["a"])["a"] == first
    assert engine.executor.read_log("a", after=0, limit=100).text == "once\n"


def test_stop_ends_what_never_ends(engine: Engine) -> None:
    engine.launch("a", Play(runs_ms=None))
    assert is_running(engine)
    engine.executor.stop("a", grace_ms=1000)
    engine.executor.stop("a", grace_ms=1000)
    seen = engine.until("a", lambda seen: seen.phase is Phase.ENDED)
    assert (seen.reason, seen.exit_code, seen.signal) == ("stopped", None, 15)


def test_stopping_the_unknown_and_the_ended_is_harmless(engine: Engine) -> None:
    engine.executor.stop("nobody", grace_ms=0)
    engine.launch("a", Play())
    before = engine.until("a", lambda seen: seen.phase is Phase.ENDED)
    engine.executor.stop("a", grace_ms=0)
    assert engine.executor.observe(["a"])["a"] == before


def test_the_time_limit_ends_it(engine: Engine) -> None:
    engine.launch("a", Play(runs_ms=None), replace(BLANK, timeout_ms=200))
    seen = engine.until("a", lambda seen: seen.phase is Phase.ENDED)
    assert seen.reason == "timeout" and seen.started_ms is not None and seen.ended_ms is not None
    assert seen.ended_ms - seen.started_ms >= 200


def test_each_asked_port_is_given_once(engine: Engine) -> None:
    engine.launch("a", Play(runs_ms=None), replace(BLANK, ports=("http", "grpc")))
    seen = engine.until("a", lambda seen: seen.phase is Phase.RUNNING)
    assert seen.endpoint.keys() == {"http", "grpc"} and len(set(seen.endpoint.values())) == 2


def test_the_log_is_read_by_offset_and_from_the_end(engine: Engine) -> None:
    engine.launch("a", Play(says="0123456789"))
    ended(engine)
    middle = engine.executor.read_log("a", after=2, limit=3)
    assert (middle.text, middle.offset, middle.next_offset, middle.total) == ("234", 2, 5, 10)
    assert engine.executor.read_log("a", after=-4, limit=100).text == "6789"
    assert engine.executor.read_log("a", after=10, limit=100).text == ""


def test_an_unknown_log_is_empty(engine: Engine) -> None:
    assert engine.executor.read_log("nobody", after=0, limit=10).total == 0


def test_outputs_are_found_after_the_end(engine: Engine) -> None:
    engine.launch("a", Play(leaves="model.bin"), replace(BLANK, outputs=("model.bin",)))
    ended(engine)
    path = engine.executor.output_path("a", "model.bin")
    assert path is not None and Path(path).read_text() == "left"
    assert engine.executor.output_path("a", "other") is None


def test_forgetting_leaves_the_running_and_removes_the_ended(engine: Engine) -> None:
    engine.launch("a", Play(runs_ms=None))
    assert is_running(engine)
    engine.executor.forget("a")
    assert engine.executor.observe(["a"])["a"].phase is Phase.RUNNING
    engine.executor.stop("a", grace_ms=1000)
    ended(engine)
    engine.executor.forget("a")
    engine.executor.forget("a")
    assert engine.executor.observe(["a"])["a"].phase is Phase.ABSENT


def test_what_is_simulated_says_so(engine: Engine) -> None:
    engine.launch("a", Play())
    assert engine.executor.observe(["a"])["a"].simulated is engine.executor.simulated
