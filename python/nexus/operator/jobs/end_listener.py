"""Notices when jobs end.

A runner reads its task from a pipe. While the process that started it holds the other end open, that process settles
the job; after that, the runner itself settles its job and starts the next one. Whether the parent is alive would not
tell: a command that is just exiting is alive too, and a job that ended then was never settled.
"""

import subprocess
import threading
from contextlib import suppress


class JobEndListener:
    """Listens from ``open`` to ``close``; ``wakeup`` is set when a job ends."""

    def __init__(self) -> None:
        self.wakeup = threading.Event()
        self._mutex = threading.Lock()
        self._is_open = False
        self._runners: set[subprocess.Popen[bytes]] = set()

    def open(self) -> None:
        with self._mutex:
            self._is_open = True

    def close(self) -> None:
        """Runners that end from now on settle their jobs themselves. The caller sweeps once more afterwards."""
        with self._mutex:
            self._is_open = False
            for runner in self._runners:
                _close_pipe(runner)
            self._runners.clear()

    def watch(self, runner: "subprocess.Popen[bytes]") -> None:
        with self._mutex:
            if self._is_open:
                self._runners.add(runner)
            else:
                _close_pipe(runner)
        threading.Thread(target=self._wait_for, args=(runner,), name="job-end", daemon=True).start()

    def _wait_for(self, runner: "subprocess.Popen[bytes]") -> None:
        runner.wait()
        with self._mutex:
            self._runners.discard(runner)
            _close_pipe(runner)
        self.wakeup.set()


def _close_pipe(runner: "subprocess.Popen[bytes]") -> None:
    if runner.stdin:
        with suppress(BrokenPipeError):  # it died before it had read its task
            runner.stdin.close()
