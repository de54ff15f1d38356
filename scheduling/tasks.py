"""Celery's doors into the loops: no arguments, safe to run twice, safe to skip."""

import time

from celery import shared_task
from django.core.cache import cache

from alldata.kernel import clock
from scheduling.ports import ports
from scheduling.services.cancellation import sweep_stopped
from scheduling.services.execution import drive as drive_once
from scheduling.services.expiring import expire_holds
from scheduling.services.housekeeping import tidy
from scheduling.services.locks import LockKey, try_lock
from scheduling.services.mix import observe
from scheduling.services.pipelines import advance
from scheduling.services.placement import place_waiting
from scheduling.services.release import release_due

#: A launch takes some tens of ms to show: looking again soon beats waiting for the next second.
LOOKS, LOOK_EVERY_S = 40, 0.03


@shared_task(name="scheduling.tasks.plan")
def plan() -> None:
    """Place what waits, stop what must make room; then launch and stop at once, without another hop."""
    played = place_waiting(prices=ports().prices, now_ms=clock.now_ms())
    if played.placed or played.stopped:
        drive()


@shared_task(name="scheduling.tasks.drive")
def drive() -> None:
    """One driver at a time; while something moves, or somebody asked meanwhile, look again soon."""
    asked = _ask("drive")
    with try_lock(LockKey.DRIVER) as held:
        looks = LOOKS if held else 0
        while looks:
            busy = drive_once(ports(), now_ms=clock.now_ms())
            asked, before = cache.get(asked_key("drive")), asked
            if not busy and asked == before:
                break
            looks -= 1
            time.sleep(LOOK_EVERY_S)


def asked_key(loop: str) -> str:
    """Where the calls of a loop are counted."""
    return f"scheduling:{loop}:asked"


def _ask(loop: str) -> int:
    """Count a call, so that whoever holds the loop's lock notices that there is more to do."""
    cache.add(asked_key(loop), 0, timeout=None)
    return int(cache.incr(asked_key(loop)))


@shared_task(name="scheduling.tasks.advance_pipelines")
def advance_pipelines() -> None:
    """Move each pipeline run on by what its jobs have reached."""
    with try_lock(LockKey.PIPELINES) as held:
        if held:
            advance(ports(), now_ms=clock.now_ms())


@shared_task(name="scheduling.tasks.observe_mix")
def observe_mix() -> None:
    """Price what jobs ask for lately, beside the planner."""
    with try_lock(LockKey.MIX) as held:
        if held:
            observe(prices=ports().prices, now_ms=clock.now_ms())


@shared_task(name="scheduling.tasks.release")
def release() -> None:
    """Take back places that nobody used, free what is past its grace period, and forget what has been metered."""
    now_ms = clock.now_ms()
    expire_holds(now_ms=now_ms)
    release_due(now_ms=now_ms)
    sweep_stopped(now_ms=now_ms)
    tidy(ports(), now_ms=now_ms)
