"""A child process that is started again, with growing pauses, whenever it ends; and how it notices our end."""

import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable

FIRST_PAUSE_SECONDS = 0.5
MAX_PAUSE_SECONDS = 30.0
RETRY_START_SECONDS = 1.0
# A process that ran this long is not in a crash loop: the back-off starts again from the first pause.
STABLE_SECONDS = 60.0


def exit_with_parent(before_exit: Callable[[], None] = lambda: None) -> None:
    """In the child: ends it as soon as its standard input does, of which the parent holds the other end."""
    threading.Thread(target=_exit_at_end_of_stdin, args=(before_exit,), daemon=True).start()


def _exit_at_end_of_stdin(before_exit: Callable[[], None]) -> None:
    sys.stdin.buffer.read()
    try:
        before_exit()
    except Exception:
        # Nobody would start or stop this process any more.
        logging.getLogger(__name__).exception("could not clean up before the end")
    finally:
        os._exit(1)


class RestartedProcess:
    """`start` may return None: nothing is to run now, and it is called again a second later.

    The child notices our end by the end of its standard input, which must be a pipe, even when we are killed:
    it calls `exit_with_parent`.
    """

    def __init__(
        self,
        name: str,
        start: Callable[[], "subprocess.Popen[bytes] | None"],
        *,
        grace_seconds: float,
        on_end: Callable[[int, float], None],
        stable_seconds: float = STABLE_SECONDS,
        initial_delay_seconds: float = 0.0,
    ) -> None:
        self._start = start
        self._grace = grace_seconds
        self._on_end = on_end
        self._stable = stable_seconds
        self._initial_delay = initial_delay_seconds
        self._stopping = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._keep_running, name=name)

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        if self._process:
            self._process.terminate()
        self._thread.join()

    def _keep_running(self) -> None:
        pause = FIRST_PAUSE_SECONDS
        self._stopping.wait(self._initial_delay)
        while not self._stopping.is_set():
            process = self._start()
            if process is None:
                self._stopping.wait(RETRY_START_SECONDS)
                continue
            self._process = process
            started = time.monotonic()
            code = self._wait_for(process)
            if process.stdin:
                process.stdin.close()
            if self._stopping.wait(0):
                return
            if time.monotonic() - started >= self._stable:
                pause = FIRST_PAUSE_SECONDS
            self._on_end(code, pause)
            self._stopping.wait(pause)
            pause = min(pause * 2, MAX_PAUSE_SECONDS)

    def _wait_for(self, process: "subprocess.Popen[bytes]") -> int:
        while True:
            if self._stopping.is_set():
                process.terminate()  # stop() may have come before there was a process
            try:
                return process.wait(timeout=self._grace if self._stopping.is_set() else 1)
            except subprocess.TimeoutExpired:
                if self._stopping.is_set():
                    process.kill()
