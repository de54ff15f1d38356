"""Refusals of the tenancy rooms."""

from alldata.kernel.errors import Forbidden, NotFound, Unauthenticated


class BadCredential(Unauthenticated):
    """The token or session is unknown, expired or revoked (deliberately not said which)."""

    code = "bad_credential"

    def __str__(self) -> str:
        return "this credential is not valid; create a new token under Admin > Tokens"


class NoMembership(Forbidden):
    """A signed-in person belongs to no organisation."""

    code = "no_membership"

    def __str__(self) -> str:
        return "you belong to no organisation yet; ask a platform admin to add you to a team"


class ProjectNotFound(NotFound):
    """No such project for this viewer."""

    code = "project_not_found"

    def __init__(self, project: str) -> None:
        super().__init__(project)
        self.project = project

    def __str__(self) -> str:
        return f"there is no project {self.project!r} that you can see"


class MayNot(Forbidden):
    """The viewer's roles do not include this action."""

    code = "may_not"

    def __init__(self, action: str) -> None:
        super().__init__(action)
        self.action = action

    def __str__(self) -> str:
        return f"your role does not allow you to {self.action}"
