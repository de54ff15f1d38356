"""Hand out the next J-n of an organisation."""

from uuid import UUID

from django.db.models import F

from alldata.tenancy.models import Organisation


def next_job_number(organisation_id: UUID) -> int:
    """The next number; call inside the transaction that uses it (a rollback frees it)."""
    Organisation.objects.filter(id=organisation_id).update(last_job_number=F("last_job_number") + 1)
    return int(Organisation.objects.values_list("last_job_number", flat=True).get(id=organisation_id))
