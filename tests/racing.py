"""Several at once: what did each come to?"""

import threading
from collections.abc import Callable

from django.db import connection

from alldata.kernel.errors import Conflict


def race(*acts: Callable[[], object]) -> list[str]:
    """The answer of each act, or the code of its conflict, when all start together; sorted."""
    outcomes: list[str] = []
    ready = threading.Barrier(len(acts))

    def run(act: Callable[[], object]) -> None:
        try:
            connection.ensure_connection()
            ready.wait()
            outcomes.append(f"{act()}")
        except Conflict as refused:
            outcomes.append(refused.code)
        finally:
            connection.close()

    racers = [threading.Thread(target=run, args=(act,)) for act in acts]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join()
    return sorted(outcomes)
