"""Which engine runs attempts of which name?

`alldata/wiring.py` builds one registry; an attempt keeps the name, so it is always observed by
the engine that started it. An unknown name is `services/execution.py`'s EngineAway.
"""

from collections.abc import Mapping

from scheduling.executors.base import Executor


def registry(*executors: Executor) -> Mapping[str, Executor]:
    """Engines by name, in the order given; the first is the default. Two of one name are a wiring fault."""
    by_name = {executor.name: executor for executor in executors}
    if len(by_name) != len(executors):
        raise ValueError(f"two engines share a name: {[executor.name for executor in executors]}")
    return by_name
