"""Writes what a batch of rows changed, with as many statements for five hundred rows as for one."""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import TextClause, text
from sqlalchemy.orm import Session

from nexus.db.json_rows import text_with_rows
from nexus.services.highlights.text_search import words_of
from nexus.services.imports.rows.batch_tags import BatchTags
from nexus.services.imports.rows.entry import COLUMNS, DEVICE, BatchEntry, EntryChange
from nexus.services.users import CurrentUser

NOT_FETCHED = "This was imported without fetching its page. Retry to fetch it, or paste the text."
TEXT_IS_COMING = "The text that came with the import is being read."

ADD_MEDIA = text_with_rows("""
    INSERT INTO media (id, kind, owner_user_id, created_by_user_id, requested_url, title, processing_status, failed_at,
                       failure_stage, last_error_code, last_error_message)
    SELECT media_id, CASE WHEN url IS NULL THEN 'pasted_text' ELSE 'web_article' END,
           CASE WHEN url IS NULL THEN CAST(:user_id AS uuid) END, :user_id, url, title,
           CASE WHEN is_queued THEN 'pending' ELSE 'failed' END, CASE WHEN NOT is_queued THEN now() END,
           CASE WHEN NOT is_queued THEN 'other' END, CASE WHEN NOT is_queued THEN 'E_NOT_FETCHED' END,
           CASE WHEN NOT is_queued THEN detail END
    FROM jsonb_to_recordset(:rows) AS given (media_id uuid, url text, title text, is_queued boolean, detail text)
""")
# In the order of the file, and due at once.
ADD_ITEMS = text_with_rows("""
    INSERT INTO items (id, user_id, media_id, status, status_detail, source_type, requested_url, url_key, title,
                       request_id, priority, max_attempts, due_at, created_at)
    SELECT item_id, :user_id, media_id, CASE WHEN is_queued THEN 'queued' ELSE 'needs_user_text' END,
           CASE WHEN NOT is_queued THEN detail END, CASE WHEN url IS NULL THEN 'pasted_text' ELSE 'url' END, url,
           decode(key, 'hex'), title, :request_id, 1, :max_attempts, now() - make_interval(secs => ahead / 1e6),
           created_at
    FROM jsonb_to_recordset(:rows) AS given (item_id uuid, media_id uuid, url text, title text, is_queued boolean,
                                             detail text, key text, ahead integer, created_at timestamptz)
""")
_TYPES = ", ".join(f"{column} {'text' if column == 'note' else 'timestamptz'}" for column in COLUMNS)
# With `has_tags` as a trigger would set it after the tags, by writing the row and its indexes once more.
ADD_ENTRIES = text_with_rows(f"""
    INSERT INTO library_media (library_id, media_id, has_tags, {", ".join(COLUMNS)})
    SELECT :library_id, media_id, has_tags, {", ".join(COLUMNS)}
    FROM jsonb_to_recordset(:rows) AS given (media_id uuid, has_tags boolean, {_TYPES})
""")  # noqa: S608 - our own constants
CHANGE_ENTRIES = text_with_rows(f"""
    UPDATE library_media SET {", ".join(f"{column} = given.{column}" for column in COLUMNS)}
    FROM jsonb_to_recordset(:rows) AS given (media_id uuid, {_TYPES})
    WHERE library_media.library_id = :library_id AND library_media.media_id = given.media_id
""")  # noqa: S608
# Only of what nobody has read: such a media belongs to one user alone.
NAME_MEDIA = text_with_rows("""
    UPDATE media SET title = given.title FROM jsonb_to_recordset(:rows) AS given (media_id uuid, title text)
    WHERE media.id = given.media_id AND media.title IS NULL AND processing_status <> 'ready_for_reading'
""")
NAME_ITEMS = text_with_rows("""
    UPDATE items SET title = given.title FROM jsonb_to_recordset(:rows) AS given (media_id uuid, title text)
    WHERE items.media_id = given.media_id AND items.user_id = :user_id AND items.title IS NULL
""")
ADD_TAGS = text_with_rows("""
    INSERT INTO tags (id, user_id, name, name_key)
    SELECT id, :user_id, name, name_key FROM jsonb_to_recordset(:rows) AS given (id uuid, name text, name_key text)
""")
TAG_ENTRIES = text_with_rows("""
    INSERT INTO entry_tags (library_id, media_id, tag_id, is_set, decided_at)
    SELECT :library_id, media_id, tag_id, true, decided_at
    FROM jsonb_to_recordset(:rows) AS given (media_id uuid, tag_id uuid, decided_at timestamptz)
""")
# Without an anchor until they are found by their words (highlights/carry_over.py): at once where there is a text, else
# when there is one.
ADD_HIGHLIGHTS = text_with_rows("""
    INSERT INTO highlights (library_id, id, media_id, version, start_fragment, start_offset, end_fragment, end_offset,
                            quote, prefix, suffix, color, note, words, state, carried_version, created_at,
                            place_decided_at, color_decided_at, note_decided_at, tags_decided_at, deletion_decided_at,
                            review_round)
    SELECT :library_id, id, media_id, NULL, 0, 0, 0, char_length(quote), quote, '', '', color, note,
           CAST(words AS tsvector), 'orphaned', NULL, created_at, created_at, created_at, created_at, created_at,
           created_at,
           coalesce((SELECT review_round FROM highlights
                     WHERE library_id = :library_id AND deleted_at IS NULL ORDER BY review_round LIMIT 1), 0)
    FROM jsonb_to_recordset(:rows) AS given (id uuid, media_id uuid, quote text, color text, note text, words text,
                                             created_at timestamptz)
    ON CONFLICT (library_id, id) DO NOTHING
""")
TAG_HIGHLIGHTS = text_with_rows("""
    INSERT INTO highlight_tags (library_id, highlight_id, tag_id, created_at)
    SELECT :library_id, highlight_id, tag_id, created_at
    FROM jsonb_to_recordset(:rows) AS given (highlight_id uuid, tag_id uuid, created_at timestamptz)
    ON CONFLICT DO NOTHING
""")
QUEUE_CARRY_OVER = text("""
    INSERT INTO highlights_waiting (media_id)
    SELECT id FROM media WHERE id = ANY(:ids) AND current_version IS NOT NULL ORDER BY id
    ON CONFLICT DO NOTHING
""")
PUT_POSITIONS = text_with_rows("""
    INSERT INTO positions (user_id, media_id, text_at, version, fragment_idx, text_offset, words, share, fraction,
                           text_device)
    SELECT :user_id, media_id, text_at, NULL, 0, 0, '', fraction, fraction, :device
    FROM jsonb_to_recordset(:rows) AS given (media_id uuid, text_at timestamptz, fraction float)
    ON CONFLICT (user_id, media_id) DO UPDATE
    SET (text_at, version, fragment_idx, text_offset, words, share, fraction, text_device)
      = (excluded.text_at, NULL, 0, 0, '', excluded.share, excluded.fraction, excluded.text_device)
    WHERE positions.text_at IS NULL OR positions.text_device = excluded.text_device
""")


