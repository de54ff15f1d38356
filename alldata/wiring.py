"""Pick the implementations: engine, artifact store, prices, budgets, usage watch; plug each app's ports.

The only module besides settings.py that reads settings, and the only one that knows which
engine runs where. `plug_all` is called once a process by the portal's AppConfig.
"""

import socket
import sys

from django.conf import settings

from alldata.celery import app as celery
from alldata.kernel.blobs import BlobStore
from costing.services.gate import BudgetDesk
from costing.services.quotes import BookQuotes
from monitoring.services.watch import FrameWatch
from scheduling.executors.local import LocalExecutor
from scheduling.ports import Ports, plug


def node_name() -> str:
    """The name under which this machine's agent registers."""
    return settings.NODE_NAME or socket.gethostname()


def plug_all() -> None:
    """Give every app what it asks for in its ports.py, and tasks their broker in every process."""
    celery.set_default()
    local = LocalExecutor(runs_dir=settings.RUNS_DIR, node=node_name(), python=sys.executable)
    plug(
        Ports(
            engines={local.name: local},
            blobs=BlobStore(settings.ARTIFACTS_DIR),
            prices=BookQuotes(),
            budgets=BudgetDesk(),
            usage=FrameWatch(),
        )
    )
