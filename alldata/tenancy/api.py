"""The base of all API views: shape in, one service or selector call, shape out."""

from typing import cast

from rest_framework.request import Request
from rest_framework.views import APIView

from alldata.tenancy.auth import AgentAuth
from alldata.tenancy.viewer import Viewer


class ApiView(APIView):
    """A view for people and their tokens."""

    @staticmethod
    def viewer(request: Request) -> Viewer:
        """Who asks; never taken from the body."""
        return cast(Viewer, request.auth)


class AgentView(APIView):
    """A view for node agents."""

    authentication_classes = [AgentAuth]
