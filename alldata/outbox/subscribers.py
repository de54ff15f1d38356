"""Who wants to hear which fact. Filled at start-up by each app's `handlers.py`."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from alldata.kernel.events import Event

E = TypeVar("E", bound=Event)
Handler = Callable[[Any, int], None]
#: A field of a fact and the values that are wanted; none for whatever it says.
When = Mapping[str, Collection[str]]


@dataclass(frozen=True, slots=True)
class Subscriber:
    """A named receiver of one kind of fact: `handle(event, now_ms)`, database work only."""

    name: str
    event: type[Event]
    handle: Handler
    when: When = field(default_factory=dict)


_subscribers: dict[str, Subscriber] = {}


def subscribe(
    event: type[E], *, when: When | None = None
) -> Callable[[Callable[[E, int], None]], Callable[[E, int], None]]:
    """Register `handler(event, now_ms)` under its dotted path; it must be idempotent.

    `when` is asked when the fact is written: nothing is owed of what nobody wants to hear. It is data, no code, so
    that it can be asked of facts that the database writes itself, before all their fields are known.
    """

    def register(handler: Callable[[E, int], None]) -> Callable[[E, int], None]:
        name = f"{handler.__module__}.{handler.__qualname__}"
        _subscribers[name] = Subscriber(name, event, handler, when or {})
        return handler

    return register


def subscribers_of(event: Event) -> list[str]:
    """Names of those to be told of this fact, in a stable order."""
    return receivers(type(event), event.as_json())


def receivers(kind: type[Event], known: Mapping[str, Any]) -> list[str]:
    """Names of those to be told of every fact that says this; a KeyError when more of it must be known for that."""
    return sorted(
        s.name
        for s in _subscribers.values()
        if s.event is kind and all(known[name] in values for name, values in s.when.items())
    )


def subscriber(name: str) -> Subscriber:
    """The subscriber by name; a KeyError means a release removed it with deliveries pending."""
    return _subscribers[name]
