"""The worker's loop: sweep, claim as many items as there are free threads, wait for a notification or the next poll."""

import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from uuid import uuid4

from sqlalchemy.exc import SQLAlchemyError

from nexus.config import Settings
from nexus.db.channels import QUEUE
from nexus.db.listener import Listener
from nexus.db.session import Database, OwnConnection
from nexus.errors import EmbeddedDatabaseError
from nexus.logging import get_logger
from nexus.services import workers
from nexus.services.lifecycle import Claim, Outcome, Shares, are_items_due, claim, release, requeue_lost_items
from nexus.services.served_users import ServedUsers
from nexus.system.error_text import first_line
from nexus.web.egress.shares import three_quarters_of
from nexus.worker.background import Background
from nexus.worker.heartbeat import Heartbeat
from nexus.worker.held_claims import HeldClaims
from nexus.worker.result_writer import ResultWriter, internal_failure

log = get_logger(__name__)

# Together with the time that the process pool needs for its last call, less than the 30 s that a worker has to stop.
FINISH_SECONDS = 15.0
BACKGROUND_FINISH_SECONDS = 5.0  # the next worker repeats what takes longer
POLL_SECONDS = 0.2
# After an error of the database, since a notification may have come meanwhile.
RETRY_SECONDS = 1.0

Ingest = Callable[[Claim], Outcome]


