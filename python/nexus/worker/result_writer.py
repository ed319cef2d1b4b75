"""Writes the outcomes of claims: all finished ones in one transaction."""

import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence

from psycopg import errors as pg_errors
from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError

from nexus.db.session import Database
from nexus.errors import EmbeddedDatabaseError
from nexus.errors.attempts import explain
from nexus.logging import get_logger
from nexus.services.lifecycle import AttemptRecord, Claim, Failed, Failure, Outcome, Result, settle
from nexus.system.error_text import first_line

log = get_logger(__name__)

MAX_BATCH = 100
PAUSE_SECONDS = 0.5
# Outcomes in quick succession are written together. That settles 5 times as many no-op items per second, and whole
# pages take 1.1 instead of 1.35 times as long as reading alone. A single claim never waits, and none waits for a slow
# page: a claim that has taken MUCH_LONGER than the finished one is not expected to end soon.
BATCH_WAIT_SECONDS = 0.1
RECENT_CLAIM_SECONDS = 1.0
MUCH_LONGER = 2.0


class ResultWriter:
    def __init__(
        self,
        database: Database,
        *,
        min_chars: int,
        on_settled: Callable[[Sequence[Claim]], None],
        held: Callable[[], Sequence[Claim]] = tuple,
    ) -> None:
        self._database = database
        self._held = held
        self._min_chars = min_chars
        self._on_settled = on_settled
        self._finished: queue.SimpleQueue[Outcome | None] = queue.SimpleQueue()
        self._given_up = threading.Event()
        self._thread = threading.Thread(target=self._run, name="result-writer", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def give_up(self) -> None:
        """Stop writing; the other items stay claimed until their leases run out."""
        self._given_up.set()
        self._finished.put(None)

    def submit(self, outcome: Outcome) -> None:
        self._finished.put(outcome)

    def _run(self) -> None:
        while (outcome := self._finished.get()) is not None:
            self.write([outcome, *self._ending_soon(outcome.claim)])

    def _ending_soon(self, ended: Claim) -> Iterator[Outcome]:
        """Outcomes that are finished, or that are soon; a single claim does not wait."""
        held = self._held()
        expected = count_ending_soon(held, ended)
        until = time.monotonic() + BATCH_WAIT_SECONDS
        for number in range(1, min(len(held), MAX_BATCH)):
            seconds = until - time.monotonic() if number < expected else 0.0
            try:
                more = self._finished.get(timeout=max(0.0, seconds))
            except queue.Empty:
                return
            if more is None:  # from give_up(), for the loop of `_run`
                self._finished.put(None)
                return
            yield more

    def write(self, batch: Sequence[Outcome]) -> None:
        while not self._given_up.is_set():
            try:
                self._settle(batch)
            except (SQLAlchemyError, EmbeddedDatabaseError) as error:
                if _is_timeout(error):
                    self._too_slow(batch)
                    return
                if not isinstance(error, OperationalError | EmbeddedDatabaseError):
                    self._one_by_one(batch, error)
                    return
                # The database is not available, or there was a deadlock. A commit whose response was lost no longer
                # passes the fence when it is tried again, so nothing is written twice.
                log.warning("could not write results; trying again", reason=first_line(error))
                self._given_up.wait(PAUSE_SECONDS)
            else:
                return

    def _settle(self, batch: Sequence[Outcome]) -> None:
        with self._database.transaction() as session:
            results = settle(session, batch, min_chars=self._min_chars)
        for outcome in batch:
            _log(outcome, results[outcome.claim])
        self._on_settled([outcome.claim for outcome in batch])

    def _too_slow(self, batch: Sequence[Outcome]) -> None:
        """After a timeout, write each outcome alone. One that times out again is written as an internal error.

        Otherwise one hostile page, repeated for ever, would stop all results. Since the database may only have been
        slow, the item is tried once more.
        """
        for outcome in batch:
            try:
                self._settle([outcome])
            except (SQLAlchemyError, EmbeddedDatabaseError) as error:
                if not _is_timeout(error):
                    self.write([outcome])
                    continue
                log.warning("a result takes too long to store", item=str(outcome.claim.item_id))
                self._give_up_result(outcome, retryable=True)

    def _one_by_one(self, batch: Sequence[Outcome], error: SQLAlchemyError) -> None:
        """If PostgreSQL refused a value, write each outcome alone; one that is refused again becomes an internal
        error."""
        if len(batch) > 1:
            for outcome in batch:
                self.write([outcome])
            return
        (outcome,) = batch
        reason = error.orig or error if isinstance(error, DBAPIError) else error
        log.error("a result cannot be stored", item=str(outcome.claim.item_id), reason=first_line(reason))
        self._give_up_result(outcome)

    def _give_up_result(self, outcome: Outcome, *, retryable: bool = False) -> None:
        if isinstance(outcome, Failed) and outcome.failure.code == "internal_error":
            # Not even the internal error could be stored: its lease runs out, and the sweep requeues or fails the item.
            self._on_settled([outcome.claim])
            return
        self.write([internal_failure(outcome.claim, retryable=retryable)])


def _is_timeout(error: Exception) -> bool:
    """A statement timeout, or an idle-in-transaction timeout, after which the connection is closed."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    return isinstance(cause, pg_errors.QueryCanceled | pg_errors.IdleInTransactionSessionTimeout)


def count_ending_soon(held: Sequence[Claim], ended: Claim) -> int:
    """How many of the held claims are expected to end soon, including the one that has ended."""
    now = time.monotonic()
    longest = max(RECENT_CLAIM_SECONDS, MUCH_LONGER * (now - ended.received))
    return sum(now - claim.received <= longest for claim in held)


def internal_failure(claim: Claim, *, retryable: bool = False) -> Failed:
    code = "internal_error"
    attempt = AttemptRecord("static", claim.claimed_at, claim.now(), error_code=code)
    return Failed(claim, Failure(code, explain(code), retryable), (attempt,))


def _log(outcome: Outcome, result: Result) -> None:
    claim = outcome.claim
    code = outcome.failure.code if isinstance(outcome, Failed) else None
    seconds = round((claim.now() - claim.claimed_at).total_seconds(), 3)
    log.info(
        "attempt settled", item=str(claim.item_id), media=str(claim.media_id), request_id=claim.request_id,
        attempt=claim.attempts, result=result, code=code, seconds=seconds,
    )  # fmt: skip
