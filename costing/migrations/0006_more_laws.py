"""Rates of exchange and invoices are insert-only, like prices and entries."""

from django.db import migrations

CREATE = """
CREATE TRIGGER exchange_rate_immutable BEFORE UPDATE OR DELETE ON costing_exchangerate
    FOR EACH ROW EXECUTE FUNCTION costing_is_append_only();
CREATE TRIGGER invoice_lock_immutable BEFORE UPDATE OR DELETE ON costing_invoicelock
    FOR EACH ROW EXECUTE FUNCTION costing_is_append_only();
"""
DROP = """
DROP TRIGGER exchange_rate_immutable ON costing_exchangerate;
DROP TRIGGER invoice_lock_immutable ON costing_invoicelock;
"""


class Migration(migrations.Migration):
    dependencies = [("costing", "0005_books_days_budgets")]
    operations = [migrations.RunSQL(CREATE, DROP)]
