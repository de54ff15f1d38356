"""Submit one job, until killed; `python -m tests.inside.submitting` with a test's DATABASE_URL."""

from django.contrib.auth.models import User

from alldata.tenancy.selectors import viewer_of_user
from tests.world import submitted

if __name__ == "__main__":
    viewer = viewer_of_user(User.objects.get())
    print("begun", flush=True)
    submitted(viewer, request_id="killed")
