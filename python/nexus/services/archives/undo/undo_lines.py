"""Undoes the lines of an archive that was restored.

What a line added is removed, unless the user did something with it since. What existed before gets its earlier value
back, part by part, unless that part has changed since the restore.
"""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any
from uuid import UUID

from sqlalchemy import Row as SqlRow
from sqlalchemy import TextClause, text
from sqlalchemy.orm import Session

from nexus.services import lifecycle
from nexus.services.archives.fields import Row
from nexus.services.archives.highlights import PARTS
from nexus.services.archives.new_rows import execute, insert
from nexus.services.archives.undo.states import AUDIO, ENTRY, HIGHLIGHT, TEXT, State, load_fingerprints, load_states
from nexus.services.highlights.records import delete_highlights
from nexus.services.highlights.text_search import words_of
from nexus.services.users import CurrentUser

DELETION = "deletion_decided_at"


def _set(table: str, columns: Sequence[str], key: str) -> TextClause:
    return text(f"""
        UPDATE {table} AS kept SET {", ".join(f"{name} = given.{name}" for name in columns)}
        FROM json_populate_recordset(NULL::{table}, CAST(:rows AS json)) AS given
        WHERE kept.library_id = given.library_id AND kept.{key} = given.{key}
    """)  # noqa: S608 - our own constants


SET_ENTRIES = _set("library_media", ENTRY, "media_id")
SET_HIGHLIGHTS = _set("highlights", (*HIGHLIGHT, "words"), "id")
DELETE_ENTRY_TAGS = text("""
    DELETE FROM entry_tags USING json_populate_recordset(NULL::entry_tags, CAST(:rows AS json)) AS given
    WHERE entry_tags.library_id = given.library_id AND entry_tags.media_id = given.media_id
      AND entry_tags.tag_id = given.tag_id
""")
# Tags that were deleted since stay so.
_IS_TAG = "WHERE EXISTS (SELECT FROM tags WHERE tags.id = given.tag_id)"
PUT_ENTRY_TAGS = insert(
    "entry_tags",
    "library_id, media_id, tag_id, is_set, decided_at",
    """ON CONFLICT (library_id, media_id, tag_id) DO UPDATE
       SET is_set = excluded.is_set, decided_at = excluded.decided_at""",
    where=_IS_TAG,
)
DELETE_HIGHLIGHT_TAGS = text("DELETE FROM highlight_tags WHERE library_id = :library_id AND highlight_id = ANY(:ids)")
PUT_HIGHLIGHT_TAGS = insert(
    "highlight_tags",
    "library_id, highlight_id, tag_id, created_at",
    "ON CONFLICT DO NOTHING",
    where=_IS_TAG,
)
QUEUE_CARRY_OVER = text("""
    INSERT INTO highlights_waiting (media_id)
    SELECT DISTINCT media.id FROM highlights JOIN media ON media.id = highlights.media_id
    WHERE library_id = :library_id AND highlights.id = ANY(:ids) AND carried_version IS DISTINCT FROM current_version
      AND current_version IS NOT NULL
    ON CONFLICT DO NOTHING
""")
DELETE_POSITIONS = text("DELETE FROM positions WHERE user_id = :user_id AND media_id = ANY(:ids)")
PUT_POSITIONS = insert("positions", f"user_id, media_id, {', '.join((*TEXT, *AUDIO))}")
DELETE_ITEMS = text("DELETE FROM items WHERE user_id = :user_id AND id = ANY(:ids)")
EPISODES = text("SELECT id FROM episodes WHERE media_id = ANY(:ids)")
# Nobody decided that the episode is not wanted.
DELETE_REMOVALS = text("DELETE FROM episode_removals WHERE user_id = :user_id AND episode_id = ANY(:ids)")
PUT_REMOVALS = insert("episode_removals", "user_id, episode_id, created_at", "ON CONFLICT DO NOTHING")
# That the restore made, and that no podcast run filled since.
DELETE_EPISODES = text("""
    DELETE FROM episodes WHERE id = ANY(:ids) AND media_id IS NULL
      AND NOT EXISTS (SELECT FROM episode_removals WHERE episode_id = episodes.id)
""")


def undo_lines(session: Session, user: CurrentUser, rows: Sequence[SqlRow[Any]]) -> set[int]:
    """The numbers of those whose entries stay. The library and the media are locked (imports/rows/undo_rows.py)."""
    added = {row.media_id: row for row in rows if row.undo["added"] and row.media_id}
    fingerprints = load_fingerprints(session, user, added)
    taken = [row for media_id, row in added.items() if fingerprints.get(media_id) == row.undo["mark"]]
    _remove(session, user, taken)
    joined = [row for row in rows if not row.undo["added"] and row.media_id]
    states = load_states(session, user, {row.media_id for row in joined})
    found = deepcopy(states)
    for row in joined:  # the last one first; two lines may have been about the same media
        if row.media_id in states:
            _revert(states[row.media_id], row.undo["change"])
    _write(session, user, found, states)
    return {added[media_id].number for media_id in fingerprints} - {row.number for row in taken}


def _remove(session: Session, user: CurrentUser, rows: Sequence[SqlRow[Any]]) -> None:
    """A removal from the library would keep podcast runs from adding the episode: that was not decided here."""
    if not rows:
        return
    values: dict[str, Any] = {"user_id": user.user_id, "ids": [row.media_id for row in rows]}
    episodes = list(session.scalars(EPISODES, values))
    lifecycle.remove_many(session, user, values["ids"])
    if episodes:
        session.execute(DELETE_REMOVALS, values | {"ids": episodes})
    undos = [row.undo for row in rows]
    removals = [undo["removal"] | {"user_id": user.user_id} for undo in undos if undo.get("removal")]
    if removals:
        execute(session, PUT_REMOVALS, removals)
    made = [undo["episode"] for undo in undos if undo.get("episode")]
    if made:
        session.execute(DELETE_EPISODES, {"ids": [UUID(each) for each in made]})


