"""Sweeps all queues: at the start, when a job ends, and every 30 seconds."""

import threading
import time
from contextlib import ExitStack, suppress
from typing import Self

from nexus.errors import NexusError
from nexus.logging import get_logger
from nexus.operator.jobs.queue import sweep_and_log
from nexus.operator.jobs.records import Job, now
from nexus.operator.service import Operator

log = get_logger(__name__)

SWEEP_SECONDS = 30.0
POLL_SECONDS = 2.0  # for an edited file, and for a job whose pid is not in the registry yet


class Sweeper:
    def __init__(self, operator: Operator, seconds: float = SWEEP_SECONDS) -> None:
        self._operator = operator
        self._seconds = seconds
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="job-sweeper")
        self._listening = ExitStack()

    def __enter__(self) -> Self:
        self._listening.enter_context(self._operator.listening())
        self._thread.start()
        self._operator.has_sweeper = True
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping = True
        self._operator.has_sweeper = False
        self._operator.wakeup.set()
        self._thread.join()
        self._listening.close()

    def _run(self) -> None:
        thorough = True
        while not self._stopping:
            self._operator.wakeup.clear()
            try:
                seen = self._operator.config.version()  # before the sweep: a change during it is seen by the next
                self._sweep_all(thorough=thorough)
                thorough = False
                self._wait(seen)
            except Exception:  # it must go on: an unswept queue stands still for hours
                log.exception("the jobs could not be swept; trying again")
                self._operator.wakeup.wait(min(self._seconds, POLL_SECONDS))

    def _sweep_all(self, *, thorough: bool) -> None:
        for queue in self._operator.queues():
            sweep_and_log(queue, thorough=thorough)
        try:
            self._operator.serve_schedules()
        except NexusError as error:
            log.warning("starting scheduled jobs failed", reason=error.message)
        except Exception:  # the next sweep tries again
            log.exception("starting scheduled jobs failed")

    def _wait(self, seen: object) -> None:
        """Until a job ends, a schedule is due, the operator's file changes or the time is up."""
        give_up = time.monotonic() + self._seconds_to_wait()
        while (left := give_up - time.monotonic()) > 0 and self._operator.config.version() == seen:
            if self._operator.wakeup.wait(min(left, POLL_SECONDS)):
                return

    def _seconds_to_wait(self) -> float:
        if any(job.status == "running" and job.pid is None for job in self._active()):
            return min(self._seconds, POLL_SECONDS)
        try:
            due = self._operator.next_due(self._operator.schedules())
        except NexusError:
            return self._seconds
        return min(self._seconds, max((due - now()).total_seconds(), 0.05)) if due else self._seconds

    def _active(self) -> list[Job]:
        found: list[Job] = []
        for queue in self._operator.queues():
            with suppress(NexusError):  # the sweep has logged it
                found += queue.registry.active()
        return found