def write_entries(
    session: Session, user: CurrentUser, entries: Iterable[BatchEntry], saves: Sequence[dict[str, Any]], **about: Any
) -> None:
    """`saves`: the media and items that are new, `about`: what all of their items have."""
    values = {"user_id": user.user_id, "library_id": user.default_library_id} | about
    changed = [entry for entry in entries if entry.is_new or entry.is_touched]
    # Items before entries: a trigger copies their status into the entry.
    _write(session, ADD_MEDIA, saves, values)
    _write(session, ADD_ITEMS, saves, values)
    _write(session, ADD_ENTRIES, [_columns(entry) for entry in changed if entry.is_new], values)
    _write(session, CHANGE_ENTRIES, [_columns(entry) for entry in changed if not entry.is_new], values)


def write_changes(session: Session, user: CurrentUser, changes: Sequence[EntryChange], tags: BatchTags) -> None:
    """After the entries."""
    values = {"user_id": user.user_id, "library_id": user.default_library_id, "device": DEVICE}
    named = [{"media_id": str(each.entry.media_id), "title": each.title} for each in changes if each.title]
    _write(session, NAME_MEDIA, named, values)
    _write(session, NAME_ITEMS, named, values)
    made = [{"id": str(tag_id), "name": name.name, "name_key": name.key} for tag_id, name in tags.new.items()]
    _write(session, ADD_TAGS, made, values)
    _write(session, TAG_ENTRIES, [row for each in changes for row in _entry_tags(each)], values)
    _write(session, ADD_HIGHLIGHTS, [row for each in changes for row in _highlights(each)], values)
    _write(session, TAG_HIGHLIGHTS, [row for each in changes for row in _highlight_tags(each)], values)
    marked = sorted({each.entry.media_id for each in changes if each.highlights})
    if marked:
        session.execute(QUEUE_CARRY_OVER, {"ids": marked})
    # Where several rows are about the same text, the last one counts.
    positions = {each.entry.media_id: each.position for each in changes if each.position}
    _write(
        session,
        PUT_POSITIONS,
        [
            {"media_id": str(media_id), "text_at": position.at.isoformat(), "fraction": position.fraction}
            for media_id, position in positions.items()
        ],
        values,
    )


def _write(session: Session, statement: TextClause, rows: Sequence[dict[str, Any]], values: dict[str, Any]) -> None:
    if rows:
        session.execute(statement, values | {"rows": list(rows)})


def _columns(entry: BatchEntry) -> dict[str, Any]:
    columns = entry.values().items()
    texts = {column: value if isinstance(value, str | None) else value.isoformat() for column, value in columns}
    return {"media_id": str(entry.media_id), "has_tags": bool(entry.tags)} | texts


def _entry_tags(change: EntryChange) -> list[dict[str, Any]]:
    decided_at = change.entry.created_at.isoformat()
    media_id = str(change.entry.media_id)
    return [{"media_id": media_id, "tag_id": str(tag_id), "decided_at": decided_at} for tag_id in change.tag_ids]


def _highlights(change: EntryChange) -> list[dict[str, Any]]:
    return [
        {
            "id": str(each.id),
            "media_id": str(change.entry.media_id),
            "quote": each.quote,
            "color": each.color,
            "note": each.note,
            "words": words_of(each.quote, each.note),
            "created_at": each.created_at.isoformat(),
        }
        for each in change.highlights
    ]


def _highlight_tags(change: EntryChange) -> list[dict[str, Any]]:
    return [
        {"highlight_id": str(each.id), "tag_id": str(tag_id), "created_at": each.created_at.isoformat()}
        for each in change.highlights
        for tag_id in each.tag_ids
    ]
