"""A published version keeps its text for ever; only its deprecation may be added."""

from django.db import migrations

CREATE = """
CREATE FUNCTION refuse_published_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.status <> 'draft' AND (TG_OP = 'DELETE'
        OR (NEW.id, NEW.profile_id, NEW.version, NEW.text, NEW.canonical, NEW.digest, NEW.published_ms)
            IS DISTINCT FROM
           (OLD.id, OLD.profile_id, OLD.version, OLD.text, OLD.canonical, OLD.digest, OLD.published_ms)
        OR NEW.status = 'draft'
        OR (OLD.status = 'deprecated' AND NEW.status <> 'deprecated')) THEN
        RAISE EXCEPTION 'profile version % is % and cannot change', OLD.id, OLD.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'published_is_immutable';
    END IF;
    IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER published_is_immutable BEFORE UPDATE OR DELETE ON profiles_profileversion
    FOR EACH ROW EXECUTE FUNCTION refuse_published_change();
"""
DROP = "DROP TRIGGER published_is_immutable ON profiles_profileversion; DROP FUNCTION refuse_published_change;"


class Migration(migrations.Migration):
    dependencies = [("profiles", "0001_initial")]
    operations = [migrations.RunSQL(CREATE, DROP)]
