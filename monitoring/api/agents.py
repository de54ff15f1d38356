"""The agents' doors: register, and deliver windows.

Windows are the hot path (every agent, every few seconds), so their door is a plain Django view;
its refusals read the same as everywhere else.
"""

from collections.abc import Mapping

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, JsonResponse
from django.utils.decorators import method_decorator
from django.views import View
from django.views.decorators.csrf import csrf_exempt
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from alldata.agent.version import VERSION
from alldata.agent.wire import Register, WireError, parse
from alldata.kernel import clock
from alldata.kernel.errors import AllDataError
from alldata.tenancy.api import AgentView
from alldata.tenancy.auth import is_agent
from alldata.tenancy.errors import BadCredential
from alldata.web.problems import handle, status_of
from monitoring.errors import AgentVersionRefused, BadMessage, MessageTooLarge
from monitoring.frames.reading import Delivery, read_delivery
from monitoring.services.ingest import Taken, ingest_window, ingest_windows
from scheduling.services.inventory import register_node, touch_node

MAX_BODY = 4 * 1024 * 1024
LIFE_MS = 1_000


def read_body(request: Request | HttpRequest) -> bytes:
    """The body. Errors: MessageTooLarge, before anything is read where the length is declared."""
    declared = request.headers.get("Content-Length", "")
    size = int(declared) if declared.isdecimal() else 0
    if size > MAX_BODY:
        raise MessageTooLarge(size, MAX_BODY)
    return bytes(request.body)


def refuse_other_version(agent_version: str) -> None:
    """Agent and server share major and minor version. Errors: AgentVersionRefused."""
    if agent_version.split(".")[:2] != VERSION.split(".")[:2]:
        raise AgentVersionRefused(agent_version, VERSION)


class AgentRegister(AgentView):
    """A node agent says what its machine has; repeating it is harmless."""

    @extend_schema(request=OpenApiTypes.OBJECT, responses=OpenApiTypes.OBJECT, tags=["agents"])
    def post(self, request: Request) -> Response:
        now_ms = clock.now_ms()
        try:
            envelope = parse(read_body(request))
        except WireError as fault:
            raise BadMessage(fault.path, fault.expected, fault.found) from fault
        refuse_other_version(envelope.agent_version)
        if not isinstance(envelope.body, Register):
            raise BadMessage("kind", "register", envelope.kind)
        changed = register_node(
            envelope.body, agent=envelope.agent, agent_version=envelope.agent_version, now_ms=now_ms
        )
        return Response({"server_ms": now_ms, "duplicate": not changed})


@method_decorator(csrf_exempt, name="dispatch")
class AgentFrames(View):
    """A node agent delivers closed windows; a repeated delivery answers `duplicate`."""

    def post(self, request: HttpRequest) -> JsonResponse:
        try:
            return JsonResponse(self.taken(request))
        except AllDataError as refusal:
            response = handle(refusal, {})
            data = response.data if response is not None else {}
            return JsonResponse(data, status=status_of(refusal), content_type="application/problem+json")

    @staticmethod
    def taken(request: HttpRequest) -> Mapping[str, object]:
        """Store what came; one window answers as ever, several answer with counts and what was refused."""
        if not is_agent(request.headers.get("Authorization", "")):
            raise BadCredential
        now_ms = clock.now_ms()
        delivery = delivery_in(request)
        refuse_other_version(delivery.agent_version)
        if delivery.single:
            stored = ingest_window(delivery.windows[0], agent=delivery.agent, now_ms=now_ms)
            note_life(delivery.agent, now_ms=now_ms)
            return {"server_ms": now_ms, "duplicate": not stored}
        found = ingest_windows(delivery.windows, agent=delivery.agent, now_ms=now_ms)
        note_life(delivery.agent, now_ms=now_ms)
        return {"server_ms": now_ms, "duplicate": not found.stored, **counts(found)}


#: The same door for those who come straight to it (settings.DIRECT_DOORS).
agent_frames = AgentFrames.as_view()
_alive: dict[str, int] = {}


def note_life(agent: str, *, now_ms: int) -> None:
    """The node is alive; written at most every LIFE_MS a process, for windows may come faster."""
    if abs(now_ms - _alive.get(agent, 0)) >= LIFE_MS:
        touch_node(agent, now_ms=now_ms)
        _alive[agent] = now_ms


def delivery_in(request: HttpRequest) -> Delivery:
    """The windows in the body. Errors: MessageTooLarge, BadMessage."""
    try:
        return read_delivery(read_body(request))
    except WireError as fault:
        raise BadMessage(fault.path, fault.expected, fault.found) from fault
    except RequestDataTooBig:
        raise MessageTooLarge(MAX_BODY + 1, MAX_BODY) from None


def counts(taken: Taken) -> Mapping[str, object]:
    """What became of several windows."""
    refused = [{"seq": seq, "code": why.code, "detail": str(why)} for seq, why in sorted(taken.refused.items())]
    return {"stored": taken.stored, "duplicates": taken.duplicates, "refused": refused}
