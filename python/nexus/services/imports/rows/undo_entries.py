"""Library entries as an undo finds them, and what it writes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.services import lifecycle
from nexus.services.highlights.records import delete_highlights
from nexus.services.imports.rows.entry import COLUMNS
from nexus.services.imports.rows.entry_lookup import TAGS
from nexus.services.imports.rows.entry_writer import CHANGE_ENTRIES, PUT_POSITIONS
from nexus.services.users import CurrentUser

ENTRIES = text(f"""
    SELECT media_id, own_title, {", ".join(COLUMNS)} FROM library_media
    WHERE library_id = :library_id AND media_id = ANY(:ids) ORDER BY media_id FOR UPDATE
""")  # noqa: S608 - our own constants
HIGHLIGHTS = text("""
    SELECT media_id, id,
           deleted_at IS NULL AND created_at = ALL (ARRAY[place_decided_at, color_decided_at, note_decided_at,
                                                          tags_decided_at, deletion_decided_at]) AS is_untouched
    FROM highlights WHERE library_id = :library_id AND media_id = ANY(:ids)
""")
POSITIONS = text("""
    SELECT media_id, text_at, fraction, text_device, audio_at FROM positions
    WHERE user_id = :user_id AND media_id = ANY(:ids)
""")
# Saved again, fetched again or retried by hand, or with a text that the user pasted: it is theirs now.
ITEMS = text("""
    SELECT media_id, id, priority = 1 AND fetched_again_at IS NULL
           AND NOT EXISTS (SELECT FROM item_pastes WHERE item_id = items.id) AS is_untouched
    FROM items WHERE user_id = :user_id AND media_id = ANY(:ids) AND fetch_again_of IS NULL
""")

DELETE_TAGS = text("""
    DELETE FROM entry_tags USING unnest(CAST(:media_ids AS uuid[]), CAST(:tag_ids AS uuid[])) AS given(media_id, tag_id)
    WHERE library_id = :library_id AND entry_tags.media_id = given.media_id AND entry_tags.tag_id = given.tag_id
""")
DELETE_UNUSED_TAGS = text("""
    DELETE FROM tags
    WHERE id = ANY(:ids) AND user_id = :user_id AND color IS NULL
      AND NOT EXISTS (SELECT FROM entry_tags WHERE tag_id = tags.id)
      AND NOT EXISTS (SELECT FROM highlight_tags WHERE tag_id = tags.id)
""")
DELETE_POSITIONS = text("""
    WITH halves AS (
        UPDATE positions SET text_at = NULL, version = NULL, fragment_idx = NULL, text_offset = NULL, words = NULL,
               share = NULL, fraction = NULL, text_device = NULL
        WHERE user_id = :user_id AND media_id = ANY(:ids) AND audio_at IS NOT NULL
    )
    DELETE FROM positions WHERE user_id = :user_id AND media_id = ANY(:ids) AND audio_at IS NULL
""")
_TITLES = "unnest(CAST(:ids AS uuid[]), CAST(:titles AS text[])) AS given(id, title)"
DELETE_TITLES = [
    text(f"""
        UPDATE items SET title = NULL FROM {_TITLES} JOIN media ON media.id = given.id
        WHERE items.media_id = given.id AND items.user_id = :user_id AND items.title = given.title
          AND processing_status <> 'ready_for_reading'
    """),  # noqa: S608
    text(f"""
        UPDATE media SET title = NULL FROM {_TITLES}
        WHERE media.id = given.id AND media.title = given.title AND processing_status <> 'ready_for_reading'
    """),  # noqa: S608
]


@dataclass
class UndoEntry:
    media_id: UUID
    state: dict[str, Any]
    own_title: str | None
    tags: dict[UUID, bool] = field(default_factory=dict)
    highlights: dict[UUID, bool] = field(default_factory=dict)  # whether each is as it was made
    position: tuple[datetime, float, str | None] | None = None
    has_audio_position: bool = False
    items: int = 0
    untouched_items: list[UUID] = field(default_factory=list)
    is_changed: bool = False
    is_moved: bool = False


def load_undo_entries(session: Session, user: CurrentUser, media_ids: Sequence[UUID]) -> dict[UUID, UndoEntry]:
    """The media are locked."""
    values = {"library_id": user.default_library_id, "user_id": user.user_id, "ids": list(media_ids)}
    entries = {
        row.media_id: UndoEntry(row.media_id, {column: getattr(row, column) for column in COLUMNS}, row.own_title)
        for row in session.execute(ENTRIES, values)
    }
    for media_id, tag_id, is_set in session.execute(TAGS, values):
        entries[media_id].tags[tag_id] = is_set
    for media_id, highlight_id, is_untouched in session.execute(HIGHLIGHTS, values):
        entries[media_id].highlights[highlight_id] = is_untouched
    for row in session.execute(POSITIONS, values):
        if entry := entries.get(row.media_id):
            entry.position = (row.text_at, row.fraction, row.text_device) if row.text_at else None
            entry.has_audio_position = row.audio_at is not None
    for media_id, item_id, is_untouched in session.execute(ITEMS, values):
        if entry := entries.get(media_id):
            entry.items += 1
            entry.untouched_items += [item_id] if is_untouched else []
    return entries


@dataclass
class Removals:
    """What is to be taken away: entries (by their media, locked by `lock_removed`), and parts of entries that stay."""

    entries: list[UUID] = field(default_factory=list)
    tags: list[tuple[UUID, UUID]] = field(default_factory=list)  # of which media
    new_tags: list[UUID] = field(default_factory=list)  # that the import made
    highlights: list[UUID] = field(default_factory=list)
    titles: list[tuple[UUID, str]] = field(default_factory=list)  # of which media


def write_restored(session: Session, user: CurrentUser, entries: Sequence[UndoEntry], removals: Removals) -> None:
    values: dict[str, Any] = {"library_id": user.default_library_id, "user_id": user.user_id}
    changed = [_columns(entry) for entry in entries if entry.is_changed]
    if changed:
        session.execute(CHANGE_ENTRIES, values | {"rows": changed})
    if removals.tags:
        pairs = {"media_ids": [media_id for media_id, _ in removals.tags], "tag_ids": [tag for _, tag in removals.tags]}
        session.execute(DELETE_TAGS, values | pairs)
    if removals.highlights:
        delete_highlights(session, user, removals.highlights)
    _move(session, values, [entry for entry in entries if entry.is_moved])
    if removals.titles:
        named = {
            "ids": [media_id for media_id, _ in removals.titles],
            "titles": [title for _, title in removals.titles],
        }
        for statement in DELETE_TITLES:
            session.execute(statement, values | named)
    if removals.entries:
        lifecycle.remove_many(session, user, removals.entries)
    if removals.new_tags:
        session.execute(DELETE_UNUSED_TAGS, values | {"ids": removals.new_tags})


def _move(session: Session, values: dict[str, Any], moved: Sequence[UndoEntry]) -> None:
    """Positions, to where they were before."""
    gone = [entry.media_id for entry in moved if entry.position is None]
    if gone:
        session.execute(DELETE_POSITIONS, values | {"ids": gone})
    rows = [
        {"media_id": str(entry.media_id), "text_at": entry.position[0].isoformat(), "fraction": entry.position[1]}
        for entry in moved
        if entry.position
    ]
    if rows:
        session.execute(PUT_POSITIONS, values | {"rows": rows, "device": "import"})


def _columns(entry: UndoEntry) -> dict[str, Any]:
    state = entry.state.items()
    texts = {column: value if isinstance(value, str | None) else value.isoformat() for column, value in state}
    return {"media_id": str(entry.media_id)} | texts
