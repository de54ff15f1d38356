"""Laws that hold whatever the code does: no oversubscription, append-only decisions."""

from django.db import migrations

#: The additive dimensions at the time of this migration; a new one brings its own.
ADDITIVE = (
    "cpu_millicores",
    "memory_bytes",
    "memory_bandwidth",
    "gpu_sm",
    "gpu_tensor",
    "gpu_memory_bytes",
    "hbm_bandwidth",
    "nvlink_bandwidth",
    "pcie_bandwidth",
    "storage_bytes",
    "storage_iops",
    "storage_bandwidth",
    "storage_queue_slots",
    "network_bandwidth",
)

RAISED = "\n".join(
    f"""
    IF NEW.reserved_{name} > COALESCE(NEW.capacity_{name}, 0) THEN
        over := true;
        IF TG_OP = 'INSERT' OR NEW.reserved_{name} > OLD.reserved_{name} THEN
            RAISE EXCEPTION 'device %: {name} reserved % of capacity %',
                NEW.device_id, NEW.reserved_{name}, NEW.capacity_{name}
                USING ERRCODE = 'check_violation', CONSTRAINT = 'capacity_not_exceeded';
        END IF;
    END IF;"""
    for name in ADDITIVE
)

CAPACITY = f"""
CREATE FUNCTION scheduling_guard_capacity() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE over boolean := false;
BEGIN
{RAISED}
    NEW.overcommitted := over;
    RETURN NEW;
END $$;
CREATE TRIGGER guard_capacity BEFORE INSERT OR UPDATE ON scheduling_devicecapacity
    FOR EACH ROW EXECUTE FUNCTION scheduling_guard_capacity();
"""

APPEND_ONLY = """
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON scheduling_{table}
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
"""


class Migration(migrations.Migration):
    dependencies = [("scheduling", "0001_initial"), ("tenancy", "0002_append_only")]
    operations = [
        migrations.RunSQL(
            CAPACITY,
            "DROP TRIGGER guard_capacity ON scheduling_devicecapacity;"
            "DROP FUNCTION scheduling_guard_capacity;",
        ),
        *(
            migrations.RunSQL(
                APPEND_ONLY.format(table=table),
                f"DROP TRIGGER append_only ON scheduling_{table};",
            )
            for table in ("decision", "plannerinput")
        ),
    ]
