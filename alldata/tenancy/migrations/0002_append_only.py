"""The audit trail cannot be rewritten; other append-only tables use the same function."""

from django.db import migrations

CREATE = """
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'check_violation', CONSTRAINT = 'append_only';
END $$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON tenancy_auditentry
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
"""
DROP = "DROP TRIGGER append_only ON tenancy_auditentry; DROP FUNCTION refuse_change;"


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0001_initial")]
    operations = [migrations.RunSQL(CREATE, DROP)]
