"""The worker process that ``nexus serve`` runs, restarted when it ends."""

import subprocess
import sys
from typing import Self

from nexus.config import Settings
from nexus.logging import get_logger
from nexus.system.restarted_process import RestartedProcess
from nexus.web.rendering.availability import might_render

log = get_logger(__name__)

GRACE_SECONDS = 35  # a little more than the worker takes to finish its items


class WorkerChild:
    def __init__(self, settings: Settings, *, enabled: bool) -> None:
        self._command = [sys.executable, "-P", "-m", "nexus.cli", "worker", "--stop-with-parent"]
        self._command += ["--data-dir", str(settings.data_dir)]
        self._settings = settings
        self._enabled = enabled
        self._process = RestartedProcess("worker-child", self._start, grace_seconds=GRACE_SECONDS, on_end=_log_end)

    @property
    def state(self) -> str:
        if not self._enabled:
            return "elsewhere"
        return "running" if self._process.is_running else "restarting"

    @property
    def may_render(self) -> bool:
        """Whether the worker will find a browser, judged by files; unknown for Celery workers."""
        return self._enabled and not self._settings.celery_broker_url and might_render(self._settings)

    def __enter__(self) -> Self:
        if self._enabled:
            self._process.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._enabled:
            self._process.stop()

    def _start(self) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(self._command, stdin=subprocess.PIPE)


def _log_end(code: int, pause: float) -> None:
    log.warning("the worker ended and is started again", exit_code=code, pause_seconds=pause)
