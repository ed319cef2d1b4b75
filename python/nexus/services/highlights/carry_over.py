"""Highlights follow their text: each is looked for in a version that became current, or in another media's text.

What is to be done is rows (`highlights_waiting`), so that saving a text does not wait for it, and whoever does it may
be killed. No transaction is open while words are compared.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.db.json_rows import text_with_rows
from nexus.services.highlights.anchors import VersionText, carry, load_text
from nexus.services.highlights.records import notify_highlights
from nexus.text.quotes.find_quote import Quote

BATCH_SIZE = 100
BATCH_CHARS = 100_000  # of quotes: a second or two, if all of their words have changed

IS_WAITING = text("SELECT EXISTS (SELECT FROM highlights_waiting)")
# Any of them: one that cannot be done must not hold up the others.
WAITING = text("""
    SELECT media_id, current_version FROM highlights_waiting JOIN media ON media.id = media_id
    WHERE current_version IS NOT NULL ORDER BY random() LIMIT 1
""")
_IS_DUE = "carried_version IS DISTINCT FROM :version AND quote <> ''"
DUE = text(f"""
    SELECT library_id, id, version, start_fragment, start_offset, quote, prefix, suffix, place_decided_at
    FROM highlights WHERE media_id = :media_id AND {_IS_DUE} ORDER BY library_id, id LIMIT :limit
""")  # noqa: S608 - our own constant
LENGTHS = text("""
    SELECT version, idx, char_length(canonical_text) AS chars FROM fragments
    WHERE media_id = :media_id AND version = ANY(:versions) ORDER BY version, idx
""")
# Held, so that no other version becomes current meanwhile.
HOLD = text("SELECT FROM media WHERE id = :media_id AND current_version = :version FOR KEY SHARE")
LOCK = text("""
    SELECT FROM highlights JOIN unnest(CAST(:libraries AS uuid[]), CAST(:ids AS uuid[])) AS given(library_id, id)
        USING (library_id, id)
    ORDER BY library_id, id FOR NO KEY UPDATE OF highlights
""")
# Unless its user attached it to other words meanwhile. One that was not found stays in its own version.
WRITE = text_with_rows(f"""
    UPDATE highlights
    SET version = coalesce(given.version, highlights.version),
        start_fragment = coalesce(given.start_fragment, highlights.start_fragment),
        start_offset = coalesce(given.start_offset, highlights.start_offset),
        end_fragment = coalesce(given.end_fragment, highlights.end_fragment),
        end_offset = coalesce(given.end_offset, highlights.end_offset),
        start_ms = CASE given.state WHEN 'attached' THEN given.start_ms ELSE highlights.start_ms END,
        state = given.state, carried_version = :version
    FROM jsonb_to_recordset(:rows) AS given (
        library_id uuid, id uuid, place_decided_at timestamptz, version integer, start_fragment integer,
        start_offset integer, end_fragment integer, end_offset integer, start_ms bigint, state text)
    WHERE highlights.library_id = given.library_id AND highlights.id = given.id
      AND highlights.media_id = :media_id AND highlights.place_decided_at = given.place_decided_at
      AND highlights.{_IS_DUE}
    RETURNING highlights.library_id
""")  # noqa: S608
OWNERS = text("SELECT owner_user_id FROM libraries WHERE id = ANY(:ids)")
DELETE = text(f"""
    DELETE FROM highlights_waiting
    WHERE media_id = :media_id AND NOT EXISTS (
        SELECT FROM highlights WHERE highlights.media_id = :media_id AND {_IS_DUE})
""")  # noqa: S608
EMPTY = text("""
    UPDATE highlights SET quote = '', prefix = '', suffix = '', note = NULL, words = ''
    WHERE (library_id, id) IN (
        SELECT library_id, id FROM highlights
        WHERE deleted_at IS NOT NULL AND quote <> '' AND deleted_at < now() - interval '1 hour'
        ORDER BY deleted_at LIMIT 1000 FOR NO KEY UPDATE SKIP LOCKED)
    RETURNING library_id, id
