"""The WSGI door (gunicorn alldata.wsgi)."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "alldata.settings")
application = get_wsgi_application()
