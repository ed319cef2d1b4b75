"""Ending everything a job started, also what went into a session of its own.

The job runner is a sub-reaper: whoever loses its parent becomes its child. So it is enough to kill direct children
again and again; and a child that was not reaped keeps its pid, so no stranger can be hit.
"""

import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress

import psutil

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
PAUSE_SECONDS = 0.02
GIVE_UP_SECONDS = 30  # a process in uninterruptible sleep is nobody's to end

_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def adopt_orphans() -> None:
    if _libc:
        _libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def die_with(parent: int) -> Callable[[], None]:
    """To run in the child before exec: when the runner is killed, the pipeline goes with it."""

    def ask() -> None:
        if _libc:
            _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            if os.getppid() != parent:  # it was killed before we could ask
                os._exit(1)

    return ask


def end_all(grace_seconds: float, reap: Callable[[], None], spared: Callable[[int], bool]) -> None:
    """SIGTERM, the grace, SIGKILL until nobody is left but those to be spared."""
    now = time.monotonic()
    kill_at, give_up_at = now + grace_seconds, now + grace_seconds + GIVE_UP_SECONDS
    asked: set[int] = set()
    while children := _children(reap, spared):
        now = time.monotonic()
        if now > give_up_at:
            return
        for pid in children:
            if now >= kill_at:
                _signal(pid, signal.SIGKILL)
            elif pid not in asked:
                asked.add(pid)
                _signal(pid, signal.SIGTERM)
        time.sleep(PAUSE_SECONDS)


def _children(reap: Callable[[], None], spared: Callable[[int], bool]) -> list[int]:
    reap()
    return [child.pid for child in psutil.Process().children() if not spared(child.pid)]


def _signal(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)
