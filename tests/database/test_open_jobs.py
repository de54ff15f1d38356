"""Lists of jobs that are not over are read by the small index of open jobs, however many have ended."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from scheduling.selectors.jobs import jobs_page
from tests.world import home, submitted

CASES = [(["queued"], True), (["active", "admitted"], True), (["failed"], False)]


@pytest.mark.parametrize(("states", "is_small"), CASES)
def test_open_states_are_looked_for_among_open_jobs(states: list[str], is_small: bool) -> None:
    viewer = home()
    submitted(viewer)
    with CaptureQueriesContext(connection) as seen:
        jobs_page(viewer, states=states)
    (of_jobs,) = [query["sql"] for query in seen if 'FROM "scheduling_job"' in query["sql"]]
    assert ('"scheduling_job"."ended_ms" IS NULL' in of_jobs.partition("WHERE")[2]) == is_small
