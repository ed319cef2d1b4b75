"""Keeps the indexes of this machine up to date. Only one process does: the one that holds the folder's lock.

At least once: an index is committed before the log is marked as read, and writing an entry again replaces it. So after
kill -9 at any line the same entries are written once more.
"""

import shutil
import time
from collections import Counter
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import replace
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.db.session import Database
from nexus.errors import BrokenIndexError, DiskFullError
from nexus.logging import get_logger
from nexus.search.documents import EntryText
from nexus.search.index import Batch
from nexus.services.library.counts import count_all
from nexus.services.search.change_log import Changes, changes_since, complete_before, delete_old_changes, is_whole
from nexus.services.search.entry_texts import entry_texts
from nexus.services.search.index_folder import Build, IndexFolder
from nexus.services.search.writers import Writers

log = get_logger(__name__)

# Texts in memory at a time.
READ_SIZE = 20
# Half a second of work: what is saved in other libraries meanwhile does not wait longer to be found.
BUILD_SIZE = 200
# Texts that are committed together: each commit makes files of its own, with all words of its texts.
COMMIT_SIZE = 2000
CLEANUP_SECONDS = 3600.0  # between two removals of old rows of the log
# The second time in a row that an index breaks it is left alone for a while, then for twice as long.
FIRST_BACKOFF_SECONDS = 1.0
MAX_BACKOFF_SECONDS = 300.0
# With less room an engine that fails has a full disk, whatever it says; a commit needs some of it.
MIN_FREE_BYTES = 64_000_000

LIBRARIES = text("SELECT id FROM libraries")
EXISTING = text("SELECT id FROM libraries WHERE id = ANY(:ids)")
NEXT = text("""
    SELECT media_id FROM library_media
    WHERE library_id = :library_id AND (CAST(:after AS uuid) IS NULL OR media_id > :after)
    ORDER BY media_id LIMIT :limit
""")


