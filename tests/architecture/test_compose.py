"""Does the production file parse and name every part?"""

from typing import Any

import pytest
import yaml

from alldata.agent.__main__ import parser
from tests.architecture.source import ROOT

PARTS = {"postgres", "redis", "web", "worker", "beat", "prometheus", "agent"}


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    return loaded


def test_every_part_of_the_platform_is_a_service(compose: dict[str, Any]) -> None:
    assert set(compose["services"]) >= PARTS


def test_every_service_waits_for_services_that_exist(compose: dict[str, Any]) -> None:
    awaited = {name for service in compose["services"].values() for name in service.get("depends_on", ())}
    assert awaited <= set(compose["services"])


def test_every_secret_is_declared_and_none_has_a_value(compose: dict[str, Any]) -> None:
    used = {name for service in compose["services"].values() for name in service.get("secrets", ())}
    assert used == set(compose["secrets"])
    assert all(set(secret) == {"file"} for secret in compose["secrets"].values())


def test_the_agents_daemon_set_runs_the_agents_own_command() -> None:
    loaded = yaml.safe_load((ROOT / "deploy" / "alldata-agent.yaml").read_text())
    container = loaded["spec"]["template"]["spec"]["containers"][0]
    words = [*container["command"], *container["args"]]
    assert words[:2] == ["alldata-agent", "run"]
    assert parser().parse_args(words[1:]).name == "$(NODE)"
    assert "limits" not in container["resources"]
