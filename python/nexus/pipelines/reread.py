"""Reads kept originals again with the current extractor: without network access, and only adding versions.

Each media is read, compared and written by itself, in one short transaction, so a run may be killed at any moment and
started again: it goes on with the media that are left.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from uuid import UUID

from sqlalchemy.orm import Session

from nexus.db.session import Database
from nexus.errors import (
    BlobDamagedError,
    BlobMissingError,
    DamagedOriginalError,
    ProcessPoolError,
    SanitizationError,
    TextTimeoutError,
    UnparsableHtmlError,
    UnreadableTranscriptError,
)
from nexus.pipelines.reread_original import RereadText, reread_original
from nexus.services import lifecycle
from nexus.services.lifecycle.episodes import EpisodeFragment, reread_episode
from nexus.services.lifecycle.records import article_of
from nexus.services.originals.reread_candidates import (
    RereadCandidate,
    Result,
    StoredReading,
    due_after,
    load,
    lock_current,
    note_result,
)
from nexus.store import BlobStore
from nexus.text.originals.original_file import OriginalFacts, unpack
from nexus.text.process_pool import ProcessPool
from nexus.text.reading_time import count_words
from nexus.text.readings.compare import Reading
from nexus.text.readings.process_page import ProcessedPage

# What is wrong with one original alone. Everything else (no store, no database) ends the run, which can be resumed.
ORIGINAL_ERRORS = (
    BlobDamagedError,
    BlobMissingError,
    DamagedOriginalError,
    SanitizationError,
    ProcessPoolError,
    UnparsableHtmlError,
    UnreadableTranscriptError,
)


@dataclass(frozen=True)
class RereadResult:
    media_id: UUID
    title: str | None
    result: Result
    words_before: int
    words_after: int | None = None
    detail: str | None = None


@dataclass(frozen=True)
class RereadSelection:
    """What is read again: texts that an extractor older than `older_than` read, of these media or of all (None)."""

    older_than: int
    media_ids: Sequence[UUID] | None = None


class Rereader:
    def __init__(
        self, database: Database, store: BlobStore, pool: ProcessPool, *, min_chars: int, dry_run: bool = False
    ) -> None:
        self._database = database
        self._store = store
        self._pool = pool
        self._min_chars = min_chars
        self._dry_run = dry_run

    def run(
        self, selection: RereadSelection, *, at_once: int, is_stopping: Callable[[], bool]
    ) -> Iterator[RereadResult]:
        """In the order they are done, a few at a time."""
        waiting = self._due(selection)
        in_progress: set[Future[RereadResult | None]] = set()
        with ThreadPoolExecutor(at_once) as threads:
            while True:
                while len(in_progress) < 2 * at_once and not is_stopping() and (candidate := next(waiting, None)):
                    in_progress.add(threads.submit(self.reread, candidate))
                if not in_progress:
                    return
                done, in_progress = wait(in_progress, return_when=FIRST_COMPLETED)
                yield from (result for future in done if (result := future.result()) is not None)

    def _due(self, selection: RereadSelection) -> Iterator[RereadCandidate]:
        after = UUID(int=0)
        while True:
            with self._database.transaction() as session:
                page = due_after(session, after, older_than=selection.older_than, media_ids=selection.media_ids)
            yield from page
            if not page:
                return
            after = page[-1].media_id

    def reread(self, candidate: RereadCandidate) -> RereadResult | None:
        """None: it was removed, or got another text meanwhile."""
        with self._database.transaction() as session:
            loaded = load(session, candidate)
        if loaded is None:
            return None
        before = count_words(loaded.words)
        try:
            facts, found = self._read(loaded)
        except ORIGINAL_ERRORS as error:
            # That it took too long may be the machine's fault: the next run tries it again.
            if not (self._dry_run or isinstance(error, TextTimeoutError) or self._note(candidate, "unreadable")):
                return None
            return RereadResult(candidate.media_id, loaded.title, "unreadable", before, None, error.message)
        if not self._dry_run and not self._write(candidate, facts, found):
            return None
        return RereadResult(candidate.media_id, loaded.title, found.change, before, found.words, found.detail)

    def _read(self, loaded: StoredReading) -> tuple[OriginalFacts, RereadText]:
        facts, chunks = unpack(self._store.read(loaded.sha256) if loaded.sha256 else [loaded.content or b""])
        old = Reading(loaded.words, loaded.title)
        return facts, self._pool.run(reread_original, b"".join(chunks), facts, old, min_chars=self._min_chars)

    def _write(self, candidate: RereadCandidate, facts: OriginalFacts, found: RereadText) -> bool:
        if found.page is None and not found.fragments:
            return self._note(candidate, found.change)
        with self._database.transaction() as session:
            if not lock_current(session, candidate):
                return False
            if found.page:
                self._add_page(session, candidate, facts, found.page)
            else:
                self._add_transcript(session, candidate, found)
            note_result(session, candidate, found.change, new_version=candidate.version + 1)
        return True

    def _add_page(
        self, session: Session, candidate: RereadCandidate, facts: OriginalFacts, page: ProcessedPage
    ) -> None:
        read = replace(article_of(page, facts.url or "", "reread"), original=None)
        change = lifecycle.reread(
            session, candidate.media_id, read, version=candidate.version, min_chars=self._min_chars
        )
        if change not in ("better", "different"):
            raise RuntimeError(f"a reading that was compared before is {change} now")

    def _add_transcript(self, session: Session, candidate: RereadCandidate, found: RereadText) -> None:
        fragments = [EpisodeFragment(each.html, each.text, each.start_ms, each.end_ms) for each in found.fragments]
        reread_episode(session, candidate.media_id, candidate.version + 1, fragments, found.word_count)

    def _note(self, candidate: RereadCandidate, result: Result) -> bool:
        with self._database.transaction() as session:
            if not lock_current(session, candidate):
                return False
            note_result(session, candidate, result)
        return True
