"""What the database holds whatever the code does: past prices and booked entries never change."""

from django.db import migrations

CREATE = """
CREATE FUNCTION costing_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only: add a version or a correcting entry', TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER price_version_immutable BEFORE UPDATE OR DELETE ON costing_priceversion
    FOR EACH ROW EXECUTE FUNCTION costing_is_append_only();
CREATE TRIGGER price_rate_immutable BEFORE UPDATE OR DELETE ON costing_pricerate
    FOR EACH ROW EXECUTE FUNCTION costing_is_append_only();
CREATE TRIGGER ledger_entry_append_only BEFORE UPDATE OR DELETE ON ledger_entry
    FOR EACH ROW EXECUTE FUNCTION costing_is_append_only();
"""
DROP = """
DROP TRIGGER ledger_entry_append_only ON ledger_entry;
DROP TRIGGER price_rate_immutable ON costing_pricerate;
DROP TRIGGER price_version_immutable ON costing_priceversion;
DROP FUNCTION costing_is_append_only();
"""


class Migration(migrations.Migration):
    dependencies = [("costing", "0001_initial")]
    operations = [migrations.RunSQL(CREATE, DROP)]