class Indexer:
    def __init__(self, database: Database, folder: IndexFolder) -> None:
        self._database = database
        self._folder = folder
        self._writers = Writers(folder)
        self._known: frozenset[int] = frozenset()  # rows of the log that are in the indexes, and will be read again
        self._cleaned_up_at = float("-inf")
        self._is_checked = False
        self._broken: Counter[UUID] = Counter()  # how often since it was last complete
        self._retry_at: dict[UUID, float] = {}
        self._ahead: tuple[Batch, Build] | None = None  # what was written of a build and not committed

    def catch_up(self) -> bool:
        """Reads the log from where it stopped, and goes on building one index; whether there is more to do now."""
        reached = self._reached()
        if reached is None:
            return True
        for library_id in self._folder.take_requested():
            self.rebuild(library_id)
        changes = self._read_log(reached, self._known)
        if changes is None:
            self._begin()
            return True
        self._apply(changes)
        if changes.complete_before > reached and changes.media_ids:
            self._folder.set_reached(changes.complete_before)
        self._known = frozenset(changes.open)
        self._clean_up_log()
        return self._build_one()

    def close(self) -> None:
        self._writers.close()

    def rebuild(self, library_id: UUID) -> None:
        """Begins; `catch_up` goes on with it."""
        self._writers.drop(library_id)
        with self._database.transaction() as session:
            since = complete_before(session)
            total = count_all(session, library_id)
        self._folder.set_build(library_id, Build(since, total=total))

    def _reached(self) -> int | None:
        """None: all indexes are rebuilt, because the log does not say what they lack."""
        reached = self._folder.reached()
        if not self._is_checked:
            self._folder.clean()
            self._remove_gone(self._folder.libraries())
        if reached is not None:
            with self._database.transaction() as session:
                if is_whole(session, reached):
                    self._is_checked = True
                    return reached
        self._begin()
        return None

    def _read_log(self, since: int, known: AbstractSet[int] = frozenset()) -> Changes | None:
        """None: some of it is forgotten."""
        with self._database.transaction() as session:
            changes = changes_since(session, since, known)
            # Afterwards: what was forgotten before the rows were read is known by now.
            return changes if is_whole(session, since) else None

    def _begin(self) -> None:
        with self._database.transaction() as session:
            since = complete_before(session)
            libraries = list(session.scalars(LIBRARIES))
        for library_id in libraries:
            self.rebuild(library_id)
        self._known = frozenset()
        self._folder.set_reached(since)

    def _remove_gone(self, library_ids: Iterable[UUID]) -> set[UUID]:
        """Removes the indexes of libraries that no longer exist; returns the other libraries."""
        asked = set(library_ids)
        with self._database.transaction() as session:
            there = set(session.scalars(EXISTING, {"ids": list(asked)}))
        for library_id in asked - there:
            self._writers.drop(library_id)
            self._folder.remove(library_id)
        return there

    def _apply(self, changes: Changes) -> None:
        if not changes.media_ids:
            return
        there = self._remove_gone(changes.media_ids)
        for library_id in there:
            if self._folder.is_complete(library_id):
                self._update(library_id, changes.media_ids[library_id])
            elif self._folder.build(library_id) is None:
                self.rebuild(library_id)

    def _update(self, library_id: UUID, media_ids: Iterable[UUID]) -> bool:
        """Whether the index was written; else it is rebuilt."""
        try:
            batch = self._writers.batch(library_id)
            ordered = sorted(media_ids)
            for start in range(0, max(1, len(ordered)), COMMIT_SIZE):
                self._write(batch, library_id, ordered[start : start + COMMIT_SIZE])
                batch.write()
        except BrokenIndexError as error:
            self._give_up(library_id, error)
            return False
        return True

    def _give_up(self, library_id: UUID, error: BrokenIndexError) -> None:
        self._writers.drop(library_id)
        if shutil.disk_usage(self._folder.root).free < MIN_FREE_BYTES:
            raise DiskFullError(f"There is no room for the search index: {error}") from error
        log.warning("a search index is broken; rebuilding it", library=str(library_id), reason=str(error))
        self.rebuild(library_id)
        times = self._broken[library_id]
        self._retry_at[library_id] = time.monotonic() + (
            min(FIRST_BACKOFF_SECONDS * 2**times, MAX_BACKOFF_SECONDS) if times else 0
        )
        self._broken[library_id] += 1

    def _write(self, batch: Batch, library_id: UUID, media_ids: list[UUID]) -> None:
        for start in range(0, len(media_ids), READ_SIZE):
            chosen = media_ids[start : start + READ_SIZE]
            with self._database.transaction() as session:
                found = list(entry_texts(session, library_id, chosen))
            for entry in found:
                _put(batch, library_id, entry)
            for gone in set(chosen) - {entry.media_id for entry in found}:
                batch.remove(gone)

    def _build_one(self) -> bool:
        now = time.monotonic()
        unfinished = (found for found in self._folder.unfinished() if self._retry_at.get(found, now) <= now)
        library_id = next(unfinished, None)
        if library_id is None:
            return False
        build = self._folder.build(library_id)
        if build is None:  # its file is damaged
            self.rebuild(library_id)
            return True
        try:
            self._go_on(library_id, build)
        except BrokenIndexError as error:
            self._give_up(library_id, error)
        return True

    def _go_on(self, library_id: UUID, noted: Build) -> None:
        reached = self._reached_in(library_id, noted)
        with self._database.transaction() as session:
            media_ids = _next_entries(session, library_id, reached.after)
        batch = self._writers.batch(library_id)
        self._write(batch, library_id, media_ids)
        if media_ids:
            reached = replace(reached, after=media_ids[-1], done=reached.done + len(media_ids))
        if media_ids and reached.done - noted.done < COMMIT_SIZE:
            self._ahead = batch, reached
            return
        batch.write()
        self._ahead = None
        self._folder.set_build(library_id, reached)
        if not media_ids:
            self._finish(library_id, reached)

    def _reached_in(self, library_id: UUID, noted: Build) -> Build:
        """How far a build is, with what its open batch has."""
        if self._ahead and self._ahead[0] is self._writers.opened(library_id):
            return self._ahead[1]
        if not noted.done:
            # Whatever is there is from before. A kill in the middle comes here again.
            self._writers.drop(library_id)
            self._folder.clear(library_id)
        return noted

    def _finish(self, library_id: UUID, build: Build) -> None:
        changes = self._read_log(build.since)
        if changes is None:
            self.rebuild(library_id)
        elif self._update(library_id, changes.media_ids.get(library_id, set())):
            self._folder.set_build(library_id, None)
            self._broken.pop(library_id, None)
            self._retry_at.pop(library_id, None)
            self._remove_gone([library_id])

    def _clean_up_log(self) -> None:
        if time.monotonic() - self._cleaned_up_at > CLEANUP_SECONDS:
            with self._database.transaction() as session:
                delete_old_changes(session)
            self._cleaned_up_at = time.monotonic()


def _put(batch: Batch, library_id: UUID, entry: EntryText) -> None:
    """A text that cannot be indexed is left out: it must not keep all others from being found."""
    try:
        batch.put(entry)
    except BrokenIndexError:
        raise
    except Exception:
        log.exception("a text cannot be indexed and is not found", library=str(library_id), media=str(entry.media_id))
        batch.remove(entry.media_id)


def _next_entries(session: Session, library_id: UUID, after: UUID | None) -> list[UUID]:
    return list(session.scalars(NEXT, {"library_id": library_id, "after": after, "limit": BUILD_SIZE}))
