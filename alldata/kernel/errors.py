"""What kinds of failure exist, whatever the app.

A kind says how a caller may react (correct the request, look elsewhere, try again); a
subclass in an app's `errors.py` says what happened, with a stable `code` and its data as
positional arguments, so that it survives pickling between workers. Doors translate kinds
(alldata/web/problems.py); nothing below a door knows HTTP.
"""

from collections.abc import Mapping


class AllDataError(Exception):
    """Root of every error we raise on purpose."""

    code = "error"
    #: Where the fault lies and what would mend it; doors show both.
    field: str | None = None

    @property
    def facts(self) -> Mapping[str, object]:
        """Machine-readable data for the caller: shapes are documented on the subclass."""
        return {}


class Invalid(AllDataError):
    """The request can never succeed as written."""

    code = "invalid"


class NotFound(AllDataError):
    """The thing does not exist for this viewer."""

    code = "not_found"


class Forbidden(AllDataError):
    """The viewer sees the thing but may not do this to it."""

    code = "forbidden"


class Unauthenticated(AllDataError):
    """No valid credential came with the request."""

    code = "unauthenticated"


class Conflict(AllDataError):
    """The state of the world refuses the change now."""

    code = "conflict"


class TooLarge(AllDataError):
    """The request exceeds a stated size."""

    code = "too_large"


class Unavailable(AllDataError):
    """A part we depend on does not answer; the same request may succeed later."""

    code = "unavailable"
