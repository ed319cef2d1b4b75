"""Undoes an import, the last row first, one batch per transaction.

What it added is removed, unless the user did something with it since: read it, tagged it, highlighted or wrote
something in it. What existed before gets its earlier value back, part by part, unless that part has changed since.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Row, text
from sqlalchemy.orm import Session

from nexus.db.bulk_load import disable_full_scans
from nexus.db.json_rows import text_with_rows
from nexus.services import lifecycle
from nexus.services.archives.undo.undo_lines import undo_lines
from nexus.services.imports.archives import ARCHIVE_SOURCE
from nexus.services.imports.rows.entry import COLUMNS, STATE
from nexus.services.imports.rows.undo_entries import Removals, UndoEntry, load_undo_entries, write_restored
from nexus.services.library.library_lock import lock_library
from nexus.services.library.tags import notify_tags
from nexus.services.notifications import notify
from nexus.services.users import CurrentUser

UNDONE = ("undone", "Undone.")
KEPT = ("kept", "You changed this after the import, so it stays in your library.")

TAKE_IMPORT = text("""
    SELECT source FROM imports
    WHERE id = :import_id AND user_id = :user_id AND status = 'undoing' FOR NO KEY UPDATE SKIP LOCKED
""")
TAKE_ROWS = text("""
    SELECT number, undo, item_id, coalesce(items.media_id, import_rows.media_id) AS media_id
    FROM import_rows LEFT JOIN items ON items.id = item_id
    WHERE import_id = :import_id AND undo IS NOT NULL ORDER BY number DESC LIMIT :limit
""")
WRITE_ROWS = text_with_rows("""
    UPDATE import_rows SET undo = NULL, code = given.code, message = given.message, content_due = false
    FROM jsonb_to_recordset(:rows) AS given (number integer, code text, message text)
    WHERE import_id = :import_id AND import_rows.number = given.number
""")


@dataclass(frozen=True)
class UndoResult:
    """`has_more`: call again. Nothing is undone of an import that is not being undone, or that another worker is at."""

    rows: int = 0
    kept: int = 0
    has_more: bool = False


def undo_rows(session: Session, user: CurrentUser, import_id: UUID, limit: int) -> UndoResult:
    values: dict[str, Any] = {"import_id": import_id, "user_id": user.user_id, "limit": limit}
    disable_full_scans(session)
    import_to_undo = session.execute(TAKE_IMPORT, values).one_or_none()
    if import_to_undo is None:
        return UndoResult()
    lock_library(session, user)
    rows = _lock_rows(session, user, values)
    if not rows:
        return UndoResult()
    undo = undo_lines if import_to_undo.source == ARCHIVE_SOURCE else _undo
    kept = undo(session, user, rows)
    results = [_result(row.number, *(KEPT if row.number in kept else UNDONE)) for row in rows]
    session.execute(WRITE_ROWS, {"import_id": import_id, "rows": results})
    notify(session, user.user_id, "shelf")
    notify_tags(session, user)
    return UndoResult(len(rows), len(kept), has_more=len(rows) == limit)


def _result(number: int, code: str, message: str) -> dict[str, Any]:
    return {"number": number, "code": code, "message": message}


def _undo(session: Session, user: CurrentUser, rows: Sequence[Row[Any]]) -> set[int]:
    """The numbers of those whose entries stay."""
    entries = load_undo_entries(session, user, [row.media_id for row in rows if row.media_id])
    removals = Removals()
    kept = set()
    for row in rows:
        entry = entries.get(row.media_id)
        if entry and row.undo["added"]:
            if _is_untouched(entry, row):
                removals.entries.append(row.media_id)
                del entries[row.media_id]
            else:
                kept.add(row.number)
        elif entry:
            _restore(entry, row.undo, removals)
        removals.new_tags += map(UUID, row.undo["new_tags"])
    write_restored(session, user, list(entries.values()), removals)
    return kept


def _lock_rows(session: Session, user: CurrentUser, values: dict[str, Any]) -> Sequence[Row[Any]]:
    """With their media, which may be merged away while this waits."""
    while True:
        rows = session.execute(TAKE_ROWS, values).all()
        media_ids = sorted({row.media_id for row in rows if row.media_id})
        if not media_ids:
            return rows
        with session.begin_nested() as attempt:
            if lifecycle.lock_removed(session, user, media_ids) == set(media_ids):
                again = session.execute(TAKE_ROWS, values).all()
                if [row.media_id for row in again] == [row.media_id for row in rows]:
                    return rows
            attempt.rollback()  # it was merged away, or a fetch began while this waited


def _is_untouched(entry: UndoEntry, row: Row[Any]) -> bool:
    undo = row.undo
    left = {UUID(each) for each in undo["highlights"]}
    return (
        all(entry.state[column] == _value(column, undo["after"][column]) for column in STATE)
        and entry.own_title is None
        and entry.tags == {UUID(each): True for each in undo["tags"]}
        and all(each in left and is_untouched for each, is_untouched in entry.highlights.items())
        and entry.position == _position(undo["position"])
        and not entry.has_audio_position
        and entry.untouched_items == [row.item_id]
        and entry.items == 1
    )


def _restore(entry: UndoEntry, undo: dict[str, Any], removals: Removals) -> None:
    for column in COLUMNS:
        if column in undo["after"] and entry.state[column] == _value(column, undo["after"][column]):
            entry.state[column] = _value(column, undo["before"][column])
            entry.is_changed = True
    for tag_id in map(UUID, undo["tags"]):
        if entry.tags.get(tag_id):
            del entry.tags[tag_id]
            removals.tags.append((entry.media_id, tag_id))
    for highlight_id in map(UUID, undo["highlights"]):
        if entry.highlights.get(highlight_id):
            del entry.highlights[highlight_id]
            removals.highlights.append(highlight_id)
    if undo["position"] and entry.position == _position(undo["position"]):
        entry.position = _position(undo["earlier_position"])
        entry.is_moved = True
    if undo["title"]:
        removals.titles.append((entry.media_id, undo["title"]))


def _value(column: str, given: str | None) -> datetime | str | None:
    return given if given is None or column == "note" else datetime.fromisoformat(given)


def _position(given: list[Any] | None) -> tuple[datetime, float, str | None] | None:
    return (datetime.fromisoformat(given[0]), given[1], given[2]) if given else None
