"""Restores an archive into a library, in batches, each in one transaction together with the note that it is done.

Killed at any moment it goes on behind the last batch that was noted, or from the beginning: what is here is found again
by its id, so that restoring twice adds nothing.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Literal, Self
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

from nexus.db.session import Database
from nexus.errors import BlobMissingError, ConflictError, InvalidRecordError
from nexus.services.archives import layout, lists, podcasts
from nexus.services.archives.archive_file import ArchiveFile
from nexus.services.archives.highlights import write_highlights
from nexus.services.archives.incoming_blobs import IncomingBlobs
from nexus.services.archives.new_rows import write_items, write_media
from nexus.services.archives.own_state import add_entries, join_entries, write_positions, write_tags
from nexus.services.archives.quota import Quota
from nexus.services.archives.records import Record, read_record
from nexus.services.archives.rows import KeptBlob, Maker, Rows
from nexus.services.archives.targets import Resolver, Target
from nexus.services.archives.texts import check_texts
from nexus.services.library.library_lock import lock_library
from nexus.services.locks import hold_many
from nexus.services.users import CurrentUser
from nexus.store import BlobStore
from nexus.text.process_pool import TextPool
from nexus.web.public_address import AllowList

BATCH_RECORDS = 200
BATCH_BYTES = 8 << 20
TRIES = 3
# A restore may wait for a worker's transaction, and a batch of large texts takes its time.
PATIENCE = text("SET LOCAL statement_timeout = '120s'")
# Trying again may help: somebody else wrote the same, or waited for the same rows.
PASSING = (DeadlockDetected, SerializationFailure, UniqueViolation)
# What a record can cause: a value that does not fit, rows that contradict each other, a batch that takes too long.
FAULTS = (psycopg.IntegrityError, psycopg.DataError, psycopg.InternalError, ProgramLimitExceeded, QueryCanceled)
CHANGED = "The library was changed all the time while the archive was restored. Import it again."
NOT_WRITTEN = "The library refused this entry: something in it does not fit together."
AS_ARTICLE = "The episode's feed is not shared with you here, so its text was restored as an article."
AS_PRIVATE = "The text was restored for you alone: it came from the archive, not from the site."

Result = Literal["added", "merged", "unchanged", "failed"]


@dataclass(frozen=True)
class Outcome:
    """What became of a line. `message` says why it failed, or what is different now."""

    number: int
    part: str
    result: Result
    title: str | None = None
    url: str | None = None
    media_id: UUID | None = None
    item_id: UUID | None = None
    code: str | None = None
    message: str | None = None


@dataclass
class Restored:
    added: int = 0
    merged: int = 0
    unchanged: int = 0
    failed: int = 0

    def count(self, outcomes: Sequence[Outcome]) -> None:
        for outcome in outcomes:
            setattr(self, outcome.result, getattr(self, outcome.result) + 1)


@dataclass(frozen=True)
class Surroundings:
    """What a restore needs besides its archive and its user."""

    database: Database
    store: BlobStore
    pool: TextPool
    allow: AllowList
    original_bytes: int  # that a user may have
    picture_bytes: int
    pool_size: int = 2


# In the transaction of each batch; what it raises ends the restore, and that batch changes nothing.
OnBatch = Callable[[Session, Sequence[Outcome]], None]


@dataclass
class _Batch:
    records: list[Record]
    refused: list[Outcome]
    blobs: Mapping[str, KeptBlob]
    known: frozenset[UUID]


def restore_archive(
    around: Surroundings, user: CurrentUser, archive: ArchiveFile, *, after: int = 0, on_batch: OnBatch | None = None
) -> Restored:
    """`after`: so many lines are done."""
    restored = Restored()
    with Restore(around, user, archive, on_batch or _ignore, after=after) as restore:
        while (outcomes := restore.step()) is not None:
            restored.count(outcomes)
        with around.database.transaction() as session:
            restore.finish(session)
    return restored


def _ignore(session: Session, outcomes: Sequence[Outcome]) -> None:
    pass


class Restore:
    """Step by step: all steps, then `finish`. While a batch is written, the next one is prepared."""

    def __init__(
        self, around: Surroundings, user: CurrentUser, archive: ArchiveFile, on_batch: OnBatch, *, after: int = 0
    ) -> None:
        self._around = around
        self._database = around.database
        self._user = user
        self._archive = archive
        self._on_batch = on_batch
        self._threads = ThreadPoolExecutor(around.pool_size + 1)
        self._ahead = ThreadPoolExecutor(1)
        self._incoming = IncomingBlobs(archive, around.store, around.pool, self._threads)
        self._quota = Quota(around.original_bytes, around.picture_bytes)
        self._prepared: Future[_Batch | None] | None = None
        self._tag_ids: dict[str, UUID] = {}
        self._resolver = Resolver(user, {})
        self._left = self._batches(after)

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

    def finish(self, session: Session) -> None:
        """What refers to media, or to none."""
        lines = self._archive.lines_of
        lists.restore_searches(session, self._user, lines(layout.SEARCHES))
        lists.restore_aliases(session, self._user, lines(layout.ALIASES))
        lists.restore_reviews(session, self._user, lines(layout.REVIEWS))
        podcasts.restore_removals(session, self._user, lines(layout.REMOVALS), self._resolver.feeds)

    def close(self) -> None:
        self._ahead.shutdown(cancel_futures=True)
        self._threads.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _begin(self) -> None:
        with self._database.transaction() as session:
            self._tag_ids = lists.restore_tags(session, self._user, self._archive.lines_of(layout.TAGS))
            feeds = podcasts.restore_podcasts(session, self._user, self._archive.lines_of(layout.PODCASTS))
            self._quota.load(session, self._user)
        self._resolver = Resolver(self._user, feeds)

    def _batches(self, after: int) -> Iterator[tuple[list[Record], list[Outcome]]]:
        """In one batch no id and no page is there twice."""
        records: list[Record] = []
        refused: list[Outcome] = []
        seen: set[object] = set()
        size = 0
        for line in self._archive.media_lines(after):
            try:
                record = read_record(line.content, number=line.number, part=line.part)
            except InvalidRecordError as error:
                refused.append(Outcome(line.number, line.part, "failed", code=error.code, message=error.message))
                if len(records) + len(refused) >= BATCH_RECORDS:
                    yield records, refused
                    records, refused, seen, size = [], [], set(), 0
                continue
            names = {record.id, record.media["canonical_url"] or record.id, *(each["id"] for each in record.highlights)}
            is_full = len(records) + len(refused) >= BATCH_RECORDS or size + record.size > BATCH_BYTES
            if (records or refused) and (is_full or names & seen):
                yield records, refused
                records, refused, seen, size = [], [], set(), 0
            records.append(record)
            seen |= names
            size += record.size
        if records or refused:
            yield records, refused

    def _prepare_next(self) -> _Batch | None:
        """While the batch before it is written."""
        found = next(self._left, None)
        return None if found is None else self._prepare(*found)

    def _prepare(self, records: list[Record], refused: list[Outcome]) -> _Batch:
        with self._database.transaction() as session:
            known = frozenset(self._resolver.find_known(session, records))
        new = [record for record in records if record.id not in known]
        unsafe = check_texts(self._around.pool, self._threads, new)
        refused.extend(_failed(each, "text_unreadable", unsafe[each.number]) for each in new if each.number in unsafe)
        blobs = self._incoming.put([record for record in new if record.number not in unsafe])
        kept = [record for record in records if record.number not in unsafe]
        return _Batch(kept, refused, blobs, known)

    def _write(self, batch: _Batch) -> list[Outcome]:
        """All of it; where something in it is refused, all but that."""
        for left in reversed(range(TRIES)):
            try:
                return self._write_once(batch)
            except (ConflictError, BlobMissingError):
                if not left:
                    raise
            except DBAPIError as error:
                if not left or not isinstance(error.orig, PASSING):
                    if not isinstance(error.orig, FAULTS):
                        raise
                    return self._write_apart(batch)
            batch = self._prepare(batch.records, batch.refused)
        raise AssertionError("the last try returns or raises")

    def _write_apart(self, batch: _Batch) -> list[Outcome]:
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
        outcomes = [*batch.refused, *(_failed(each, "archive_invalid_record", NOT_WRITTEN) for each in batch.records)]
        with self._database.transaction() as session:
            self._on_batch(session, outcomes)
        return outcomes

    def _write_once(self, batch: _Batch) -> list[Outcome]:
        with self._database.transaction() as session:
            session.execute(PATIENCE)
            lock_library(session, self._user)
            targets = self._resolver.resolve(session, batch.records)
            there = [target.media_id for target in targets.values() if not target.is_new]
            is_known = {record.id for record in batch.records if targets[record.id].place == "known"}
            if len(hold_many(session, there)) < len(set(there)) or batch.known - is_known:
                raise ConflictError(CHANGED)
            changed, items = self._write_records(session, batch, targets)
            outcomes = batch.refused + [
                _outcome(record, targets[record.id], targets[record.id].media_id in changed, items)
                for record in batch.records
            ]
            self._on_batch(session, outcomes)
        return outcomes

    def _write_records(
        self, session: Session, batch: _Batch, targets: Mapping[UUID, Target]
    ) -> tuple[set[UUID], dict[UUID, UUID]]:
        """The media of which something is different now, and the newest item of each."""
        user, records = self._user, batch.records
        urls = {record.id: url for record in records if (url := self._resolver.canonical_url(record))}
        full = self._quota.take(batch.records, targets, batch.blobs)
        maker = Maker(user.user_id, self._around.allow, batch.blobs, urls, full)
        rows = Rows()
        for record in records:
            if targets[record.id].is_new:
                maker.add_media(rows, record, targets[record.id])
            maker.add_items(rows, record, targets[record.id].media_id)
        write_media(session, rows)
        podcasts.write_episodes(session, records, targets, self._resolver.feeds)
        changed = write_items(session, user, rows)
        added = add_entries(session, user, records, targets)
        podcasts.drop_removals(session, user, added)
        changed |= added | write_tags(session, user, records, targets, self._tag_ids, added)
        changed |= join_entries(
            session, user, [each for each in records if targets[each.id].media_id not in added], targets
        )
        changed |= write_positions(session, user, records, targets)
        changed |= write_highlights(session, user, records, targets, self._tag_ids)
        items = {row["media_id"]: row["id"] for row in rows.tables["items"]}
        return changed, items


def _failed(record: Record, code: str, message: str) -> Outcome:
    return Outcome(record.number, record.part, "failed", _title(record), _url(record), code=code, message=message)


def _outcome(record: Record, target: Target, is_changed: bool, items: Mapping[UUID, UUID]) -> Outcome:
    if target.place == "known":
        result: Result = "merged" if is_changed else "unchanged"
    else:
        result = "added"
    messages = list(record.problems)
    if target.place == "private" and record.media["kind"] == "podcast_episode":
        messages.append(AS_ARTICLE)
    elif target.place == "private" and record.media["canonical_url"]:
        messages.append(AS_PRIVATE)
    return Outcome(
        record.number,
        record.part,
        result,
        _title(record),
        _url(record),
        target.media_id,
        items.get(target.media_id),
        code="restored_differently" if messages else None,
        message=" ".join(messages) or None,
    )


def _title(record: Record) -> str | None:
    title: str | None = record.entry["own_title"] or record.media["title"]
    return title


def _url(record: Record) -> str | None:
    media = record.media
    url: str | None = media["canonical_url"] or media["requested_url"] or media["declared_url"]
    return url
