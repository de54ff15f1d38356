"""Which engine runs attempts of which name?

`alldata/wiring.py` builds one registry from settings; `services/execution.py` asks it by the
name stored on the attempt, so an attempt is always observed by the engine that started it.
"""

from collections.abc import Iterable

from alldata.kernel.errors import Unavailable
from scheduling.executors.base import Executor


class EngineUnknown(Unavailable):
    """An attempt names an engine that this installation does not run (any more)."""

    code = "engine_unknown"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name

    def __str__(self) -> str:
        return f"no engine named {self.name} is configured"


class Registry:
    """The engines of this installation; the first one is the default."""

    def __init__(self, executors: Iterable[Executor]) -> None:
        self._by_name = {executor.name: executor for executor in executors}

    def get(self, name: str) -> Executor:
        """Errors: EngineUnknown."""
        executor = self._by_name.get(name)
        if executor is None:
            raise EngineUnknown(name)
        return executor

    @property
    def default(self) -> Executor:
        """Errors: EngineUnknown when there is none at all."""
        return self.get(next(iter(self._by_name), "default"))

    def names(self) -> tuple[str, ...]:
        return tuple(self._by_name)
