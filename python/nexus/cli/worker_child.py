"""The worker process that ``nexus serve`` runs, restarted when it ends."""

import subprocess
import sys
import threading
from typing import Self

from nexus.config import Settings
from nexus.logging import get_logger
from nexus.web.rendering.capability import might_render

log = get_logger(__name__)

FIRST_PAUSE_SECONDS = 0.5
MAX_PAUSE_SECONDS = 30.0
GRACE_SECONDS = 35  # a little more than the worker takes to finish its items


class WorkerChild:
    def __init__(self, settings: Settings, *, enabled: bool) -> None:
        self._command = [sys.executable, "-P", "-m", "nexus.cli", "worker", "--stop-with-parent"]
        self._command += ["--data-dir", str(settings.data_dir)]
        self._settings = settings
        self._enabled = enabled
        self._stopping = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._keep_running, name="worker-child")

    @property
    def state(self) -> str:
        if not self._enabled:
            return "elsewhere"
        return "running" if self._process and self._process.poll() is None else "restarting"

    @property
    def may_render(self) -> bool:
        """Whether the worker will find a browser, judged by files; unknown for Celery workers."""
        return self._enabled and not self._settings.celery_broker_url and might_render(self._settings)

    def __enter__(self) -> Self:
        if self._enabled:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if not self._enabled:
            return
        self._stopping.set()
        if self._process:
            self._process.terminate()
        self._thread.join()

    def _keep_running(self) -> None:
        pause = FIRST_PAUSE_SECONDS
        while not self._stopping.is_set():
            # The worker notices our end by the end of this pipe, even when we are killed.
            self._process = subprocess.Popen(self._command, stdin=subprocess.PIPE)
            code = self._wait_for(self._process)
            if self._stopping.wait(0):
                return
            log.warning("the worker ended and is started again", exit_code=code, pause_seconds=pause)
            self._stopping.wait(pause)
            pause = min(pause * 2, MAX_PAUSE_SECONDS)

    def _wait_for(self, process: subprocess.Popen[bytes]) -> int:
        while True:
            try:
                return process.wait(timeout=GRACE_SECONDS if self._stopping.is_set() else 1)
            except subprocess.TimeoutExpired:
                if self._stopping.is_set():
                    process.kill()
