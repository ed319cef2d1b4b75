"""Restores an archive into a library, in batches. Each batch is one transaction, which also records that it is done.

A restore that was killed continues after the last recorded batch, or from the beginning: media that are already in the
library are recognised by their ids, so restoring twice adds nothing.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Self
from uuid import UUID

import psycopg
from psycopg.errors import (
    DeadlockDetected,
    ProgramLimitExceeded,
    QueryCanceled,
    SerializationFailure,
    UniqueViolation,
)
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from nexus.db.bulk_load import analyze_if_grown, disable_full_scans
from nexus.db.session import Database
from nexus.errors import BlobMissingError, ConflictError, InvalidRecordError, NexusError, ProcessPoolError
from nexus.services.archives import podcasts, restore_lists
from nexus.services.archives.archive_file import ArchiveFile, Line
from nexus.services.archives.fields import Row
from nexus.services.archives.highlights import write_highlights
from nexus.services.archives.incoming_blobs import IncomingBlobs
from nexus.services.archives.new_rows import write_items, write_media
from nexus.services.archives.outcomes import ListProblem, Outcome, failed, outcome_of
from nexus.services.archives.quota import RestoreQuota
from nexus.services.archives.records import Record, read_record
from nexus.services.archives.restore_lists import ListReport
from nexus.services.archives.rows import KeptBlob, NewRows, RowBuilder
from nexus.services.archives.targets import Resolver, RestoreTarget
from nexus.services.archives.texts import check_texts
from nexus.services.archives.undo.states import State, difference, load_fingerprints, load_states
from nexus.services.archives.undo.undo_lists import CreatedRows
from nexus.services.archives.user_state import add_aliases, add_entries, join_entries, write_positions, write_tags
from nexus.services.library.library_lock import lock_library
from nexus.services.locks import hold_many
from nexus.services.users import CurrentUser
from nexus.store import BlobStore
from nexus.text.process_pool import ProcessPool
from nexus.web.public_address import AllowList

BATCH_RECORDS = 200
BATCH_BYTES = 8 << 20
MAX_BATCH_TRIES = 3
# A restore may wait for a worker's transaction, and a batch of large texts takes its time.
RAISE_STATEMENT_TIMEOUT = text("SET LOCAL statement_timeout = '120s'")
# Trying again may help: somebody else wrote the same, or waited for the same rows.
RETRYABLE_ERRORS = (DeadlockDetected, SerializationFailure, UniqueViolation)
# What a record can cause: a value that does not fit, rows that contradict each other, a batch that takes too long.
RECORD_ERRORS = (psycopg.IntegrityError, psycopg.DataError, psycopg.InternalError, ProgramLimitExceeded, QueryCanceled)
CHANGED = "The library kept changing while the archive was restored. Import it again."
NOT_WRITTEN = "This entry could not be stored, because its parts contradict each other."
ANALYZE_AFTER_RECORDS = 1000  # what fewer rows cost is less than analyzing the tables
ANALYZED_TABLES = (
    "media",
    "media_versions",
    "fragments",
    "originals",
    "media_images",
    "items",
    "entry_tags",
    "highlights",
)
# In the process itself; longer ones are read in a child, which may take as much memory as a page.
SMALL_LINE_BYTES = 1 << 20


@dataclass(frozen=True)
class RestoreResources:
    """What a restore needs besides its archive and its user."""

    database: Database
    store: BlobStore
    pool: ProcessPool
    allow: AllowList
    original_bytes: int  # that a user may have
    picture_bytes: int
    pool_size: int = 2


# In the transaction of each batch; what it raises ends the restore, and that batch changes nothing.
OnBatch = Callable[[Session, Sequence[Outcome]], None]
# In the transaction that made it.
OnCreated = Callable[[Session, CreatedRows], None]


@dataclass(frozen=True)
class Lines:
    """Which lines with media are to be restored: those behind the first `after` ones, or these alone."""

    after: int = 0
    only: frozenset[int] | None = None


@dataclass
class _Batch:
    records: list[Record]
    refused: list[Outcome]
    blobs: Mapping[str, KeptBlob]
    known: frozenset[UUID]


@dataclass(frozen=True)
class _Written:
    """By media: what is different now, whose entries are new, the newest item of each, new episodes, what the user had
    removed. And ids that lead to what was there."""

    changed: set[UUID]
    added: set[UUID]
    items: dict[UUID, UUID]
    episodes: dict[UUID, UUID]
    removals: dict[UUID, Row]
    aliases: list[Row]


class Restore:
    """Step by step: all steps, then `finish`. While a batch is written, the next one is prepared."""

    def __init__(
        self,
        resources: RestoreResources,
        user: CurrentUser,
        archive: ArchiveFile,
        on_batch: OnBatch,
        on_created: OnCreated,
        lines: Lines,
    ) -> None:
        self._resources = resources
        self._database = resources.database
        self._user = user
        self._archive = archive
        self._on_batch = on_batch
        self._on_created = on_created
        self._problems: list[ListProblem] = []
        self._threads = ThreadPoolExecutor(resources.pool_size + 1)
        self._ahead = ThreadPoolExecutor(1)
        self._incoming = IncomingBlobs(archive, resources.store, resources.pool, self._threads)
        self._quota = RestoreQuota(resources.original_bytes, resources.picture_bytes)
        self._prepared: Future[_Batch | None] | None = None
        self._tag_ids: dict[str, UUID] = {}
        self._resolver = Resolver(user, {})
        self._left = self._batches(lines)

    def step(self) -> list[Outcome] | None:
        """What became of the next batch; None: there are no more."""
        if self._prepared is None:
            self._begin()
            self._prepared = self._ahead.submit(self._prepare_next)
        batch = self._prepared.result()
        if batch is None:
            return None
        self._prepared = self._ahead.submit(self._prepare_next)
        return self._write(batch)

    def finish(self, session: Session) -> list[ListProblem]:
        """What refers to media, or to none. The lines that were left out, also of what came before the media."""
        report = ListReport(problems=list(self._problems))
        restore_lists.restore_searches(session, self._user, self._archive, report)
        restore_lists.restore_aliases(session, self._user, self._archive, report)
        restore_lists.restore_reviews(session, self._user, self._archive, report)
        podcasts.restore_removals(session, self._user, self._archive, self._resolver.feeds, report)
        self._on_created(session, report.created)
        return report.problems

    def close(self) -> None:
        self._ahead.shutdown(cancel_futures=True)
        self._threads.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _begin(self) -> None:
        report = ListReport()
        with self._database.transaction() as session:
            self._tag_ids = restore_lists.restore_tags(session, self._user, self._archive, report)
            feeds = podcasts.restore_podcasts(session, self._user, self._archive, report)
            self._quota.load(session, self._user)
            if report.created:
                self._on_created(session, report.created)
        self._problems = report.problems
        self._resolver = Resolver(self._user, feeds)

    def _batches(self, lines: Lines) -> Iterator[tuple[list[Record], list[Outcome]]]:
        """No id and no page occurs twice in one batch."""
        records: list[Record] = []
        refused: list[Outcome] = []
        seen: set[object] = set()
        size = 0
        for line in self._archive.media_lines(lines.after, lines.only):
            try:
                record = self._read(line)
            except InvalidRecordError as error:
                refused.append(Outcome(line.number, line.part, "failed", code=error.code, message=error.message))
                if len(records) + len(refused) >= BATCH_RECORDS:
                    yield records, refused
                    records, refused, seen, size = [], [], set(), 0
                continue
            names = record.names
            is_full = len(records) + len(refused) >= BATCH_RECORDS or size + record.size > BATCH_BYTES
            if (records or refused) and (is_full or names & seen):
                yield records, refused
                records, refused, seen, size = [], [], set(), 0
            records.append(record)
            seen |= names
            size += record.size
        if records or refused:
            yield records, refused

    def _read(self, line: Line) -> Record:
        if len(line.content) <= SMALL_LINE_BYTES:
            return read_record(line.content, number=line.number, part=line.part)
        try:
            return self._resources.pool.run(read_record, line.content, number=line.number, part=line.part)
        except InvalidRecordError:
            raise
        except NexusError as error:
            if type(error) is ProcessPoolError:  # the pool is closed: we are being stopped
                raise
            raise InvalidRecordError(f"The line could not be read: {error.message}") from error

    def _prepare_next(self) -> _Batch | None:
        """While the batch before it is written."""
        found = next(self._left, None)
        return None if found is None else self._prepare(*found)

    def _prepare(self, records: list[Record], refused: list[Outcome]) -> _Batch:
        with self._database.transaction() as session:
            disable_full_scans(session)
            known = frozenset(self._resolver.find_known(session, records))
        new = [record for record in records if record.id not in known]
        unreadable = check_texts(self._resources.pool, self._threads, new)
        refused.extend(
            failed(each, "text_unreadable", unreadable[each.number]) for each in new if each.number in unreadable
        )
        blobs = self._incoming.put([record for record in new if record.number not in unreadable])
        kept = [record for record in records if record.number not in unreadable]
        return _Batch(kept, refused, blobs, known)

    def _write(self, batch: _Batch) -> list[Outcome]:
        """Writes the batch; if the database refuses a record, writes all others."""
        for left in reversed(range(MAX_BATCH_TRIES)):
            try:
                return self._write_batch(batch)
            except (ConflictError, BlobMissingError):
                if not left:
                    raise
            except DBAPIError as error:
                if not left or not isinstance(error.orig, RETRYABLE_ERRORS):
                    if not isinstance(error.orig, RECORD_ERRORS):
                        raise
                    return self._write_halves(batch)
            batch = self._prepare(batch.records, batch.refused)
        raise AssertionError("the last try returns or raises")

    def _write_halves(self, batch: _Batch) -> list[Outcome]:
        """Something in one of these records cannot be stored."""
        if len(batch.records) == 1:
            return self._write_refused(batch)
        half = len(batch.records) // 2
        border = batch.records[half].number  # what is noted has no gaps, wherever it is killed
        before = [outcome for outcome in batch.refused if outcome.number < border]
        behind = [outcome for outcome in batch.refused if outcome.number > border]
        first = replace(batch, records=batch.records[:half], refused=before)
        second = replace(batch, records=batch.records[half:], refused=behind)
        return [*self._write(first), *self._write(second)]

    def _write_refused(self, batch: _Batch) -> list[Outcome]:
        outcomes = [*batch.refused, *(failed(each, "archive_invalid_record", NOT_WRITTEN) for each in batch.records)]
        with self._database.transaction() as session:
            self._on_batch(session, outcomes)
        return outcomes

    def _write_batch(self, batch: _Batch) -> list[Outcome]:
        with self._database.transaction() as session:
            session.execute(RAISE_STATEMENT_TIMEOUT)
            disable_full_scans(session)
            lock_library(session, self._user)
            targets = self._resolver.resolve(session, batch.records)
            there = [target.media_id for target in targets.values() if not target.is_new]
            is_known = {record.id for record in batch.records if targets[record.id].kind == "known"}
            if len(hold_many(session, there)) < len(set(there)) or batch.known - is_known:
                raise ConflictError(CHANGED)
            before = load_states(session, self._user, {targets[each].media_id for each in is_known})
            written = self._write_records(session, batch, targets)
            undo = self._undo(session, written, before)
            outcomes = batch.refused + [
                outcome_of(
                    record,
                    targets[record.id],
                    is_changed=targets[record.id].media_id in written.changed,
                    items=written.items,
                    undo=undo.get(targets[record.id].media_id),
                )
                for record in batch.records
            ]
            self._on_batch(session, outcomes)
            if batch.records and batch.records[-1].number >= ANALYZE_AFTER_RECORDS:
                analyze_if_grown(session, "library_media", batch.records[-1].number, *ANALYZED_TABLES)
            if written.aliases:
                self._on_created(session, {"aliases": written.aliases})
        return outcomes

    def _undo(self, session: Session, written: _Written, before: Mapping[UUID, State]) -> dict[UUID, Row]:
        """What an undo needs to know, by media."""
        after = load_states(session, self._user, before)
        undo: dict[UUID, Row] = {
            media_id: {"added": False, "change": change}
            for media_id, state in before.items()
            if (change := difference(state, after[media_id]))
        }
        for media_id, fingerprint in load_fingerprints(session, self._user, written.added).items():
            undo[media_id] = {
                "added": True,
                "mark": fingerprint,
                "episode": written.episodes.get(media_id),
                "removal": written.removals.get(media_id),
            }
        return undo

    def _write_records(self, session: Session, batch: _Batch, targets: Mapping[UUID, RestoreTarget]) -> _Written:
        user, records = self._user, batch.records
        urls = {record.id: url for record in records if (url := self._resolver.canonical_url(record))}
        full = self._quota.take(batch.records, targets, batch.blobs)
        builder = RowBuilder(user.user_id, self._resources.allow, batch.blobs, urls, full)
        rows = NewRows()
        for record in records:
            if targets[record.id].is_new:
                builder.add_media(rows, record, targets[record.id])
            builder.add_items(rows, record, targets[record.id].media_id)
        write_media(session, rows)
        episodes = podcasts.write_episodes(session, records, targets, self._resolver.feeds)
        changed = write_items(session, user, rows)
        added = add_entries(session, user, records, targets)
        aliases = add_aliases(session, user, targets)
        removals = podcasts.delete_removals(session, user, added)
        changed |= added | write_tags(session, user, records, targets, self._tag_ids, added)
        changed |= join_entries(
            session, user, [each for each in records if targets[each.id].media_id not in added], targets
        )
        changed |= write_positions(session, user, records, targets)
        changed |= write_highlights(session, user, records, targets, self._tag_ids)
        items = {row["media_id"]: row["id"] for row in rows.tables["items"]}
        known = [row for row in aliases if row["media_id"] not in added]
        return _Written(changed, added, items, episodes, removals, known)
