"""For scripts that kill their children at one line after the other: they import once, then fork for each line."""

import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any


def kill_at_line(number: int, *files: str) -> None:
    """Kills this process at the `number`-th line that it runs from now on in files whose paths begin so."""
    sys.settrace(_KillAtLine(number, files))


class _KillAtLine:
    def __init__(self, number: int, files: tuple[str, ...]) -> None:
        self._left = number
        self._files = files

    def __call__(self, frame: FrameType, event: str, _: Any) -> Any:
        if not frame.f_code.co_filename.startswith(self._files):
            return None
        if event == "line":
            self._left -= 1
            if self._left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return self


def kill_at_lines(work: Callable[[int], None], *, step: int, first: int = 1) -> int:
    """Calls `work` with the number of a line, every `step`-th one, until a child is not killed; how many were."""
    killed = 0
    while was_killed(partial(work, number := first + killed * step), f"line {number}"):
        killed += 1
    return killed


def was_killed(work: Callable[[], None], name: str) -> bool:
    """Does the work in a child. False if it ended before it was killed."""
    return ended_by_kill(start_child(work), name)


def start_child(work: Callable[[], None]) -> int:
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return child


def ended_by_kill(child: int, name: str) -> bool:
    _, ended = os.waitpid(child, 0)
    if os.WIFSIGNALED(ended):
        return True
    if os.WEXITSTATUS(ended) != 0:
        raise SystemExit(f"{name} failed")
    return False
