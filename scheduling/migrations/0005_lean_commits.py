"""Commits write less: no index twice, and references of claims and decisions are held where their targets are deleted."""

import django.db.models.deletion
import scheduling.lifecycle
from django.db import migrations, models

GUARD = """
CREATE FUNCTION scheduling_keep_referred() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE referred boolean;
BEGIN
    EXECUTE format('SELECT EXISTS (SELECT FROM %I WHERE %I = $1)', TG_ARGV[0], TG_ARGV[1]) INTO referred USING OLD.id;
    IF referred THEN
        RAISE EXCEPTION '% % is referred to by %', TG_TABLE_NAME, OLD.id, TG_ARGV[0]
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'keep_referred';
    END IF;
    RETURN OLD;
END $$;
CREATE TRIGGER keep_claimed BEFORE DELETE ON scheduling_device
    FOR EACH ROW EXECUTE FUNCTION scheduling_keep_referred('scheduling_allocation', 'device_id');
CREATE TRIGGER keep_claiming BEFORE DELETE ON scheduling_attempt
    FOR EACH ROW EXECUTE FUNCTION scheduling_keep_referred('scheduling_allocation', 'attempt_id');
CREATE TRIGGER keep_decided BEFORE DELETE ON scheduling_job
    FOR EACH ROW EXECUTE FUNCTION scheduling_keep_referred('scheduling_decision', 'job_id');
"""
UNGUARD = """
DROP TRIGGER keep_claimed ON scheduling_device;
DROP TRIGGER keep_claiming ON scheduling_attempt;
DROP TRIGGER keep_decided ON scheduling_job;
DROP FUNCTION scheduling_keep_referred;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('scheduling', '0004_holds'),
        ('tenancy', '0002_append_only'),
    ]

    operations = [
        migrations.AlterField(
            model_name='allocation',
            name='attempt',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='allocations', to='scheduling.attempt'),
        ),
        migrations.AlterField(
            model_name='allocation',
            name='device',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='allocations', to='scheduling.device'),
        ),
        migrations.AlterField(
            model_name='attempt',
            name='job',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='attempts', to='scheduling.job'),
        ),
        migrations.AlterField(
            model_name='decision',
            name='job',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to='scheduling.job'),
        ),
        migrations.AlterField(
            model_name='decision',
            name='planner_input',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='scheduling.plannerinput'),
        ),
        migrations.AlterField(
            model_name='job',
            name='project',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.project'),
        ),
        migrations.AddIndex(
            model_name='allocation',
            index=models.Index(condition=models.Q(models.Q(('state', scheduling.lifecycle.AllocationState['RELEASED']), _negated=True), models.Q(('cpus', []), _negated=True)), fields=['device'], name='allocation_of_cores'),
        ),
        migrations.RunSQL(GUARD, UNGUARD),
    ]
