"""Moves the state of a library entry when the entry gets another media or is merged with another entry."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

# Columns of library_media.
STATE = """read_at, last_read_at, archived_at, starred_at, own_title, note, read_decided_at, archived_decided_at,
    starred_decided_at, title_decided_at, note_decided_at, tags_decided_at"""

# `kept` is the entry that is there, `excluded` the one that is merged into it. A page that is saved again leaves
# the archive and becomes the newest, unless it was archived later: saving is a decision, too.
_LATER_READ = "coalesce(excluded.read_decided_at > kept.read_decided_at, excluded.read_decided_at IS NOT NULL)"
_DECIDED = "greatest(excluded.archived_decided_at, excluded.created_at)"
_COMES_BACK = f"kept.archived_at IS NOT NULL AND {_DECIDED} > coalesce(kept.archived_decided_at, kept.archived_at)"
_IS_ARCHIVED = """kept.archived_at IS NULL AND excluded.archived_at IS NOT NULL
    AND excluded.archived_decided_at > greatest(kept.archived_decided_at, kept.created_at)"""
JOIN_STATE = f"""
    created_at = CASE WHEN {_COMES_BACK} AND excluded.archived_at IS NULL
                      THEN excluded.created_at ELSE kept.created_at END,
    archived_at = CASE WHEN {_COMES_BACK} OR {_IS_ARCHIVED} THEN excluded.archived_at ELSE kept.archived_at END,
    archived_decided_at = CASE WHEN {_COMES_BACK} THEN {_DECIDED}
                               ELSE greatest(kept.archived_decided_at, kept.created_at, {_DECIDED}) END,
    read_at = CASE WHEN {_LATER_READ} THEN excluded.read_at ELSE kept.read_at END,
    read_decided_at = greatest(kept.read_decided_at, excluded.read_decided_at),
    last_read_at = greatest(kept.last_read_at, excluded.last_read_at),
    starred_at = coalesce(kept.starred_at, excluded.starred_at),
    starred_decided_at = greatest(kept.starred_decided_at, excluded.starred_decided_at),
    own_title = coalesce(kept.own_title, excluded.own_title),
    title_decided_at = greatest(kept.title_decided_at, excluded.title_decided_at),
    note = CASE WHEN kept.note = excluded.note THEN kept.note
                ELSE nullif(left(concat_ws(repeat(chr(10), 2), kept.note, excluded.note), 100000), '') END,
    note_decided_at = greatest(kept.note_decided_at, excluded.note_decided_at),
    tags_decided_at = greatest(kept.tags_decided_at, excluded.tags_decided_at)
"""
# After the entries were merged: the tags of both. Selected through library_media, which has an index by media.
JOIN_TAGS = """
    INSERT INTO entry_tags (library_id, media_id, tag_id, is_set, decided_at)
    SELECT library_id, {new_id}, tag_id, is_set, decided_at
    FROM library_media JOIN entry_tags USING (library_id, media_id) JOIN tags ON tags.id = tag_id {old}
    FOR KEY SHARE OF tags
    ON CONFLICT (library_id, media_id, tag_id) DO UPDATE
    SET is_set = entry_tags.is_set OR excluded.is_set,
        decided_at = greatest(entry_tags.decided_at, excluded.decided_at)
"""
# After the entries were merged. The other media has other versions, in which highlights/carry_over.py finds the
# highlights again.
_MOVE_HIGHLIGHTS = text("""
    WITH moved AS (
        UPDATE highlights SET media_id = pair.new_id, version = NULL, carried_version = NULL, state = 'orphaned'
        FROM unnest(CAST(:old_ids AS uuid[]), CAST(:new_ids AS uuid[])) AS pair(old_id, new_id), libraries
        WHERE highlights.media_id = pair.old_id AND libraries.id = highlights.library_id
          AND owner_user_id = coalesce(CAST(:user_id AS uuid), owner_user_id)
        RETURNING highlights.media_id
    )
    INSERT INTO highlights_waiting (media_id) SELECT DISTINCT media_id FROM moved ON CONFLICT DO NOTHING
""")
# Before the entries are merged. It waits for a tag that is being deleted or merged. Entries are locked before tags, as
# in library/tags.py.
_LOCK_ENTRIES = text("""
    SELECT FROM library_media
    WHERE media_id = ANY(:ids) AND library_id IN (
        SELECT library_id FROM library_media JOIN libraries ON libraries.id = library_id
        WHERE media_id = ANY(:old_ids) AND owner_user_id = coalesce(CAST(:user_id AS uuid), owner_user_id))
    ORDER BY library_id, media_id FOR UPDATE
""")
_LOCK_TAGS = text("""
    SELECT FROM tags
    WHERE id IN (SELECT tag_id FROM library_media JOIN entry_tags USING (library_id, media_id)
                 WHERE library_media.media_id = ANY(:old_ids))
      AND user_id = coalesce(CAST(:user_id AS uuid), user_id)
    ORDER BY id FOR KEY SHARE
""")
# The undo of a bulk change follows the entry. If it has the other entry, too, that one's earlier values are kept.
# Expired undos are skipped, since they may just be removed.
_MOVE_UNDOS = """
    UPDATE {table} AS moved SET media_id = pair.new_id
    FROM unnest(CAST(:old_ids AS uuid[]), CAST(:new_ids AS uuid[])) AS pair(old_id, new_id), bulk_undos
    WHERE moved.media_id = pair.old_id AND bulk_undos.id = moved.undo_id AND bulk_undos.expires_at > now()
      AND bulk_undos.user_id = coalesce(CAST(:user_id AS uuid), bulk_undos.user_id)
      AND NOT EXISTS (SELECT FROM {table} AS there WHERE there.undo_id = moved.undo_id
                      AND there.media_id = pair.new_id AND there.{part} = moved.{part})
"""
MOVE_UNDOS = [
    text(_MOVE_UNDOS.format(table="bulk_undo_entries", part="part")),
    text(_MOVE_UNDOS.format(table="bulk_undo_tags", part="tag_id")),
]


def lock_entries(session: Session, pairs: Sequence[tuple[UUID, UUID]], user_id: UUID | None = None) -> None:
    """Lock the entries of the first media of each pair, which are merged into those of the second; of all users or
    one."""
    values = {
        "ids": [media_id for pair in pairs for media_id in pair],
        "old_ids": [old_id for old_id, _ in pairs],
        "user_id": user_id,
    }
    session.execute(_LOCK_ENTRIES, values)
    session.execute(_LOCK_TAGS, values)


def move_highlights(session: Session, pairs: Sequence[tuple[UUID, UUID]], user_id: UUID | None = None) -> None:
    """From the first to the second media of each pair, of all users or one, after the entries were merged."""
    values = {"old_ids": [old for old, _ in pairs], "new_ids": [new for _, new in pairs], "user_id": user_id}
    session.execute(_MOVE_HIGHLIGHTS, values)


def move_undos(session: Session, pairs: Sequence[tuple[UUID, UUID]], user_id: UUID | None = None) -> None:
    """From the first to the second media of each pair, of all users or one. No second media occurs twice."""
    values: dict[str, Any] = {
        "old_ids": [old_id for old_id, _ in pairs],
        "new_ids": [new_id for _, new_id in pairs],
        "user_id": user_id,
    }
    for statement in MOVE_UNDOS:
        session.execute(statement, values)
