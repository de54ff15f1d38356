"""Supply: nodes, devices, links, and one wide capacity row a device.

What must always hold is held by the database: raising a `reserved_*` above its
`capacity_*` is refused by trigger whatever the code does (migration 0002); capacity may
fall below what is reserved, then the row is flagged overcommitted and takes nothing new.
A missing capacity is NULL: unknown, never zero, never reservable.
"""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from alldata.kernel.ids import uuid7
from profiles.dimensions import ADDITIVE


class Node(models.Model):
    """One machine that an agent speaks for."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    name = models.CharField(max_length=120, unique=True)
    engine = models.CharField(max_length=20)
    agent_version = models.CharField(max_length=40)
    boot_id = models.CharField(max_length=64)
    facts = models.JSONField(default=dict)
    registered_ms = models.BigIntegerField()
    seen_ms = models.BigIntegerField()
    simulated = models.BooleanField(default=False)
    draining = models.BooleanField(default=False)

    def __str__(self) -> str:
        return self.name


class Device(models.Model):
    """A GPU, SSD, NIC, link, or one NUMA node's cores or memory pool. Retired, never reused."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    uuid = models.CharField(max_length=160, unique=True)
    node = models.ForeignKey(Node, models.PROTECT, related_name="devices")
    type = models.CharField(max_length=20)
    name = models.CharField(max_length=160)
    numa_node = models.IntegerField(null=True)
    parent = models.CharField(max_length=160, null=True)
    vendor = models.CharField(max_length=60, blank=True)
    model = models.CharField(max_length=120, blank=True)
    attributes = models.JSONField(default=dict)
    #: dimension -> {"source": ..., "quality": ...}: where each capacity came from.
    provenance = models.JSONField(default=dict)
    healthy = models.BooleanField(default=True)
    degraded_reason = models.CharField(max_length=200, blank=True)
    cpus = ArrayField(models.IntegerField(), default=list)
    retired_ms = models.BigIntegerField(null=True)

    class Meta:
        indexes = [models.Index(fields=["node", "type"], name="device_by_node")]

    def __str__(self) -> str:
        return self.uuid


class Link(models.Model):
    """A connection between two devices: NVLink, PCIe or a socket interconnect."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    node = models.ForeignKey(Node, models.PROTECT, related_name="links")
    kind = models.CharField(max_length=20)
    a = models.CharField(max_length=160)
    b = models.CharField(max_length=160)
    capacity_bytes_per_s = models.BigIntegerField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["node", "kind", "a", "b"], name="link_once"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.a} - {self.b}"


class DeviceCapacity(models.Model):
    """What a device can give and what is promised, in base units, one column a dimension."""

    device = models.OneToOneField(Device, models.CASCADE, primary_key=True, related_name="capacity")
    valid_from_ms = models.BigIntegerField()
    overcommitted = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(**{f"reserved_{name}__gte": 0}), name=f"reserved_{name}_not_negative")
            for name in ADDITIVE
        ]

    def __str__(self) -> str:
        return f"capacity of {self.device_id}"


for _name in ADDITIVE:
    DeviceCapacity.add_to_class(f"capacity_{_name}", models.BigIntegerField(null=True))
    DeviceCapacity.add_to_class(f"reserved_{_name}", models.BigIntegerField(default=0))


def room_for(name: str, amount: int) -> Q:
    """The condition under which `amount` more of a dimension may be reserved."""
    return Q(**{f"capacity_{name}__gte": F(f"reserved_{name}") + amount})