class Worker:
    def __init__(
        self,
        settings: Settings,
        database: Database,
        ingest: Ingest,
        *,
        can_render: bool = False,
        sandbox: bool = True,
        background: Background | None = None,
    ) -> None:
        self._settings = settings
        self._database = database
        self._background = background or Background()
        self._claiming = OwnConnection(database.engine)
        self._ingest = ingest
        self._id = uuid4()
        self._stopping = threading.Event()
        self._finish_seconds = FINISH_SECONDS
        self._wake = threading.Event()
        self._claims = HeldClaims(settings.worker_concurrency)
        self._shares = Shares(
            user=three_quarters_of(settings.worker_concurrency),
            host=settings.egress_per_host,
            imported=max(1, settings.worker_concurrency // 2),
        )
        self._shares_during_import = replace(self._shares, imported=1)
        self._todo: queue.SimpleQueue[Claim | None] = queue.SimpleQueue()
        self._served = ServedUsers()
        self._unstarted: list[Claim] = []
        self._more_is_due = False
        self._has_backlog = True  # whether items may be waiting for a slot
        self._ends = False  # True with `once` or `drain`
        self._may_claim: int | None = None  # how many items with `once`; None: no limit
        self._swept = float("-inf")
        self._listener = Listener(database, QUEUE, on_connect=self._wake.set, on_notify=lambda _: self._wake.set())
        self._results = ResultWriter(
            database, min_chars=settings.worker_min_chars, on_settled=self._on_settled, held=self._claims.held
        )
        self._heartbeat = Heartbeat(
            database, self._id, self._claims,
            lease_seconds=settings.worker_lease_seconds, engine="postgres", can_render=can_render, sandbox=sandbox,
        )  # fmt: skip
        self._heartbeat.also_renew(self._background.renew_leases)

    def stop(self, *, at_once: bool = False) -> None:
        """Stop when the held claims are finished. `at_once`: release them instead."""
        if at_once:
            self._finish_seconds = 0.0
        self._stopping.set()
        self._wake.set()

    def run(self, *, once: bool = False, drain: bool = False) -> None:
        """Run until `stop`; with `once`, for one batch of due items; with `drain`, until none is due.

        With either of them the background work that is not urgent is done last, unless more items are due.
        """
        log.info("worker started", worker=str(self._id))
        self._ends = once or drain
        self._may_claim = self._settings.worker_batch_size if once else None
        self._start_threads()
        try:
            while not self._stopping.is_set():
                self._wake.clear()
                claimed = self._claim()
                if self._ends and not claimed and self._claims.wait_until_empty(0):
                    break
                if not (claimed and self._more_is_due and self._claims.free()):
                    self._wake.wait(self._settings.worker_poll_seconds)
            if self._ends and not self._stopping.is_set() and not self._are_items_due():
                self._background.drain(self._stopping.is_set)
        finally:
            self._shut_down()
        log.info("worker stopped", worker=str(self._id))

    def _start_threads(self) -> None:
        self._heartbeat.start()
        self._results.start()
        if not self._ends:
            self._listener.start()
        self._background.start(self._has_room)
        for number in range(self._settings.worker_concurrency):
            threading.Thread(target=self._work, name=f"attempt-{number}", daemon=True).start()

    def _claim(self) -> int:
        """How many items were claimed; 0 while the database is not available."""
        try:
            self._sweep()
            limit = min(self._claims.free(), self._settings.worker_batch_size)
            if self._may_claim is not None:
                limit = min(limit, self._may_claim)
            if limit == 0:
                self._more_is_due = self._has_backlog = True  # possibly; checked when a thread is free
                return 0
            shares = self._shares_during_import if self._background.needs_processor() else self._shares
            with self._claiming.use() as connection:
                claims = claim(
                    connection, worker_id=self._id, limit=limit, lease_seconds=self._settings.worker_lease_seconds,
                    served=self._served.ids(), shares=shares,
                )  # fmt: skip
        except (SQLAlchemyError, EmbeddedDatabaseError) as error:
            log.warning("the database is not available", reason=first_line(error))
            self._stopping.wait(RETRY_SECONDS)
            self._wake.set()
            return 0
        if self._may_claim is not None:
            self._may_claim -= len(claims)
        self._claims.add(claims)
        # Of the items that lost a worker only one is claimed at a time, so there may be more.
        is_partial = any(taken.losses for taken in claims) or self._claims.has_full_share(shares)
        self._has_backlog = len(claims) == limit
        self._more_is_due = self._has_backlog or is_partial
        for taken in claims:
            self._served.add(taken.user_id)
            self._todo.put(taken)
        return len(claims)

    def _has_room(self) -> bool:
        """Whether background work may run: no item waits for a slot. Items that wait for the share of their user or
        host do not count."""
        return not self._ends and not self._has_backlog and self._claims.free() > 0

    def _are_items_due(self) -> bool:
        try:
            with self._database.transaction() as session:
                return are_items_due(session)
        except (SQLAlchemyError, EmbeddedDatabaseError) as error:
            log.warning("the database is not available", reason=first_line(error))
            return True

    def _sweep(self) -> None:
        if time.monotonic() - self._swept < self._settings.worker_poll_seconds:
            return
        with self._database.transaction() as session:
            lost = requeue_lost_items(session, stale_minutes=self._settings.worker_stale_minutes)
        self._swept = time.monotonic()
        if lost:
            log.warning("requeued the items of lost workers", count=lost)

    def _work(self) -> None:
        while (taken := self._todo.get()) is not None:
            if self._stopping.is_set():
                self._unstarted.append(taken)
                self._claims.release([taken])
            else:
                self._results.submit(self._attempt(taken))

    def _attempt(self, taken: Claim) -> Outcome:
        try:
            return self._ingest(taken)
        except Exception:
            log.exception(
                "attempt failed with an unexpected error", item=str(taken.item_id), request_id=taken.request_id
            )
            return internal_failure(taken, retryable=True)

    def _on_settled(self, claims: Sequence[Claim]) -> None:
        self._claims.release(claims)
        self._background.wake()
        if self._more_is_due or self._ends:
            self._wake.set()

    def _wait_for_claims(self) -> None:
        """Waits in steps, because `stop(at_once=True)` may shorten the time."""
        began = time.monotonic()
        while not self._claims.wait_until_empty(POLL_SECONDS):
            if time.monotonic() - began >= self._finish_seconds:
                return

    def _shut_down(self) -> None:
        """Finish claims if there is time, release the rest, and unregister the worker."""
        self._stopping.set()
        self._listener.stop()
        self._claiming.close()
        self._background.stop(min(self._finish_seconds, BACKGROUND_FINISH_SECONDS))
        self._wait_for_claims()
        self._heartbeat.stop()
        rest = self._claims.held() + self._unstarted
        try:
            with self._database.transaction() as session:
                if rest:
                    release(session, rest, worker_id=self._id)
                workers.unregister(session, self._id)
        except (SQLAlchemyError, EmbeddedDatabaseError) as error:
            log.warning("could not unregister; leases will run out", reason=first_line(error))
        self._results.give_up()
        for _ in range(self._settings.worker_concurrency):
            self._todo.put(None)
