"""Writes exports, requested and scheduled ones: one at a time, in a thread, under a lease."""

import threading
import time
from collections.abc import Callable, Mapping
from typing import ClassVar
from uuid import uuid4

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from nexus.errors import DiskFullError, ExportFolderError, ExportStoppedError, NexusError, StoreError
from nexus.logging import get_logger
from nexus.services.exports import due_schedules, queue
from nexus.services.exports.export_run import ExportDestinations, write_export
from nexus.services.exports.folder import remove_from_folder
from nexus.services.exports.formats.format import ExportFormat
from nexus.services.exports.queue import ExportClaim, ProgressCounts, WrittenFile
from nexus.services.exports.work_folder import remove_ended
from nexus.services.search.indexes import Indexes
from nexus.system.error_text import first_line
from nexus.worker.background import BackgroundTask

log = get_logger(__name__)

POLL_SECONDS = 2.0
EXPIRY_SECONDS = 60.0
# Shown before another attempt, and after the last one.
SERVER_ERROR = "An error on the server interrupted the export. The server's log has the details."
RETRYABLE_ERRORS = (StoreError, DiskFullError, ExportFolderError)

Settle = Callable[[Session], object]


class Exporter(BackgroundTask):
    """After a worker was killed its lease runs out, and another worker continues the export. If it finds the files that
    were written it continues after them, else it starts over."""

    name: ClassVar[str] = "exports"

    def __init__(
        self,
        destinations: ExportDestinations,
        formats: Mapping[str, ExportFormat],
        *,
        indexes: Indexes,
        keep_seconds: float,
        lease_seconds: float,
        wake: Callable[[], None],
    ) -> None:
        self._destinations = destinations
        self._indexes = indexes
        self._database = destinations.store.database
        self._formats = formats
        self._keep_seconds = keep_seconds
        self._lease_seconds = lease_seconds
        self._wake = wake
        self._id = uuid4()
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._held: ExportClaim | None = None
        self._thread: threading.Thread | None = None
        self._next_poll = float("-inf")
        self._next_expiry = float("-inf")
        self._is_due = False

    def is_urgent(self) -> bool:
        """A user waits for an export, while an import of thousands of pages may take hours."""
        if time.monotonic() >= self._next_poll and not self.is_busy():
            self._next_poll = time.monotonic() + POLL_SECONDS
            with self._database.transaction() as session:
                self._is_due = queue.is_due(session) or due_schedules.is_any_due(session)
        return self._is_due and not self.is_busy()

    def step(self) -> bool:
        if self.is_busy() or self._stopping.is_set():
            return False
        self._is_due = False
        if time.monotonic() >= self._next_expiry:
            with self._database.transaction() as session:
                more = queue.delete_expired(session)
            due_schedules.remove_expired_files(self._database, self._destinations.folder)
            self._remove_ended()
            if not more:
                self._next_expiry = time.monotonic() + EXPIRY_SECONDS
        with self._database.transaction() as session:
            due_schedules.start_due(session, self._indexes)
        with self._database.transaction() as session:
            claim = queue.claim_export(session, self._id, self._lease_seconds)
        if claim is None:
            return False
        with self._lock:
            self._held = claim
        self._thread = threading.Thread(target=self._work, args=(claim,), name="export", daemon=True)
        self._thread.start()
        return False  # the thread wakes the next step

    def is_busy(self) -> bool:
        with self._lock:
            return self._held is not None

    def renew_leases(self, session: Session) -> None:
        with self._lock:
            held = self._held
        if held:
            queue.renew_export(session, held, self._lease_seconds)

    def stop(self, finish_seconds: float) -> None:
        """An export that is not finished by then is released by its thread, or its lease runs out."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(finish_seconds)

    def _work(self, claim: ExportClaim) -> None:
        try:
            settle = self._attempt(claim)
            with self._database.transaction() as session:
                settle(session)
            self._remove_ended()
            if claim.schedule_id is not None:
                due_schedules.remove_superfluous(self._database, claim.schedule_id, self._destinations.folder)
        except (SQLAlchemyError, NexusError, OSError) as error:
            # Either its lease runs out and another attempt is made, or files of ended exports are removed later.
            reason = first_line(error)
            log.warning("could not settle an export or remove files; trying again", export=str(claim.id), reason=reason)
        except Exception:
            log.exception("an export could not be settled", export=str(claim.id))
        finally:
            with self._lock:
                self._held = None
            self._wake()

    def _remove_ended(self) -> None:
        remove_ended(self._database, self._destinations.scratch, self._destinations.folder)

    def _attempt(self, claim: ExportClaim) -> Settle:
        """How the attempt is to be settled. Errors of the database are raised; the lease runs out then, and another
        attempt is made."""
        keep = self._keep_seconds
        if claim.attempts > queue.MAX_ATTEMPTS:
            return lambda session: queue.fail_export(session, claim, SERVER_ERROR, keep_seconds=keep)
        try:
            written, counts = write_export(self._destinations, claim, self._formats[claim.format], self._stopping)
        except ExportStoppedError:
            return lambda session: queue.release_export(session, claim)
        except SQLAlchemyError:
            raise
        except RETRYABLE_ERRORS as error:
            message = error.message
            return lambda session: queue.try_later(session, claim, message, keep_seconds=keep)
        except NexusError as error:
            message = error.message
            return lambda session: queue.fail_export(session, claim, message, keep_seconds=keep)
        except Exception:
            log.exception("export failed with an unexpected error", export=str(claim.id), format=claim.format)
            return lambda session: queue.try_later(session, claim, SERVER_ERROR, keep_seconds=keep)
        return lambda session: self._finish(session, claim, written, counts)

    def _finish(self, session: Session, claim: ExportClaim, written: WrittenFile, counts: ProgressCounts) -> None:
        is_wanted = queue.finish_export(session, claim, written, counts, keep_seconds=self._keep_seconds)
        if not is_wanted and written.modified_ns is not None:
            remove_from_folder(self._destinations.folder, claim.user_id, written)  # cancelled at the last moment
