"""/api/v1/resources and /api/v1/pipelines."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from alldata.tenancy.api import ApiView
from scheduling.api import render
from scheduling.selectors import inventory, pipelines

ANY = OpenApiTypes.OBJECT


class Resources(ApiView):
    """Devices of the cluster."""

    @extend_schema(parameters=[OpenApiParameter("filter", str)], responses=ANY)
    def get(self, request: Request) -> Response:
        """`?filter=type:gpu,node:worker-0`; keys: type, vendor, model, node, numa_node."""
        found = inventory.devices(self.viewer(request), filters=request.query_params.get("filter", ""))
        return Response({"resources": [render.device(view) for view in found]})


class Resource(ApiView):
    """One device."""

    @extend_schema(responses=ANY)
    def get(self, request: Request, uuid: str) -> Response:
        """Identity, topology, attributes and capabilities."""
        return Response(render.device(inventory.device(self.viewer(request), uuid)))


class ResourceCapabilities(ApiView):
    """The capability vector of one device."""

    @extend_schema(responses=ANY)
    def get(self, request: Request, uuid: str) -> Response:
        """Capacity, promised, free, source and quality of each dimension."""
        view = inventory.device(self.viewer(request), uuid)
        return Response({"uuid": view.uuid, "capabilities": render.capabilities(view)})


class Pipelines(ApiView):
    """Pipeline runs."""

    @extend_schema(parameters=[OpenApiParameter("job", str)], responses=ANY)
    def get(self, request: Request) -> Response:
        """Newest first; `?job=J-1` gives those the job takes part in."""
        found = pipelines.pipelines_of(self.viewer(request), job=request.query_params.get("job"))
        return Response({"pipelines": [render.pipeline(view) for view in found]})


class Pipeline(ApiView):
    """One pipeline run."""

    @extend_schema(responses=ANY)
    def get(self, request: Request, reference: str) -> Response:
        """Steps, jobs, load figures and the verdict with its reasons."""
        return Response(render.pipeline(pipelines.pipeline_view(self.viewer(request), reference)))
