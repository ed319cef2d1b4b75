"""Work that may wait, such as fetching pictures: done while no item needs the slots, one step of each task in turn."""

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from nexus.errors import NexusError
from nexus.logging import get_logger
from nexus.system.error_text import first_line

log = get_logger(__name__)

JOIN_SECONDS = 0.2
NICENESS = 19  # of the child processes of all tasks: everything else has precedence
FIRST_PAUSE_SECONDS = 1.0
MAX_PAUSE_SECONDS = 300.0
# How long an urgent task may go on before the other tasks get a step: a round of all tasks takes seconds.
URGENT_SECONDS = 3.0
# A store that is absent for a day writes one log line every ten minutes.
LOG_SECONDS = 600.0


class BackgroundTask(ABC):
    """What is due is in rows of the database, so a worker that is killed loses nothing.

    `step` and `is_urgent` are called by one thread at a time, the other methods by any.
    """

    name: ClassVar[str]

    @abstractmethod
    def step(self) -> bool:
        """Do a little of what is due, at most a few seconds; True if more may be due at once.

        An error pauses only this task, longer each time, and is logged once per period. This includes a store that is
        absent or full: the task waits for it and loses nothing.
        """

    def is_urgent(self) -> bool:
        """Whether it cannot wait until no item needs the slots. Called before each step, so it has to be cheap."""
        return False

    def needs_processor(self) -> bool:
        """Whether pages of imports should leave the processor to it for now. Called from any thread."""
        return False

    def is_busy(self) -> bool:
        """Whether its own threads are running; each calls `Background.wake` when it ends."""
        return False

    def renew_leases(self, session: Session) -> None:  # noqa: B027 - most tasks hold none
        """Called by the worker's heartbeat, at least three times per lease."""

    def stop(self, finish_seconds: float) -> None:  # noqa: B027 - most tasks hold nothing
        """Finish what can be done in this time and release the rest. `step` is not called again."""


class Background:
    def __init__(self, tasks: Sequence[BackgroundTask] = (), *, poll_seconds: float = 3.0) -> None:
        self._scheduled = [_Scheduled(task) for task in tasks]
        self._poll_seconds = poll_seconds
        self._stopping = threading.Event()
        self._draining = threading.Event()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None

    def add(self, task: BackgroundTask) -> None:
        """Only before `start`."""
        self._scheduled.append(_Scheduled(task))

    def start(self, has_room: Callable[[], bool] = lambda: True) -> None:
        """Run steps in a thread until `stop` or `drain`. While `has_room` returns False only urgent tasks get one."""
        self._thread = threading.Thread(target=self._run, args=(has_room,), name="background", daemon=True)
        self._thread.start()

    def drain(self, is_stopping: Callable[[], bool]) -> None:
        """Run steps in this thread until nothing is due now. What failed or is due later is left."""
        self._draining.set()
        self._wake.set()
        while self._thread is not None and self._thread.is_alive() and not is_stopping():
            self._thread.join(JOIN_SECONDS)
        while not is_stopping():
            was_busy = self._is_busy()  # a thread that ends during a step may leave room for more
            self._wake.clear()
            if self._step_each():
                continue
            if self._is_busy():
                self._wake.wait(self._poll_seconds)
            elif not was_busy:
                return

    def wake(self) -> None:
        """Called when something may be due, or when a slot may be free."""
        self._wake.set()

    def needs_processor(self) -> bool:
        return any(each.task.needs_processor() for each in self._scheduled)

    def renew_leases(self, session: Session) -> None:
        for each in self._scheduled:
            each.task.renew_leases(session)

    def stop(self, finish_seconds: float) -> None:
        self._stopping.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join(finish_seconds)
        for each in self._scheduled:
            each.task.stop(finish_seconds)

    def _run(self, has_room: Callable[[], bool]) -> None:
        is_urgent, rest_due = False, float("-inf")
        while not (self._stopping.is_set() or self._draining.is_set()):
            only_urgent = not has_room() or (is_urgent and time.monotonic() < rest_due)
            more = self._step_each(only_urgent=only_urgent)
            if not only_urgent:
                rest_due = time.monotonic() + URGENT_SECONDS
            elif is_urgent and not more:
                is_urgent = False  # another worker is working on it, so the other tasks get a step
                continue
            is_urgent = any(each.is_urgent for each in self._scheduled)
            if not more:
                self._wake.wait(self._poll_seconds)
            self._wake.clear()

    def _is_busy(self) -> bool:
        return any(each.task.is_busy() for each in self._scheduled)

    def _step_each(self, *, only_urgent: bool = False) -> bool:
        more = [each.step(only_urgent=only_urgent) for each in self._scheduled if not self._stopping.is_set()]
        return any(more)


class _Scheduled:
    """A task, and when its pause after a failure ends."""

    def __init__(self, task: BackgroundTask) -> None:
        self.task = task
        self.is_urgent = False  # whether its last step was urgent and left more to do
        self._failures = 0
        self._paused_until = float("-inf")
        self._logged = float("-inf")

    def step(self, *, only_urgent: bool) -> bool:
        self.is_urgent = False
        if time.monotonic() < self._paused_until:
            return False
        try:
            is_urgent = self.task.is_urgent()
            if only_urgent and not is_urgent:
                return False
            more = self.task.step()
        except Exception as error:  # noqa: BLE001 - the other tasks continue after any error
            self._pause(error)
            return False
        if self._failures and not self.task.is_busy():
            log.info("background task resumed", task=self.task.name)
            self._failures, self._logged = 0, float("-inf")
        self.is_urgent = is_urgent and more
        return more

    def _pause(self, error: Exception) -> None:
        now = time.monotonic()
        seconds = min(FIRST_PAUSE_SECONDS * 2**self._failures, MAX_PAUSE_SECONDS)
        self._failures = min(self._failures + 1, 20)
        self._paused_until = now + seconds
        if now - self._logged < LOG_SECONDS:
            return
        self._logged = now
        if isinstance(error, NexusError | SQLAlchemyError):
            reason = first_line(error)
            log.warning("background task paused after an error", task=self.task.name, reason=reason)
        else:
            log.error(
                "background task failed with an unexpected error; trying again", task=self.task.name, exc_info=error
            )
