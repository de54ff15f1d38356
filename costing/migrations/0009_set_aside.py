"""What is set aside by project, at most: admission looks at one number a project, not at every open reservation."""

from django.db import migrations, models

GROW = """
CREATE FUNCTION reservation_is_counted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE more bigint := NEW.reserved_nano - CASE TG_OP WHEN 'UPDATE' THEN OLD.reserved_nano ELSE 0 END;
BEGIN
    IF more > 0 THEN
        INSERT INTO costing_setaside AS known (project_id, nano) VALUES (NEW.project_id, more)
            ON CONFLICT (project_id) DO UPDATE SET nano = known.nano + EXCLUDED.nano;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER reservation_is_counted AFTER INSERT OR UPDATE OF reserved_nano ON costing_reservation
    FOR EACH ROW EXECUTE FUNCTION reservation_is_counted();
INSERT INTO costing_setaside (project_id, nano)
    SELECT project_id, sum(reserved_nano) FROM costing_reservation WHERE settled_ms IS NULL GROUP BY project_id;
"""
BACK = """
DROP TRIGGER reservation_is_counted ON costing_reservation;
DROP FUNCTION reservation_is_counted();
"""


class Migration(migrations.Migration):
    dependencies = [("costing", "0008_spend_hours_and_job_spans")]
    operations = [
        migrations.CreateModel(
            "SetAside",
            fields=[
                ("project_id", models.UUIDField(primary_key=True, serialize=False)),
                ("nano", models.BigIntegerField()),
            ],
        ),
        migrations.RunSQL(GROW, BACK),
    ]
