"""What differs between two answers: two jobs, two periods, two profile versions?"""

from dataclasses import dataclass

from alldata.tenancy.viewer import Viewer
from costing.errors import BadQuestion
from costing.selectors.breakdown import breakdown
from costing.selectors.prices import known_prices
from costing.selectors.questions import Answer, Question
from costing.selectors.spent import whole_jobs
from scheduling.selectors.metering import jobs_of_profile

MIN_COVERAGE = 0.99


@dataclass(frozen=True, slots=True)
class Difference:
    """One group on both sides; a side without it has 0. `change_permille` is None when a is 0."""

    key: str
    label: str
    a_nano: int
    b_nano: int

    @property
    def change_nano(self) -> int:
        return self.b_nano - self.a_nano

    @property
    def change_permille(self) -> int | None:
        return round(1000 * self.change_nano / self.a_nano) if self.a_nano else None


@dataclass(frozen=True, slots=True)
class Comparison:
    """`comparable` only when both sides were metered for at least 99 % of what was held."""

    a: Answer
    b: Answer
    rows: tuple[Difference, ...]
    comparable: bool


def compare(viewer: Viewer, a: Question, b: Question) -> Comparison:
    """Both answers, row by row, largest change first. Errors: BadQuestion, JobNotFound."""
    if a.by is not b.by:
        raise BadQuestion("b.by", a.by.value)
    left, right = breakdown(viewer, a), breakdown(viewer, b)
    labels = {row.key: row.label for answer in (left, right) for row in answer.rows}
    mine, theirs = ({row.key: row.amounts.charged_nano for row in answer.rows} for answer in (left, right))
    rows = [Difference(key, label, mine.get(key, 0), theirs.get(key, 0)) for key, label in labels.items()]
    rows.sort(key=lambda row: (-abs(row.change_nano), row.key))
    covered = all((answer.total.coverage or 0) >= MIN_COVERAGE for answer in (left, right))
    return Comparison(left, right, tuple(rows), covered)


@dataclass(frozen=True, slots=True)
class ProfileSpend:
    """What the jobs of one profile version came to."""

    profile: str
    jobs: int
    charged_nano: int
    currency: str

    @property
    def per_job_nano(self) -> int | None:
        return self.charged_nano // self.jobs if self.jobs else None


def spend_of_profile(viewer: Viewer, profile: str) -> ProfileSpend:
    """Charged for the viewer's jobs of "name@version" that used anything, and per job."""
    name, _, version = profile.partition("@")
    jobs, nano = whole_jobs(jobs_of_profile(name, version, viewer.project_ids))
    currency = next((prices.currency for prices in known_prices().values()), "") if jobs else ""
    return ProfileSpend(profile, jobs, nano, currency)
