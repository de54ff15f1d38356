"""What was uploaded stays as it was; only its withdrawal may be added."""

from django.db import migrations

CREATE = """
CREATE FUNCTION refuse_knowledge_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE'
        OR (NEW.id, NEW.version, NEW.parts, NEW.text, NEW.digest, NEW.note, NEW.created_by, NEW.created_ms)
            IS DISTINCT FROM
           (OLD.id, OLD.version, OLD.parts, OLD.text, OLD.digest, OLD.note, OLD.created_by, OLD.created_ms)
        OR (OLD.withdrawn_ms IS NOT NULL AND NEW.withdrawn_ms IS DISTINCT FROM OLD.withdrawn_ms) THEN
        RAISE EXCEPTION 'knowledge base version % cannot change', OLD.version
            USING ERRCODE = 'check_violation', CONSTRAINT = 'knowledge_is_append_only';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER knowledge_is_append_only BEFORE UPDATE OR DELETE ON profiles_hardwareknowledge
    FOR EACH ROW EXECUTE FUNCTION refuse_knowledge_change();
"""
DROP = "DROP TRIGGER knowledge_is_append_only ON profiles_hardwareknowledge; DROP FUNCTION refuse_knowledge_change;"


class Migration(migrations.Migration):
    dependencies = [("profiles", "0003_hardware_knowledge")]
    operations = [migrations.RunSQL(CREATE, DROP)]
