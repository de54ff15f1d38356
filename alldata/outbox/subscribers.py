"""Who wants to hear which fact. Filled at start-up by each app's `handlers.py`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from alldata.kernel.events import Event

E = TypeVar("E", bound=Event)
Handler = Callable[[Any, int], None]


@dataclass(frozen=True, slots=True)
class Subscriber:
    """A named receiver of one kind of fact: `handle(event, now_ms)`, database work only."""

    name: str
    event: type[Event]
    handle: Handler
    wants: Callable[[Any], bool] = lambda event: True


_subscribers: dict[str, Subscriber] = {}


def subscribe(
    event: type[E], *, wants: Callable[[E], bool] = lambda event: True
) -> Callable[[Callable[[E, int], None]], Callable[[E, int], None]]:
    """Register `handler(event, now_ms)` under its dotted path; it must be idempotent.

    `wants` sees the fact when it is written: nothing is owed of what nobody wants to hear.
    """

    def register(handler: Callable[[E, int], None]) -> Callable[[E, int], None]:
        name = f"{handler.__module__}.{handler.__qualname__}"
        _subscribers[name] = Subscriber(name, event, handler, wants)
        return handler

    return register


def subscribers_of(event: Event) -> list[str]:
    """Names of those to be told of this fact, in a stable order."""
    return sorted(s.name for s in _subscribers.values() if s.event is type(event) and s.wants(event))


def subscriber(name: str) -> Subscriber:
    """The subscriber by name; a KeyError means a release removed it with deliveries pending."""
    return _subscribers[name]
