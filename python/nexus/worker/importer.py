"""Works on imports in the background: loads their rows, applies them to libraries, undoes them."""

import time
from typing import ClassVar
from uuid import UUID

from sqlalchemy.exc import DataError, IntegrityError, ProgrammingError

from nexus.db.session import Database
from nexus.errors import BlobDamagedError, BlobMissingError, DamagedImportFileError
from nexus.logging import get_logger
from nexus.services.imports import steps
from nexus.services.imports.row_loader import RowStream
from nexus.services.imports.steps import ActiveImport
from nexus.services.saving import SaveContext
from nexus.store import BlobStore
from nexus.system.error_text import first_line
from nexus.web.public_address import AllowList
from nexus.worker.background import BackgroundTask
from nexus.worker.pauses import Pauses

log = get_logger(__name__)

# A step applies as many rows as take about this long: it holds locks of the library, and other background work waits.
STEP_SECONDS = 0.3
MIN_ROWS, MAX_ROWS = 20, 500
FIRST_ROWS = 100  # in the first step of a worker, which does not know yet how long rows take
UNDO_ROWS = 100
POLL_SECONDS = 1.0
NOTIFY_SECONDS = 1.0
FORGET_SECONDS = 600.0
MIN_COUNT_SECONDS = 2.0
COUNT_SHARE = 20  # counting takes at most one part in so many of the time
# Errors of one row or one import, not of the database.
ROW_ERRORS = (DataError, IntegrityError, ProgrammingError)


class Importer(BackgroundTask):
    """Its state is in rows and in the store; what it keeps in memory only saves reading it again."""

    name: ClassVar[str] = "imports"

    def __init__(self, database: Database, store: BlobStore, *, allow: AllowList, max_attempts: int) -> None:
        self._database = database
        self._store = store
        self._allow = allow
        self._max_attempts = max_attempts
        self._rows_at_once = FIRST_ROWS
        self._stream: RowStream | None = None
        self._polled_at = float("-inf")
        self._is_urgent = False
        self._is_applying = True  # until the first check: pages would take the processor from rows that wait
        self._notified_at: dict[UUID, float] = {}
        self._pauses: Pauses[UUID] = Pauses()
        self._count_seconds = MIN_COUNT_SECONDS
        self._counted_at = float("-inf")
        self._forgot_at = float("-inf")

    def is_urgent(self) -> bool:
        """Urgent, because the pages of an import would keep its own rows waiting. Steps are short."""
        now = time.monotonic()
        if now - self._polled_at > POLL_SECONDS:
            self._polled_at = now
            with self._database.transaction() as session:
                self._is_urgent = steps.is_any_active(session)
            self._is_applying &= self._is_urgent
        return self._is_urgent

    def needs_processor(self) -> bool:
        """True while rows are applied: thousands take a few seconds, but minutes if pages are read meanwhile."""
        return self._is_applying

    def step(self) -> bool:
        self._forget()
        counted = self._count()
        with self._database.transaction() as session:
            found = steps.next_active_import(session, self._pauses.active())
        if found is None:
            self._stream = None
            self._is_applying = False
            return counted
        try:
            is_done = self._work(found)
        except Exception:
            # The error may concern only this import, or all if the store is absent. The other imports are tried next.
            self._pauses.failed(found.id)
            self._is_applying = False
            raise
        self._pauses.succeeded(found.id)
        self._is_applying = is_done
        return is_done

    def _work(self, found: ActiveImport) -> bool:
        """False if nothing was done, because another worker is working on this import."""
        if found.status == "undoing":
            may_notify = self._may_notify(found.id)
            with self._database.transaction() as session:
                return steps.undo_step(session, found.id, UNDO_ROWS, may_notify=may_notify) is not None
        return self._load(found) if found.is_loading else self._apply(found)

    def _load(self, found: ActiveImport) -> bool:
        try:
            rows = self._stream_of(found).peek()
        except (BlobMissingError, BlobDamagedError, DamagedImportFileError) as error:
            rows, message = [], error.message
        else:
            message = "What was kept of the uploaded files ends too early. Upload them again."
        with self._database.transaction() as session:
            if rows:
                return steps.load_step(session, found.id, found.loaded, rows)
            log.error("the rows of an import cannot be read", import_id=str(found.id), reason=message)
            steps.end_damaged(session, found.id, message)
            return True

    def _stream_of(self, found: ActiveImport) -> RowStream:
        stream = self._stream
        if stream is None or stream.import_id != found.id or stream.position > found.loaded:
            if found.rows_sha256 is None:
                raise DamagedImportFileError("What was kept of the uploaded files is gone. Upload them again.")
            stream = self._stream = RowStream(self._store, found.id, found.rows_sha256, found.loaded)
        stream.skip_to(found.loaded)
        return stream

    def _apply(self, found: ActiveImport) -> bool:
        started = time.monotonic()
        try:
            applied = self._apply_some(found, self._rows_at_once, may_notify=self._may_notify(found.id))
        except ROW_ERRORS as error:
            log.warning(
                "import batch failed; applying its rows one by one", import_id=str(found.id), reason=first_line(error)
            )
            self._apply_one_by_one(found)
            return True
        seconds = time.monotonic() - started
        if applied == self._rows_at_once:
            wanted = round(applied * STEP_SECONDS / max(seconds, 0.001))
            self._rows_at_once = max(MIN_ROWS, min(MAX_ROWS, 2 * applied, wanted))
        return applied is not None

    def _apply_one_by_one(self, found: ActiveImport) -> None:
        """After an error of a batch, so that only the row that cannot be stored fails."""
        for _ in range(self._rows_at_once):
            try:
                if not self._apply_some(found, 1, may_notify=False):
                    return
            except ROW_ERRORS:
                log.exception("import row failed", import_id=str(found.id))
                with self._database.transaction() as session:
                    steps.fail_next_row(session, found.id)

    def _apply_some(self, found: ActiveImport, limit: int, *, may_notify: bool) -> int | None:
        context = SaveContext(self._allow, self._max_attempts, request_id=f"import-{found.id}")
        with self._database.transaction() as session:
            return steps.apply_step(session, context, found.id, limit, may_notify=may_notify)

    def _count(self) -> bool:
        now = time.monotonic()
        if now - self._counted_at < self._count_seconds:
            return False
        self._counted_at = now
        with self._database.transaction() as session:
            counted = steps.count_step(session, self._count_seconds)
        self._count_seconds = max(MIN_COUNT_SECONDS, COUNT_SHARE * (time.monotonic() - now))
        return counted

    def _forget(self) -> None:
        now = time.monotonic()
        if now - self._forgot_at > FORGET_SECONDS:
            self._forgot_at = now
            self._notified_at = {each: at for each, at in self._notified_at.items() if now - at < FORGET_SECONDS}
            with self._database.transaction() as session:
                steps.delete_old_previews(session)

    def _may_notify(self, import_id: UUID) -> bool:
        now = time.monotonic()
        if now - self._notified_at.get(import_id, float("-inf")) < NOTIFY_SECONDS:
            return False
        self._notified_at[import_id] = now
        return True
