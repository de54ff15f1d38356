"""Does the demo's result say what is known, and leave out what is not?"""

from typing import Any

from alldata.cli.client import Client
from alldata.embedded.result import result_of
from alldata.embedded.story import Story
from alldata.embedded.table import table_of


def story(**facts: Any) -> Story:
    return Story(Client("http://127.0.0.1:1", "token"), print, **facts)


def bill(nano: dict[str, int]) -> dict[str, Any]:
    total = {"amount": "", "currency": "CNY", "nano": str(sum(nano.values()))}
    return {"total": total, "parts": [{"capability": c, "cost": {"nano": str(n)}} for c, n in nano.items()]}


def test_a_story_that_failed_names_its_step_and_claims_nothing() -> None:
    result = result_of(story(step="publish", failure="no"), wall_s=1.0)
    assert (result["ok"], result["failed_step"], result["failure"]) == (False, "publish", "no")
    assert result["qps"] is result["cost"] is result["accuracy"] is None


def test_costs_of_both_jobs_add_up_by_capability() -> None:
    told = story(costs={"training": bill({"a": 3, "b": 4}), "serving": bill({"a": 5})}, finished=True)
    assert result_of(told, wall_s=1.0)["cost"] == {"currency": "CNY", "total_nano": 12, "parts_nano": {"a": 8, "b": 4}}


def test_failed_and_wrong_answers_are_both_errors() -> None:
    load = {"qps": 49.9, "p50_ms": 2.0, "p99_ms": 9.0, "failures": 1, "wrong": 2, "accuracy": 0.98}
    result = result_of(story(pipeline={"verdict": "fail", "load": load}), wall_s=1.0)
    assert (result["errors"], result["accuracy"]) == (3, 0.98)


def test_the_table_shows_the_unknown_as_a_dash() -> None:
    told = story()
    assert "accuracy      -" in table_of(result_of(told, wall_s=1.0), told, "http://127.0.0.1:1")
