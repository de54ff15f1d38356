"""/api/v1/schedule: where would it go, and may that place be held? /api/v1/reservations: places held now."""

from collections.abc import Iterable, Mapping
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from alldata.kernel import clock
from alldata.tenancy.api import ApiView
from alldata.tenancy.selectors import project_view
from alldata.tenancy.viewer import Viewer
from alldata.web.problems import problem, status_of
from scheduling.api.render_place import hold, schedule
from scheduling.api.shapes import ScheduleShape
from scheduling.api.sound import SoundJson
from scheduling.errors import NoPlace
from scheduling.ports import ports
from scheduling.selectors.answers import DeviceView, HoldView
from scheduling.selectors.holds import hold_view, holds_of
from scheduling.selectors.inventory import device
from scheduling.services.answer import PreCheck
from scheduling.services.expiring import release_place
from scheduling.services.precheck import precheck
from scheduling.services.reserving import reserve_place

ANY = OpenApiTypes.OBJECT


class Schedule(ApiView):
    """Where would it go? The planner's answer without a job, and on request the place itself."""

    parser_classes = [SoundJson]

    @extend_schema(
        request=ScheduleShape,
        parameters=[OpenApiParameter("Idempotency-Key", str, OpenApiParameter.HEADER)],
        responses={200: ANY, 201: ANY},
    )
    def post(self, request: Request) -> Response:
        """Placement or refusal with figures and reasons; `"reserve": true` holds the place, 409 where there is none."""
        viewer, now_ms, desk = self.viewer(request), clock.now_ms(), ports()
        shape = ScheduleShape(data=request.data)
        shape.is_valid(raise_exception=True)
        project = project_view(viewer, shape.validated_data.get("project"))
        command = shape.as_command(project, request_id=request.headers.get("Idempotency-Key"))
        hold_ms = shape.hold_ms_asked
        if hold_ms is None:
            answer = precheck(viewer, command, prices=desk.prices, budgets=desk.budgets, now_ms=now_ms)
            return Response(_shown(viewer, answer))
        try:
            held, found = reserve_place(viewer, command, hold_ms=hold_ms, ports=desk, now_ms=now_ms)
        except NoPlace as refused:
            return _refused(viewer, refused)
        shown = _shown(viewer, found) if found is not None else {}
        return Response(shown | {"reservation": _held(viewer, held)}, status=status.HTTP_201_CREATED)


class Reservations(ApiView):
    """Places that are held and not used yet."""

    @extend_schema(responses=ANY)
    def get(self, request: Request) -> Response:
        """Those of your projects, the first to expire first."""
        viewer = self.viewer(request)
        return Response({"reservations": [_held(viewer, view) for view in holds_of(viewer)]})


class Reservation(ApiView):
    """One held place."""

    @extend_schema(responses=ANY)
    def get(self, request: Request, reference: str) -> Response:
        """Its place, its state (held, used, released, expired) and when it ends."""
        viewer = self.viewer(request)
        return Response(_held(viewer, hold_view(viewer, reference)))

    @extend_schema(responses=ANY)
    def delete(self, request: Request, reference: str) -> Response:
        """Give the place back now; repeating is harmless."""
        viewer = self.viewer(request)
        return Response(_held(viewer, release_place(viewer, reference, now_ms=clock.now_ms())))


def devices_of(viewer: Viewer, picks: Iterable[Mapping[str, Any]]) -> dict[str, DeviceView]:
    """The picked devices by uuid."""
    return {uuid: device(viewer, uuid) for uuid in dict.fromkeys(pick["device"] for pick in picks)}


def _held(viewer: Viewer, view: HoldView) -> dict[str, Any]:
    return hold(view, devices_of(viewer, view.placement.get("picks", ())))


def _shown(viewer: Viewer, answer: PreCheck) -> dict[str, Any]:
    return schedule(answer, devices_of(viewer, (answer.placement or {}).get("picks", ())))


def _refused(viewer: Viewer, refused: NoPlace) -> Response:
    """The problem, with all that a dry run would have said."""
    answer = _shown(viewer, refused.answer) if refused.answer is not None else None
    return problem(status_of(refused), refused.code, str(refused), answer=answer)
