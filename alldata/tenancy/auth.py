"""Who calls the API: a bearer token, a signed-in browser, or an agent with the agent key."""

import hmac

from django.conf import settings
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.request import Request

from alldata.kernel import clock
from alldata.tenancy.errors import BadCredential
from alldata.tenancy.selectors import viewer_of_token, viewer_of_user
from alldata.tenancy.viewer import Viewer


class Caller:
    """What DRF sees as the user: authenticated by having a viewer (or being an agent)."""

    is_authenticated = True

    def __init__(self, viewer: Viewer | None) -> None:
        self.viewer = viewer


def is_agent(authorization: str) -> bool:
    """Does the header carry the cluster's agent key?"""
    word, _, key = authorization.partition(" ")
    return word.lower() == "agent" and hmac.compare_digest(key.strip().encode(), settings.AGENT_KEY.encode())


def _credential(request: Request, scheme: str) -> str | None:
    word, _, value = request.headers.get("Authorization", "").partition(" ")
    return value.strip() if word.lower() == scheme else None


class TokenAuth(BaseAuthentication):
    """`Authorization: Bearer <token>`."""

    def authenticate(self, request: Request) -> tuple[Caller, Viewer] | None:
        secret = _credential(request, "bearer")
        if secret is None:
            return None
        viewer = viewer_of_token(secret, now_ms=clock.now_ms())
        return Caller(viewer), viewer

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class SessionAuth(SessionAuthentication):
    """The browser's session, with CSRF protection."""

    def authenticate(self, request: Request) -> tuple[Caller, Viewer] | None:
        found = super().authenticate(request)
        if found is None:
            return None
        viewer = viewer_of_user(found[0])
        return Caller(viewer), viewer


class AgentAuth(BaseAuthentication):
    """`Authorization: Agent <key>`: the cluster's shared agent key."""

    def authenticate(self, request: Request) -> tuple[Caller, None] | None:
        key = _credential(request, "agent")
        if key is None:
            return None
        if not hmac.compare_digest(key.encode(), settings.AGENT_KEY.encode()):
            raise BadCredential
        return Caller(None), None

    def authenticate_header(self, request: Request) -> str:
        return "Agent"
