"""Commits write less again, and moves of a job touch no index.

An attempt's answer is kept once, with its decision. The index of open jobs looks at no column that moves change, so
that with room in its page a move writes one row version and no index entry; rows of capacity have such room too.
"""

import django.db.models.deletion
from django.db import migrations, models

#: The additive dimensions at the time of this migration; a new one makes this trigger anew.
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
OVER = " OR ".join(f"NEW.reserved_{name} > COALESCE(NEW.capacity_{name}, 0)" for name in ADDITIVE)

#: As in 0002, asked only where there is something to refuse or to flag.
GUARD = f"""
DROP TRIGGER guard_capacity ON scheduling_devicecapacity;
CREATE TRIGGER guard_capacity BEFORE INSERT OR UPDATE ON scheduling_devicecapacity
    FOR EACH ROW WHEN (NEW.overcommitted OR {OVER}) EXECUTE FUNCTION scheduling_guard_capacity();
"""
UNGUARD = """
DROP TRIGGER guard_capacity ON scheduling_devicecapacity;
CREATE TRIGGER guard_capacity BEFORE INSERT OR UPDATE ON scheduling_devicecapacity
    FOR EACH ROW EXECUTE FUNCTION scheduling_guard_capacity();
"""
KEEP = """
CREATE TRIGGER keep_attempted BEFORE DELETE ON scheduling_job
    FOR EACH ROW EXECUTE FUNCTION scheduling_keep_referred('scheduling_attempt', 'job_id');
CREATE TRIGGER keep_placed_on BEFORE DELETE ON scheduling_node
    FOR EACH ROW EXECUTE FUNCTION scheduling_keep_referred('scheduling_attempt', 'node_id');
"""
UNKEEP = """
DROP TRIGGER keep_attempted ON scheduling_job;
DROP TRIGGER keep_placed_on ON scheduling_node;
"""
#: Migration 0005 lost it: Django takes a partial unique index for the index of the field that gave its own up.
ONE_LIVE = """
CREATE UNIQUE INDEX IF NOT EXISTS one_live_attempt_per_job ON scheduling_attempt (job_id)
    WHERE NOT (state IN ('cancelled', 'failed', 'lost', 'preempted', 'succeeded'))
"""
REFUSE = """
CREATE FUNCTION scheduling_refuse(why text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', why USING ERRCODE = 'check_violation', CONSTRAINT = 'every_placement_holds';
END $$
"""
ROOM = """
ALTER TABLE scheduling_job SET (fillfactor = 60);
ALTER TABLE scheduling_devicecapacity SET (fillfactor = 50);
ALTER TABLE scheduling_decision SET (toast_tuple_target = 4080);
"""
NO_ROOM = """
ALTER TABLE scheduling_job RESET (fillfactor);
ALTER TABLE scheduling_devicecapacity RESET (fillfactor);
ALTER TABLE scheduling_decision RESET (toast_tuple_target);
"""
ONCE = """
UPDATE scheduling_attempt AS attempt SET placement = NULL FROM scheduling_decision AS decision
WHERE decision.id = attempt.id AND decision.outcome = 'placed' AND decision.answer = attempt.placement
"""
TWICE = """
UPDATE scheduling_attempt AS attempt SET placement = decision.answer FROM scheduling_decision AS decision
WHERE decision.id = attempt.id AND attempt.placement IS NULL
"""
#: What a claim is of is its key.
KEYED = """
ALTER TABLE scheduling_allocation DROP CONSTRAINT scheduling_allocation_pkey, DROP COLUMN id;
ALTER TABLE scheduling_allocation DROP CONSTRAINT allocation_once;
ALTER TABLE scheduling_allocation ADD CONSTRAINT scheduling_allocation_pkey
    PRIMARY KEY (attempt_id, device_id, dimension);
"""
NUMBERED = """
ALTER TABLE scheduling_allocation DROP CONSTRAINT scheduling_allocation_pkey;
ALTER TABLE scheduling_allocation ADD COLUMN id uuid NOT NULL DEFAULT uuidv7() PRIMARY KEY;
ALTER TABLE scheduling_allocation ALTER COLUMN id DROP DEFAULT;
ALTER TABLE scheduling_allocation ADD CONSTRAINT allocation_once UNIQUE (attempt_id, device_id, dimension);
"""


class Migration(migrations.Migration):
    dependencies = [("scheduling", "0005_lean_commits")]
    operations = [
        migrations.RunSQL(GUARD, UNGUARD),
        migrations.RunSQL(KEEP, UNKEEP),
        migrations.RunSQL(REFUSE, "DROP FUNCTION scheduling_refuse"),
        migrations.RunSQL(ROOM, NO_ROOM),
        migrations.AlterField(
            model_name="attempt",
            name="job",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="attempts",
                to="scheduling.job",
            ),
        ),
        migrations.AlterField(
            model_name="attempt",
            name="node",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="scheduling.node",
            ),
        ),
        migrations.AlterField(model_name="attempt", name="placement", field=models.JSONField(null=True)),
        migrations.RemoveIndex(model_name="attempt", name="attempt_live"),
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(
                condition=models.Q(
                    ("state__in", ["cancelled", "failed", "lost", "preempted", "succeeded"]), ("forgotten_ms", None)
                ),
                fields=["changed_ms"],
                name="attempt_to_forget",
            ),
        ),
        migrations.RunSQL(ONE_LIVE, migrations.RunSQL.noop),
        migrations.RunSQL(ONCE, TWICE),
        migrations.SeparateDatabaseAndState(
            [migrations.RunSQL(KEYED, NUMBERED)],
            [
                migrations.RemoveConstraint(model_name="allocation", name="allocation_once"),
                migrations.RemoveField(model_name="allocation", name="id"),
                migrations.AddField(
                    model_name="allocation",
                    name="pk",
                    field=models.CompositePrimaryKey(
                        "attempt_id",
                        "device_id",
                        "dimension",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
            ],
        ),
        migrations.RemoveIndex(model_name="job", name="job_waiting"),
        migrations.AddIndex(
            model_name="job",
            index=models.Index(condition=models.Q(ended_ms=None), fields=["submitted_ms"], name="job_open"),
        ),
        migrations.AddConstraint(
            model_name="job",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("ended_ms", None),
                    ("state__in", ["cancelled", "failed", "over_budget", "succeeded"]),
                    _connector="OR",
                ),
                name="job_is_open_until_it_ends",
            ),
        ),
    ]