""")
# Not those of a tag that is just being deleted.
DELETE_TAGS = text("""
    DELETE FROM highlight_tags
    WHERE (library_id, highlight_id, tag_id) IN (
        SELECT library_id, highlight_id, tag_id FROM highlight_tags
        JOIN unnest(CAST(:libraries AS uuid[]), CAST(:ids AS uuid[])) AS given(library_id, highlight_id)
            USING (library_id, highlight_id)
        FOR UPDATE OF highlight_tags SKIP LOCKED)
""")


@dataclass(frozen=True)
class _Due:
    library_id: UUID
    id: UUID
    quote: Quote
    place_decided_at: datetime


@dataclass(frozen=True)
class HighlightBatch:
    """Highlights of a media that are to be looked for in its current text."""

    media_id: UUID
    text: VersionText
    due: Sequence[_Due]


def is_waiting(session: Session) -> bool:
    return bool(session.scalar(IS_WAITING))


def next_batch(session: Session) -> HighlightBatch | None:
    waiting = session.execute(WAITING).one_or_none()
    if waiting is None:
        return None
    values = {"media_id": waiting.media_id, "version": waiting.current_version}
    found = load_text(session, waiting.media_id, waiting.current_version)
    if found is None:  # it was removed meanwhile
        return None
    rows = _not_too_long(session.execute(DUE, values | {"limit": BATCH_SIZE}).all())
    before = _texts_before(session, waiting.media_id, {row.version for row in rows if row.version is not None})
    due = [
        _Due(
            row.library_id, row.id, Quote(row.quote, row.prefix, row.suffix, _share(row, before)), row.place_decided_at
        )
        for row in rows
    ]
    return HighlightBatch(waiting.media_id, found, due)


def _not_too_long(rows: Sequence[Any]) -> Sequence[Any]:
    """At least one."""
    lengths = accumulate(len(row.quote) for row in rows)
    return rows[: max(1, sum(length <= BATCH_CHARS for length in lengths))]


def carry_batch(batch: HighlightBatch) -> list[dict[str, Any]]:
    """Where each is now. Without a database: it may take a second."""
    return [
        {"library_id": str(due.library_id), "id": str(due.id), "place_decided_at": due.place_decided_at.isoformat()}
        | carry(due.quote, batch.text)
        for due in batch.due
    ]


def write_batch(session: Session, batch: HighlightBatch, rows: Sequence[Mapping[str, Any]]) -> None:
    """Writes nothing if another version is current by now: its highlights are looked for later."""
    values = {"media_id": batch.media_id, "version": batch.text.version}
    if session.execute(HOLD, values).one_or_none() is None:
        return
    if rows:
        keys = {"libraries": [row["library_id"] for row in rows], "ids": [row["id"] for row in rows]}
        session.execute(LOCK, keys)
        changed = set(session.scalars(WRITE, values | {"rows": list(rows)}))
        for user_id in set(session.scalars(OWNERS, {"ids": list(changed)})):
            notify_highlights(session, user_id, batch.media_id)
    session.execute(DELETE, values)


def empty_deleted(session: Session) -> None:
    """Empties deleted highlights that can no longer be restored; only their ids are kept."""
    rows = session.execute(EMPTY).all()
    if rows:
        keys = {"libraries": [row.library_id for row in rows], "ids": [row.id for row in rows]}
        session.execute(DELETE_TAGS, keys)


def _texts_before(session: Session, media_id: UUID, versions: set[int]) -> dict[int, dict[int, tuple[int, int]]]:
    """For each fragment of these versions: how many characters are before it, and how many the whole text has."""
    found: dict[int, dict[int, tuple[int, int]]] = {}
    rows = session.execute(LENGTHS, {"media_id": media_id, "versions": list(versions)}).all() if versions else []
    totals = {version: sum(row.chars + 1 for row in rows if row.version == version) for version in versions}
    before = dict.fromkeys(versions, 0)
    for row in rows:
        found.setdefault(row.version, {})[row.idx] = before[row.version], totals[row.version]
        before[row.version] += row.chars + 1
    return found


def _share(row: Any, before: Mapping[int, Mapping[int, tuple[int, int]]]) -> float:
    """The share of its text that is before the highlight; 0 if that text is gone."""
    begin, total = before.get(row.version, {}).get(row.start_fragment, (0, 0))
    return min(1.0, (begin + row.start_offset) / total) if total else 0.0
