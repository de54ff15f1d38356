"""What can go wrong with capabilities, documents and profiles."""

from collections.abc import Mapping

from alldata.kernel.errors import Conflict, Invalid, NotFound


class UnknownCapability(Invalid):
    """A name that no dimension answers to (for this type of device)."""

    code = "unknown_capability"

    def __init__(self, name: str, device_type: str | None, suggestion: str | None) -> None:
        super().__init__(name, device_type, suggestion)
        self.name, self.device_type, self.suggestion = name, device_type, suggestion

    def __str__(self) -> str:
        where = f" of a {self.device_type}" if self.device_type else ""
        hint = f"; did you mean {self.suggestion}?" if self.suggestion else ""
        return f"{self.name!r} is not a known capability{where}{hint}"

    @property
    def facts(self) -> Mapping[str, object]:
        return {"name": self.name, "type": self.device_type, "suggestion": self.suggestion}


class BadQuantity(Invalid):
    """A value that is no usable number, or whose unit does not belong to the key.

    `code` is one of the RCDL codes: wrong_type, unknown_unit, unit_mismatch, out_of_range.
    """

    def __init__(self, code: str, found: str, expected: str, suggestion: str | None) -> None:
        super().__init__(code, found, expected, suggestion)
        self.code, self.found, self.expected, self.suggestion = code, found, expected, suggestion

    def __str__(self) -> str:
        hint = f"; {self.suggestion}" if self.suggestion else ""
        return f"found {self.found}, expected {self.expected}{hint}"

    @property
    def facts(self) -> Mapping[str, object]:
        return {"found": self.found, "expected": self.expected, "suggestion": self.suggestion}


class InvalidDocument(Invalid):
    """An RCDL document with errors; `problems` holds each with line, path and suggestion."""

    code = "invalid_document"

    def __init__(self, problems: tuple[Mapping[str, object], ...]) -> None:
        super().__init__(problems)
        self.problems = problems

    def __str__(self) -> str:
        first = self.problems[0] if self.problems else {}
        more = f" (and {len(self.problems) - 1} more)" if len(self.problems) > 1 else ""
        return f"line {first.get('line')}, {first.get('path')}: {first.get('message')}{more}"

    @property
    def facts(self) -> Mapping[str, object]:
        return {"errors": list(self.problems)}


class UnknownProfile(NotFound):
    """No such profile, or no such version of it, in the viewer's organisation."""

    code = "unknown_profile"
    field = "resource_profile"

    def __init__(self, name: str, version: str | None, suggestion: str | None) -> None:
        super().__init__(name, version, suggestion)
        self.name, self.version, self.suggestion = name, version, suggestion

    def __str__(self) -> str:
        what = f"{self.name} {self.version}" if self.version else self.name
        hint = f"; did you mean {self.suggestion}?" if self.suggestion else ""
        return f"there is no profile {what}{hint}"

    @property
    def facts(self) -> Mapping[str, object]:
        return {"name": self.name, "version": self.version, "suggestion": self.suggestion}


class UnknownMode(NotFound):
    """The profile version has no such mode."""

    code = "unknown_mode"
    field = "mode"

    def __init__(self, profile: str, mode: str, known: tuple[str, ...]) -> None:
        super().__init__(profile, mode, known)
        self.profile, self.mode, self.known = profile, mode, known

    def __str__(self) -> str:
        return f"profile {self.profile} has no mode {self.mode!r}; it has {', '.join(self.known) or 'none'}"


class VersionExists(Conflict):
    """This version was published (or drafted by somebody else) with another text."""

    code = "version_exists"

    def __init__(self, name: str, version: str, status: str) -> None:
        super().__init__(name, version, status)
        self.name, self.version, self.status = name, version, status

    def __str__(self) -> str:
        return f"{self.name} {self.version} is {self.status} and cannot change; use a new version"


class NotPublishable(Conflict):
    """Only a draft can be published, only a published version deprecated."""

    code = "illegal_profile_move"

    def __init__(self, name: str, version: str, status: str) -> None:
        super().__init__(name, version, status)
        self.name, self.version, self.status = name, version, status

    def __str__(self) -> str:
        return f"{self.name} {self.version} is {self.status}"


class UnknownKnowledge(NotFound):
    """No such upload, override or part in the hardware knowledge base."""

    code = "unknown_knowledge"

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what

    def __str__(self) -> str:
        return f"the hardware knowledge base has no {self.what}"
