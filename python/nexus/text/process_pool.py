"""Runs the pure text functions in killable child processes, each with a memory limit and a deadline.

Every child has a pipe of its own, so when a child dies only its own call fails. (pebble 5.2's pool shares one pipe:
a single idle worker killed by the kernel stops that pool for good.)
"""

import json
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe
from typing import Any, ParamSpec, Self, TypeVar

from nexus.errors import ProcessPoolError, TextCrashError, TextTimeoutError

P = ParamSpec("P")
T = TypeVar("T")

START_SECONDS = 60.0
# The deadline is one of processor time: on a loaded machine a page would be called slow that only waits for its turn.
# What waits for something else ends by the clock; with the usual 10 s early enough for a worker that has 30 s to stop.
CLOCK_FACTOR = 2.5

# The child gets our import path, not our environment: a compromised parser finds no keys there.
_START_CHILD = (
    "import json, sys; options = json.loads(sys.argv[1]); sys.path[:] = options.pop('path');"
    "from nexus.text.process_pool_child import serve; serve(**options)"
)
# There is a child for each core already: with numpy's threads in each of them too, two children read 13 pages a
# second instead of 24.
_CHILD_ENVIRONMENT = {"LC_ALL": "C.UTF-8", "OPENBLAS_NUM_THREADS": "1"}


@dataclass(frozen=True)
class Deadlines:
    """In seconds, of one call."""

    processor: float
    clock: float


class ProcessPool:
    """Thread-safe; from asyncio use `await asyncio.to_thread(pool.run, function, …)`."""

    def __init__(
        self,
        *,
        workers: int,
        deadline_seconds: float = 10.0,
        clock_seconds: float | None = None,
        memory_bytes: int = 1 << 30,
        calls_per_worker: int = 1000,
        niceness: int = 0,
    ) -> None:
        """For one call: `deadline_seconds` of processor time, `clock_seconds` in all. `niceness`: of children, above
        that of this process."""
        self._size = workers
        self._deadlines = Deadlines(deadline_seconds, clock_seconds or CLOCK_FACTOR * deadline_seconds)
        self._memory_bytes = memory_bytes
        self._calls_per_worker = calls_per_worker
        self._niceness = niceness
        self._closing = threading.Lock()
        self._closed = False
        # Last in, first out: a warm child is used again before another is started.
        self._slots: queue.LifoQueue[_Worker | None] = queue.LifoQueue()
        for _ in range(workers):
            self._slots.put(None)

    def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a module-level function in a child. NexusErrors are raised as they are, others as ProcessPoolError."""
        worker = self._slots.get()
        kept: _Worker | None = None
        try:
            if self._closed:
                raise ProcessPoolError("The process pool is closed.")
            if worker is None or not worker.is_alive():
                worker = _Worker(self._deadlines, self._memory_bytes, self._niceness)
            succeeded, outcome = worker.call(function, args, kwargs)
            if worker.calls < self._calls_per_worker:
                kept = worker
        finally:
            if worker is not None and kept is None:
                worker.stop()
            self._slots.put(kept)
        if not succeeded:
            raise outcome
        result: T = outcome
        return result

    def close(self) -> None:
        """Wait for the calls under way (their deadlines bound that) and end every child."""
        with self._closing:
            if self._closed:
                return
            self._closed = True
            for _ in range(self._size):
                worker = self._slots.get()
                if worker is not None:
                    worker.stop()
            self._slots.put(None)  # wakes a thread that waits for a slot, which passes it on

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Worker:
    def __init__(self, deadlines: Deadlines, memory_bytes: int, niceness: int) -> None:
        self.calls = 0
        self._deadlines = deadlines
        self._pipe, theirs = Pipe()
        with theirs:
            self._process = _start_child(theirs, deadlines, memory_bytes, niceness)
        try:
            # Separate from the deadline: a busy machine may take long to start Python.
            self._receive(START_SECONDS)
        except ProcessPoolError:
            self.stop()
            raise

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def call(self, function: Callable[..., Any], args: Any, kwargs: Any) -> tuple[bool, Any]:
        self.calls += 1
        outcome: tuple[bool, Any] = self._receive(self._deadlines.clock, (function, args, kwargs))
        return outcome

    def _receive(self, seconds: float, *requests: Any) -> Any:
        try:
            for request in requests:
                self._pipe.send(request)
            if not self._pipe.poll(seconds):
                raise TextTimeoutError(f"Reading this took longer than {seconds:g} seconds.")
            return self._pipe.recv()
        except (EOFError, ConnectionError):
            code = self._process.wait()
            if code == -signal.SIGPROF:
                limit = f"{self._deadlines.processor:g} seconds of processor time"
                raise TextTimeoutError(f"Reading this took more than {limit}.") from None
            raise TextCrashError(f"The process that read this ended unexpectedly (exit {code}).") from None

    def stop(self) -> None:
        self._pipe.close()
        self._process.kill()
        self._process.wait()


def _start_child(pipe: Connection, deadlines: Deadlines, memory_bytes: int, niceness: int) -> subprocess.Popen[bytes]:
    options = {
        "path": sys.path,
        "pipe_fd": pipe.fileno(),
        "memory_bytes": memory_bytes,
        "processor_seconds": deadlines.processor,
        "alarm_seconds": 2 * deadlines.clock,
        "niceness": niceness,
    }
    return subprocess.Popen(
        [sys.executable, "-I", "-c", _START_CHILD, json.dumps(options)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        env=_CHILD_ENVIRONMENT,
        pass_fds=(pipe.fileno(),),
    )
