"""The REST doors of the language and of the knowledge base."""

import json

import pytest
from django.test import Client

from alldata.tenancy.services.bootstrap import bootstrap_tenancy
from alldata.tenancy.services.tokens import issue_token
from profiles.rcdl.schema import schema

NOW = 1_795_000_000_000
YAML = "application/yaml"
PROFILE = "name: p\nversion: '%s'\nresources: [{type: cpu, capabilities: [{name: cores, amount: %s}]}]\n"
OVERRIDE = "hardware_knowledge_base: {override: [{vendor: amd, model: epyc-9654, memory_bandwidth_gbps: 420}]}"
FACT = "{value: 150, quality: published, source: vendor page}"
PARTS = f"checked: 2026-12-01\nparts: [{{type: gpu, vendor: nvidia, model: b300, facts: {{sm_count: {FACT}}}}}]\n"


@pytest.fixture
def api() -> Client:
    """An administrator's client."""
    home = bootstrap_tenancy(username="admin", password="correct horse battery staple")
    secret = "alldata_test_token_0123456789abcdef"
    issue_token(user_id=home.user_id, project_id=home.project_id, name="test", secret=secret, now_ms=NOW)
    return Client(headers={"Authorization": f"Bearer {secret}"})


def test_the_schema_is_published_to_everybody() -> None:
    answer = Client().get("/api/v1/rcdl/schema")
    assert (answer.status_code, json.loads(answer.content)) == (200, schema())


def test_a_document_is_judged_without_being_kept(api: Client) -> None:
    answer = api.post("/api/v1/rcdl/check", PROFILE % ("1.0", "lots"), content_type=YAML).json()
    assert (answer["valid"], answer["kind"], answer["errors"][0]["code"]) == (False, "demand", "wrong_type")
    assert api.get("/api/v1/profiles").json()["profiles"] == []


def test_two_versions_are_compared_by_meaning(api: Client) -> None:
    for version, cores in (("1.0", 1), ("1.1", 2)):
        api.post("/api/v1/profiles", PROFILE % (version, cores), content_type=YAML)
    answer = api.get("/api/v1/profiles/p/diff", {"from": "1.0", "to": "1.1"}).json()
    change = {"scope": "", "path": "cpu[0].cpu_millicores", "before": "1 cores", "after": "2 cores"}
    assert answer["changes"] == [change | {"effect": "takes_more"}]
    assert api.get("/api/v1/profiles/p/diff", {"from": "1.0", "to": "9.9"}).status_code == 404


def test_a_version_is_exported_as_written_and_remarks_come_with_the_upload(api: Client) -> None:
    text = "# ours\n" + PROFILE.replace("cores, amount: %s", "cores, amount: 600") % "1.0"
    warnings = api.post("/api/v1/profiles", text, content_type=YAML).json()["warnings"]
    assert [warning["code"] for warning in warnings] == ["unit_slip"]
    answer = api.get("/api/v1/profiles/p/1.0/document")
    assert (answer.headers["Content-Type"], answer.content.decode()) == (YAML, text)


def test_facts_come_with_unit_source_date_and_quality(api: Client) -> None:
    answer = api.get("/api/v1/hkb", {"type": "gpu", "q": "a100-sxm4-40gb"}).json()
    fact = answer["parts"][0]["facts"]["hbm_bandwidth"]
    assert (fact["value"], fact["unit"], fact["shown"]) == (1_555 * 10**9, "bytes/s", "1555 GB/s")
    assert (fact["source"], fact["quality"], fact["date"]) == ("published", "proxy", "2026-11-29")
    assert answer["parts"][0]["facts"]["fp8_tensor_tflops"]["value"] is None


def test_links_are_facts_too(api: Client) -> None:
    links = {(link["family"], link["name"]): link["facts"] for link in api.get("/api/v1/hkb?type=link").json()["links"]}
    assert (links["pcie", "gen4"]["x16"]["value"], links["pcie", "gen4"]["x16"]["unit"]) == (31.51, "GB/s")


def test_a_part_is_looked_up_by_what_a_machine_says(api: Client) -> None:
    found = api.get("/api/v1/hkb/lookup", {"type": "gpu", "pci_id": "10de:20b2"}).json()
    assert found["model"] == "a100-sxm4-80gb"
    assert api.get("/api/v1/hkb/lookup", {"name": "A card of next year"}).json()["code"] == "unknown_knowledge"


def test_a_part_is_added_without_a_release_and_withdrawn(api: Client) -> None:
    assert api.post("/api/v1/hkb?check=1", PARTS, content_type=YAML).status_code == 200
    added = api.post("/api/v1/hkb?note=new", PARTS, content_type=YAML)
    assert (added.status_code, added.json()["version"]) == (201, "2026-11-29+1")
    assert [part["model"] for part in api.get("/api/v1/hkb", {"q": "b300"}).json()["parts"]] == ["b300"]
    assert api.post("/api/v1/hkb/versions/1/withdraw").json()["version"] == "2026-11-29"
    assert api.get("/api/v1/hkb/versions").json()["versions"][0]["withdrawn_ms"] is not None


def test_an_override_is_given_and_ended(api: Client) -> None:
    api.post("/api/v1/hkb", OVERRIDE, content_type=YAML)
    row = api.get("/api/v1/hkb/overrides").json()["overrides"][0]
    assert (row["dimension"], row["value"], row["ended_ms"]) == ("memory_bandwidth", "420 GB/s", None)
    assert api.delete(f"/api/v1/hkb/overrides/{row['id']}").status_code == 200
    assert api.get("/api/v1/hkb/overrides").json()["overrides"][0]["ended_ms"] is not None


def test_a_faulty_upload_is_a_problem_with_places(api: Client) -> None:
    answer = api.post("/api/v1/hkb", PARTS.replace("sm_count", "sm_cuont"), content_type=YAML)
    assert (answer.status_code, answer.json()["facts"]["errors"][0]["suggestion"]) == (422, "did you mean sm_count?")
