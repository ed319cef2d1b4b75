"""Who hears of the ends of jobs. A runner holds the other end of its orders' pipe: as long as that is open, whoever
started it listens; else the runner itself settles its job and starts the next one. Its parent being alive says
nothing: a command that is just leaving is alive too, and a job that ended then was settled by nobody."""

import subprocess
import threading
from contextlib import suppress


class Listener:
    """Hears nothing before it is opened."""

    def __init__(self) -> None:
        self.doorbell = threading.Event()
        self._mutex = threading.Lock()
        self._is_open = False
        self._heard: set[subprocess.Popen[bytes]] = set()

    def open(self) -> None:
        with self._mutex:
            self._is_open = True

    def close(self) -> None:
        """Runners that end from now on know that nobody listens. Whoever closes looks once more afterwards."""
        with self._mutex:
            self._is_open = False
            for runner in self._heard:
                _hang_up(runner)
            self._heard.clear()

    def attend(self, runner: "subprocess.Popen[bytes]") -> None:
        with self._mutex:
            if self._is_open:
                self._heard.add(runner)
            else:
                _hang_up(runner)
        threading.Thread(target=self._wait_for, args=(runner,), name="job-end", daemon=True).start()

    def _wait_for(self, runner: "subprocess.Popen[bytes]") -> None:
        runner.wait()
        with self._mutex:
            self._heard.discard(runner)
            _hang_up(runner)
        self.doorbell.set()


def _hang_up(runner: "subprocess.Popen[bytes]") -> None:
    if runner.stdin:
        with suppress(BrokenPipeError):  # it died before it had read its orders
            runner.stdin.close()
