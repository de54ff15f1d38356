"""A request can never be accepted as written: which field, what was found, what would mend it."""

from collections.abc import Mapping

from alldata.kernel.errors import Invalid, TooLarge


class BadField(Invalid):
    """One field of a submission can never be accepted as written."""

    code = "bad_field"

    def __init__(self, field: str, found: str, expected: str) -> None:
        super().__init__(field, found, expected)
        self.field, self.found, self.expected = field, found, expected

    def __str__(self) -> str:
        return f"{self.field}: {self.found}; {self.expected}"


class UnknownProfile(BadField):
    """The profile or its version does not exist or is not published."""

    code = "unknown_profile"


class BadDemand(Invalid):
    """A demand vector that cannot be read; each error has path, what was expected and a suggestion."""

    code = "bad_demand"
    field = "demand"

    def __init__(self, problems: tuple[Mapping[str, object], ...]) -> None:
        super().__init__(problems)
        self.problems = problems

    def __str__(self) -> str:
        first = self.problems[0] if self.problems else {}
        hint = first.get("suggestion") or first.get("expected")
        return f"demand.{first.get('path')}: {first.get('message')}" + (f"; {hint}" if hint else "")

    @property
    def facts(self) -> Mapping[str, object]:
        return {"errors": list(self.problems)}


class DeadlinePast(BadField):
    """The deadline lies before the submission."""

    code = "deadline_past"


class DeadlineUnmeetable(Invalid):
    """A hard deadline that the forecast says will be missed."""

    code = "deadline_unmeetable"
    field = "sla_deadline"

    def __init__(self, late_ms: int | None, on_time: float, source: str) -> None:
        super().__init__(late_ms, on_time, source)
        self.late_ms, self.on_time, self.source = late_ms, on_time, source

    def __str__(self) -> str:
        late = (
            "it can never start here" if self.late_ms is None else f"it would end about {self.late_ms // 1000} s late"
        )
        return f"the hard deadline cannot be met: {late}; {self.fix}"

    @property
    def fix(self) -> str:
        """What would mend it."""
        soft = "make the deadline soft"
        return f"give it a later deadline, or {soft}" if self.late_ms is not None else f"ask for what fits, or {soft}"

    @property
    def facts(self) -> Mapping[str, object]:
        return {"late_ms": self.late_ms, "on_time": self.on_time, "forecast_source": self.source, "fix": self.fix}


class TooFewMachines(Invalid):
    """A gang whose members can never have a machine each."""

    code = "too_few_machines"
    field = "profile"

    def __init__(self, need: int, have: int) -> None:
        super().__init__(need, have)
        self.need, self.have = need, have

    def __str__(self) -> str:
        there = "there is 1" if self.have == 1 else f"there are {self.have}"
        mend = "ask for fewer, or leave out spread: node"
        return f"its members need {self.need} machines, each one of its own, {there} that would do; {mend}"

    @property
    def facts(self) -> Mapping[str, object]:
        return {"need": self.need, "have": self.have}


class BadBudget(BadField):
    """The budget is negative, or in another currency than the project's."""

    code = "bad_budget"


class EntryTooLarge(TooLarge):
    """Scripts are carried inline up to a stated size."""

    code = "entry_too_large"

    def __init__(self, size: int, limit: int) -> None:
        super().__init__(size, limit)
        self.size, self.limit = size, limit

    def __str__(self) -> str:
        return f"entry.files: {self.size} bytes; at most {self.limit} bytes can be sent inline"


class BadFilter(Invalid):
    """A list filter that is not `key:value` with a known key."""

    code = "bad_filter"
    field = "filter"

    def __init__(self, text: str, known: str) -> None:
        super().__init__(text, known)
        self.text, self.known = text, known

    def __str__(self) -> str:
        return f"filter {self.text!r} is not key:value with a key of {self.known}"
