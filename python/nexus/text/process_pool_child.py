"""The child's side of the process pool: runs the calls it reads from its pipe, until the pipe closes."""

import os
import resource
import signal
from multiprocessing.connection import Connection
from traceback import format_exc
from typing import Any

from nexus.errors import NexusError, TextCrashError, TextMemoryError

READY = "ready"


def serve(pipe_fd: int, memory_bytes: int, processor_seconds: float, alarm_seconds: float, niceness: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C and closes the pipe
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    os.nice(niceness)
    pipe = Connection(pipe_fd)
    pipe.send(READY)
    while True:
        try:
            call = pipe.recv()
        except EOFError:
            return
        # The signals keep their default action, so the kernel ends even a parser that holds the GIL: at the deadline,
        # which is one of processor time, and by the clock where the parent is gone that would have done so before.
        signal.setitimer(signal.ITIMER_PROF, processor_seconds)
        signal.setitimer(signal.ITIMER_REAL, alarm_seconds)
        result = _call(*call)
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        pipe.send(result)


def _call(function: Any, args: Any, kwargs: Any) -> tuple[bool, Any]:
    try:
        return True, function(*args, **kwargs)
    except NexusError as error:
        return False, error
    except MemoryError:
        return False, TextMemoryError("Reading this needs more memory than the limit for one page.")
    except Exception as error:  # noqa: BLE001 - a parser may raise anything; the caller gets one error for it
        crash = TextCrashError(f"Reading this failed: {type(error).__name__}.")
        crash.add_note(format_exc())
        return False, crash
