"""Read machines and devices. Supply is shared: every viewer of the cluster sees it, never who holds it."""

from collections.abc import Collection

from django.db import connection
from django.db.models import Count, Q

from alldata.tenancy.viewer import Viewer
from profiles.dimensions import ADDITIVE
from scheduling.errors import BadFilter, DeviceNotFound
from scheduling.models import Device, Node
from scheduling.selectors.answers import DeviceView, DimensionView, MachineRow, NodeView

FILTERS = ("type", "vendor", "model", "node", "numa_node")


#: A version of a row never has the id of an older one, so any change of a device moves the sum.
STAMP = """
SELECT count(*), sum(device.xmin::text::bigint), sum(capacity.valid_from_ms)
FROM scheduling_device AS device JOIN scheduling_devicecapacity AS capacity ON capacity.device_id = device.id"""


def supply_stamp(viewer: Viewer) -> str:
    """Unchanged means: the same devices with the same capacities."""
    with connection.cursor() as cursor:
        cursor.execute(STAMP)
        return "-".join(str(word) for word in cursor.fetchone())


def nodes(viewer: Viewer, *, name: str | None = None) -> list[NodeView]:
    """All machines (or the one of that name) with their devices, by name."""
    rows = Node.objects.order_by("name").prefetch_related("devices__capacity")
    if name is not None:
        rows = rows.filter(name=name)
    return [_node(row) for row in rows]


def machines(viewer: Viewer) -> list[MachineRow]:
    """All machines in a line each, by name."""
    here = Count("devices", filter=Q(devices__retired_ms=None))
    rows = Node.objects.annotate(here=here).order_by("name")
    return [MachineRow(*row) for row in rows.values_list("name", "simulated", "seen_ms", "here")]


def devices(viewer: Viewer, *, filters: str = "", uuids: Collection[str] | None = None) -> list[DeviceView]:
    """Devices in service (of these); `filters` is "key:value,key:value". Errors: BadFilter."""
    rows = Device.objects.filter(retired_ms=None).select_related("node", "capacity")
    if uuids is not None:
        rows = rows.filter(uuid__in=uuids)
    for part in filter(None, filters.split(",")):
        key, colon, value = part.partition(":")
        if not colon or key not in FILTERS:
            raise BadFilter(part, ", ".join(FILTERS))
        if key == "numa_node" and not value.isdecimal():
            raise BadFilter(part, "numa_node:NUMBER")
        rows = rows.filter(**{"node__name" if key == "node" else key: value})
    return [_device(row) for row in rows.order_by("uuid")]


def device(viewer: Viewer, uuid: str) -> DeviceView:
    """One device. Errors: DeviceNotFound."""
    row = Device.objects.filter(uuid=uuid).select_related("node", "capacity").first()
    if row is None:
        raise DeviceNotFound(uuid)
    return _device(row)


def _node(row: Node) -> NodeView:
    return NodeView(
        name=row.name,
        engine=row.engine,
        agent_version=row.agent_version,
        registered_ms=row.registered_ms,
        seen_ms=row.seen_ms,
        simulated=row.simulated,
        draining=row.draining,
        facts=row.facts,
        devices=tuple(_device(d) for d in sorted(row.devices.all(), key=_order) if d.retired_ms is None),
    )


def _order(device: Device) -> tuple[int, str, str]:
    return (-1 if device.numa_node is None else device.numa_node, device.type, device.uuid)


def _device(row: Device) -> DeviceView:
    return DeviceView(
        uuid=row.uuid,
        node=row.node.name,
        type=row.type,
        name=row.name,
        numa_node=row.numa_node,
        parent=row.parent,
        vendor=row.vendor,
        model=row.model,
        attributes=row.attributes,
        healthy=row.healthy,
        degraded_reason=row.degraded_reason,
        simulated=row.node.simulated,
        dimensions=_dimensions(row),
        cpus=tuple(row.cpus),
    )


def _dimensions(row: Device) -> tuple[DimensionView, ...]:
    """Every dimension the agent spoke of: a missing value stays missing."""
    return tuple(
        DimensionView(
            name=name,
            capacity=getattr(row.capacity, f"capacity_{name}"),
            reserved=getattr(row.capacity, f"reserved_{name}"),
            source=row.provenance[name]["source"],
            quality=row.provenance[name]["quality"],
        )
        for name in ADDITIVE
        if name in row.provenance
    )
