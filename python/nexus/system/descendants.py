"""Ending everything that a process started, also what went into a session of its own.

A sub-reaper becomes the parent of every descendant that loses its own. So it is enough to kill direct children again
and again; and a child that was not reaped keeps its pid, so no other process can be hit. Standard library only on
Linux: the browser's supervisor runs without installed packages.
"""

import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
PAUSE_SECONDS = 0.02
GIVE_UP_SECONDS = 30  # a process in uninterruptible sleep cannot be ended

_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def become_subreaper() -> None:
    if _libc and _libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "cannot become a sub-reaper")


def die_with_parent(parent: int, number: signal.Signals = signal.SIGKILL) -> None:
    """For a child between fork and exec: when its parent dies, however it dies, it gets this signal (Linux only).
    To be called after a change of user, which would take the signal away again."""
    if _libc:
        _libc.prctl(PR_SET_PDEATHSIG, number, 0, 0, 0)
        if os.getppid() != parent:  # it died before the line above took effect
            os._exit(1)


def end_children(
    grace_seconds: float, reap: Callable[[], object], is_spared: Callable[[int], bool] = lambda _: False
) -> None:
    """SIGTERM, the grace, then SIGKILL until none is left but those to be spared. For a sub-reaper."""
    now = time.monotonic()
    kill_at, give_up_at = now + grace_seconds, now + grace_seconds + GIVE_UP_SECONDS
    terminated: set[int] = set()
    while children := _children(reap, is_spared):
        now = time.monotonic()
        if now > give_up_at:
            return
        for pid in children:
            if now >= kill_at:
                _signal(pid, signal.SIGKILL)
            elif pid not in terminated:
                terminated.add(pid)
                _signal(pid, signal.SIGTERM)
        time.sleep(PAUSE_SECONDS)


def _children(reap: Callable[[], object], is_spared: Callable[[int], bool]) -> list[int]:
    reap()
    return [pid for pid in _child_pids() if not is_spared(pid)]


def _child_pids() -> list[int]:
    if sys.platform != "linux":
        import psutil  # noqa: PLC0415 - not there for the browser's supervisor

        return [child.pid for child in psutil.Process().children()]
    me = os.getpid()
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and _parent_of(name) == me]  # noqa: PTH208


def _parent_of(pid: str) -> int | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:  # it has ended
        return None
    # After the last ')': a process may put anything into its name, also bytes that are no UTF-8.
    return int(stat.rpartition(b")")[2].split()[1])


def _signal(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)
