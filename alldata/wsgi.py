"""The WSGI door (gunicorn alldata.wsgi)."""

import gc
import os

from django.core.wsgi import get_wsgi_application
from django.urls import resolve

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "alldata.settings")
application = get_wsgi_application()
# The server forks after this line: load every page's code first and keep the collector from touching it,
# so that the workers share that memory.
resolve("/")
gc.collect()
gc.freeze()