def _revert(state: State, change: Row) -> None:
    """Each part that is still as the restore left it."""
    for name, (before, after) in change.get("entry", {}).items():
        if state["entry"][name] == after:
            state["entry"][name] = before
    for tag, (before, after) in change.get("tags", {}).items():
        if state["tags"].get(tag) == after:
            _put(state["tags"], tag, before)
    for half, at in (("text", "text_at"), ("audio", "audio_at")):
        if half in change and state[half] and state[half][at] == change[half][1][at]:
            state[half] = change[half][0]
    for item, after in change.get("items", {}).items():
        if state["items"].get(item) == after:
            del state["items"][item]
    for highlight, of_highlight in change.get("highlights", {}).items():
        _revert_highlight(state["highlights"], highlight, **of_highlight)


def _revert_highlight(highlights: dict[str, Any], highlight: str, before: Row | None, decided: Row) -> None:
    row = highlights.get(highlight)
    if row is None:
        return
    if before is None:
        if all(row[part] == at for part, at in decided.items()):
            del highlights[highlight]
        return
    is_restored = decided[DELETION] != before[DELETION] and row[DELETION] == decided[DELETION]
    if row["quote"] == "" and before["quote"]:
        # The words of a deleted one are gone after an hour: they come back with it, or not at all.
        if not is_restored:
            return
        row |= {name: before[name] for name in ("quote", "prefix", "suffix", "note", "tags")}
    for part, names in PARTS.items():
        if decided[part] != before[part] and row[part] == decided[part]:
            row |= {name: before[name] for name in (part, *names)}
            if part == "tags_decided_at":
                row["tags"] = before["tags"]


def _put(values: dict[str, Any], key: str, value: Any) -> None:
    if value is None:
        del values[key]
    else:
        values[key] = value


def _write(session: Session, user: CurrentUser, found: dict[UUID, State], wanted: dict[UUID, State]) -> None:
    """What is different in the second ones."""
    pairs = [(media_id, found[media_id], state) for media_id, state in wanted.items() if state != found[media_id]]
    if not pairs:
        return
    library = {"library_id": user.default_library_id}
    entries = [
        library | {"media_id": media_id} | state["entry"]
        for media_id, before, state in pairs
        if state["entry"] != before["entry"]
    ]
    tags = [
        library | {"media_id": media_id, "tag_id": tag, "value": state["tags"].get(tag)}
        for media_id, before, state in pairs
        for tag in before["tags"]
        if state["tags"].get(tag) != before["tags"][tag]
    ]
    _execute(session, DELETE_ENTRY_TAGS, [row for row in tags if row["value"] is None])
    kept = [row | dict(zip(("is_set", "decided_at"), row["value"], strict=True)) for row in tags if row["value"]]
    _execute(session, PUT_ENTRY_TAGS, kept)
    _execute(session, SET_ENTRIES, entries)  # after the tags, of which a trigger notes the last decision
    _write_positions(session, user, pairs)
    _write_highlights(session, user, pairs)
    items = [item for _, before, state in pairs for item in before["items"] if item not in state["items"]]
    if items:
        session.execute(DELETE_ITEMS, {"user_id": user.user_id, "ids": [UUID(each) for each in items]})


_Pairs = list[tuple[UUID, State, State]]


def _write_positions(session: Session, user: CurrentUser, pairs: _Pairs) -> None:
    moved = [
        (media_id, (state["text"] or {}) | (state["audio"] or {}))
        for media_id, before, state in pairs
        if (state["text"], state["audio"]) != (before["text"], before["audio"])
    ]
    if moved:
        session.execute(DELETE_POSITIONS, {"user_id": user.user_id, "ids": [media_id for media_id, _ in moved]})
        rows = [position | {"user_id": user.user_id, "media_id": media_id} for media_id, position in moved if position]
        _execute(session, PUT_POSITIONS, rows)


def _write_highlights(session: Session, user: CurrentUser, pairs: _Pairs) -> None:
    library = {"library_id": user.default_library_id}
    gone: list[UUID] = []
    changed: dict[UUID, Row] = {}
    for _, before, state in pairs:
        for highlight, row in before["highlights"].items():
            if highlight not in state["highlights"]:
                gone.append(UUID(highlight))
            elif state["highlights"][highlight] != row:
                changed[UUID(highlight)] = state["highlights"][highlight]
    if gone:
        delete_highlights(session, user, gone)
    if not changed:
        return
    rows = [
        row | library | {"id": highlight, "words": words_of(row["quote"], row["note"]) if not row["deleted_at"] else ""}
        for highlight, row in changed.items()
    ]
    _execute(session, SET_HIGHLIGHTS, rows)
    session.execute(DELETE_HIGHLIGHT_TAGS, library | {"ids": list(changed)})
    tags = [
        library | {"highlight_id": highlight, "tag_id": tag, "created_at": at}
        for highlight, row in changed.items()
        for tag, at in row["tags"].items()
    ]
    _execute(session, PUT_HIGHLIGHT_TAGS, tags)
    session.execute(QUEUE_CARRY_OVER, library | {"ids": list(changed)})


def _execute(session: Session, statement: TextClause, rows: Sequence[Row]) -> None:
    if rows:
        execute(session, statement, rows)
