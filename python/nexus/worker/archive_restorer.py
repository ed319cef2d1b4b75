"""Restores archives in the background, a batch in each step."""

import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import ClassVar
from uuid import UUID

from sqlalchemy.orm import Session

from nexus.errors import ArchiveError, BlobDamagedError, BlobMissingError, RestoreStoppedError, StoreBusyError
from nexus.logging import get_logger
from nexus.services.archives.archive_file import ArchiveFile
from nexus.services.archives.outcomes import Outcome
from nexus.services.archives.restore import Restore, RestoreResources
from nexus.services.archives.undo.undo_lists import CreatedRows
from nexus.services.imports import archives, steps
from nexus.services.imports.archives import ArchiveImport
from nexus.store.locks import advisory_lock
from nexus.worker.background import BackgroundTask

log = get_logger(__name__)

POLL_SECONDS = 1.0
PAUSE_SECONDS = 60.0
HELD_SECONDS = 5.0
HELD = "Another worker restores this archive."


class ArchiveRestorer(BackgroundTask):
    """Its state is in the import's row and in the store, so another worker can continue after a crash.

    The archive is copied into a file without a name, because a ZIP is read from its end, and such a file disappears
    with the worker. While it is open, an advisory lock of PostgreSQL, which ends with its connection, keeps other
    workers from copying it, too. Archives are restored one after the other, since taking turns would copy each of them
    repeatedly.
    """

    name: ClassVar[str] = "archives"

    def __init__(self, resources: RestoreResources, scratch: Path) -> None:
        self._resources = resources
        self._database = resources.database
        self._scratch = scratch
        self._open = ExitStack()
        self._restoring: UUID | None = None
        self._restore: Restore | None = None
        self._polled_at = float("-inf")
        self._is_urgent = False
        self._paused: dict[UUID, float] = {}  # also the imports that another worker is working on

    def is_urgent(self) -> bool:
        now = time.monotonic()
        if now - self._polled_at > POLL_SECONDS:
            self._polled_at = now
            self._is_urgent = self._next() is not None
        return self._is_urgent

    def step(self) -> bool:
        while (found := self._next()) is not None:
            try:
                return self._try(found)
            except StoreBusyError:
                self._paused[found.id] = time.monotonic() + HELD_SECONDS
        self._close()
        return False

    def _try(self, found: ArchiveImport) -> bool:
        try:
            self._step(found)
        except RestoreStoppedError:
            self._close()
            return False
        except (ArchiveError, BlobMissingError, BlobDamagedError) as error:
            self._close()
            log.warning("an archive cannot be restored", import_id=str(found.id), reason=error.message)
            with self._database.transaction() as session:
                steps.end_damaged(session, found.id, error.message)
        except StoreBusyError:
            raise
        except Exception:
            self._close()
            self._paused[found.id] = time.monotonic() + PAUSE_SECONDS
            raise
        return True

    def stop(self, finish_seconds: float) -> None:  # noqa: ARG002 - a batch that is being written is finished
        self._close()

    def _next(self) -> ArchiveImport | None:
        now = time.monotonic()
        self._paused = {each: until for each, until in self._paused.items() if until > now}
        with self._database.transaction() as session:
            return archives.next_archive_import(session, self._restoring, list(self._paused))

    def _step(self, found: ArchiveImport) -> None:
        if found.sha256 is None:
            with self._database.transaction() as session:
                archives.note_end(session, found.id)
            return
        restore = self._restore if self._restoring == found.id else None
        restore = restore or self._begin(found, found.sha256)
        if restore.step() is None:
            with self._database.transaction() as session:
                archives.note_end(session, found.id, restore.finish(session))
            self._close()

    def _begin(self, found: ArchiveImport, sha256: bytes) -> Restore:
        self._close()
        self._scratch.mkdir(mode=0o700, parents=True, exist_ok=True)
        with ExitStack() as opened:
            opened.enter_context(advisory_lock(self._database, _lock_key(found.id), refusal=HELD))
            file = opened.enter_context(tempfile.TemporaryFile(dir=self._scratch))
            for chunk in self._resources.store.read(sha256):
                file.write(chunk)
            archive = opened.enter_context(ArchiveFile(file))
            with self._database.transaction() as session:
                user, lines = found.user(session), found.lines(session)
            callbacks = partial(_note_batch, found.id), partial(_record_created, found.id)
            self._restore = opened.enter_context(Restore(self._resources, user, archive, *callbacks, lines))
            self._restoring = found.id
            self._open = opened.pop_all()
        return self._restore

    def _close(self) -> None:
        self._restoring = self._restore = None
        self._open.close()


def _lock_key(import_id: UUID) -> int:
    return int.from_bytes(import_id.bytes[:8], signed=True)


def _note_batch(import_id: UUID, session: Session, outcomes: Sequence[Outcome]) -> None:
    archives.note_batch(session, import_id, outcomes)


def _record_created(import_id: UUID, session: Session, created: CreatedRows) -> None:
    archives.record_created(session, import_id, created)
