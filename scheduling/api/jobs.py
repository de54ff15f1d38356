"""/api/v1/jobs: submit, list, read, cancel, logs; and /api/v1/events."""

from typing import Any
from uuid import UUID

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from alldata.kernel import clock
from alldata.outbox.selectors import facts_after
from alldata.tenancy.api import ApiView
from alldata.tenancy.selectors import project_view
from scheduling.api import render
from scheduling.api.shapes import SubmitShape
from scheduling.api.sound import SoundJson
from scheduling.errors import BadField
from scheduling.ports import ports
from scheduling.selectors import jobs as read
from scheduling.services.cancellation import cancel_job
from scheduling.services.commands import SubmitCommand
from scheduling.services.holds import start_job
from scheduling.services.logs import Span, read_log
from scheduling.services.precheck import precheck

ANY = OpenApiTypes.OBJECT
LOG_LIMIT = 256 * 1024


def _query(name: str, kind: Any = str, text: str = "") -> OpenApiParameter:
    return OpenApiParameter(name, kind, description=text)


def whole_number(request: Request, name: str, default: int, *, most: int) -> int:
    """An integer of the query string, bounded. Errors: BadField."""
    text = request.query_params.get(name)
    if text is None:
        return default
    try:
        return max(-most, min(most, int(text)))
    except ValueError:
        raise BadField(name, repr(text), "give a whole number") from None


def command_of(request: Request) -> SubmitCommand:
    """The submission in the body; the project must be one the viewer sees."""
    shape = SubmitShape(data=request.data)
    shape.is_valid(raise_exception=True)
    project = project_view(ApiView.viewer(request), shape.validated_data.get("project"))
    return shape.as_command(project, request_id=request.headers.get("Idempotency-Key"))


class JobCollection(ApiView):
    """Shape is checked here, rules in the service, status codes in alldata/web/problems.py."""

    parser_classes = [SoundJson]

    @extend_schema(parameters=[_query("status"), _query("after"), _query("limit", int)], responses=ANY)
    def get(self, request: Request) -> Response:
        """Jobs, newest first; `next` is the `after` of the following page."""
        rows, following = read.jobs_page(
            self.viewer(request),
            states=request.query_params.getlist("status"),
            after=request.query_params.get("after"),
            limit=max(1, whole_number(request, "limit", 50, most=200)),
        )
        return Response({"jobs": [render.job(row) for row in rows], "next": following})

    @extend_schema(
        request=SubmitShape,
        parameters=[
            _query("dry_run", int, "1: only the pre-check, nothing is written"),
            OpenApiParameter("Idempotency-Key", str, OpenApiParameter.HEADER),
        ],
        responses={202: ANY},
    )
    def post(self, request: Request) -> Response:
        """Submit a job once per Idempotency-Key; `?dry_run=1` answers with the pre-check."""
        viewer, command, now_ms, desk = self.viewer(request), command_of(request), clock.now_ms(), ports()
        if request.query_params.get("dry_run") == "1":
            answer = precheck(viewer, command, prices=desk.prices, budgets=desk.budgets, now_ms=now_ms)
            return Response(render.precheck(answer))
        row = start_job(viewer, command, prices=desk.prices, budgets=desk.budgets, now_ms=now_ms)
        return Response(render.job(row), status=status.HTTP_202_ACCEPTED)


class JobItem(ApiView):
    """One job, by id or J-n."""

    @extend_schema(responses=ANY)
    def get(self, request: Request, reference: str) -> Response:
        """Everything about the job but its usage and cost."""
        return Response(render.job_detail(read.job_view(self.viewer(request), reference)))


class JobCancel(ApiView):
    """Stop a job."""

    @extend_schema(request=None, responses=ANY)
    def post(self, request: Request, reference: str) -> Response:
        """Ask for the end; repeating is harmless."""
        row = cancel_job(self.viewer(request), reference, now_ms=clock.now_ms())
        return Response(render.job(row), status=status.HTTP_202_ACCEPTED)


class JobLogs(ApiView):
    """What the job wrote."""

    @extend_schema(
        parameters=[_query("after", int), _query("limit", int), _query("attempt", int), _query("member", int)],
        responses=ANY,
    )
    def get(self, request: Request, reference: str) -> Response:
        """Bytes from `after` (negative: from the end); pass `next_offset` on to follow."""
        span = Span(
            after=whole_number(request, "after", 0, most=2**53),
            limit=abs(whole_number(request, "limit", 64 * 1024, most=LOG_LIMIT)),
            attempt=whole_number(request, "attempt", 0, most=10_000) or None,
            member=whole_number(request, "member", 0, most=10_000),
        )
        chunk = read_log(self.viewer(request), reference, span, ports=ports())
        return Response(
            {
                "offset": chunk.offset,
                "next_offset": chunk.next_offset,
                "total": chunk.total,
                "dropped": chunk.dropped,
                "text": chunk.text,
            }
        )


class Events(ApiView):
    """The projects' facts in order of birth."""

    @extend_schema(parameters=[_query("after"), _query("limit", int)], responses=ANY)
    def get(self, request: Request) -> Response:
        """Facts after the given event id."""
        after = request.query_params.get("after")
        try:
            cursor = UUID(after) if after else None
        except ValueError:
            raise BadField("after", repr(after), "use the id of an event") from None
        facts = facts_after(
            self.viewer(request).project_ids,
            after=cursor,
            limit=max(1, whole_number(request, "limit", 100, most=1000)),
        )
        return Response(
            {"events": [{"id": str(f.id), "name": f.name, "at_ms": f.at_ms, "fields": f.fields} for f in facts]}
        )
