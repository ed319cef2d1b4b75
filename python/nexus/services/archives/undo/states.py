"""A user's own state of media, as JSON: before a restore, after it, and when the restore is undone."""

from collections.abc import Collection, Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.services.archives.fields import Row
from nexus.services.archives.highlights import ANCHOR
from nexus.services.archives.records import DECISIONS
from nexus.services.lifecycle.entry_state import STATE
from nexus.services.users import CurrentUser

ENTRY = ("created_at", *(name.strip() for name in STATE.split(",")))
TEXT = ("text_at", "version", "fragment_idx", "text_offset", "words", "share", "fraction", "text_device")
AUDIO = ("audio_at", "audio_ms", "audio_device")
HIGHLIGHT = (
    *ANCHOR,
    "color",
    "note",
    "created_at",
    *DECISIONS,
    "deleted_at",
    "review_round",
    "review_order",
    "seen_at",
)


def _object(names: Collection[str], row: str) -> str:
    pairs = ", ".join(f"'{name}', {row}.{name}" for name in names)
    return f"jsonb_build_object({pairs})"


_OF_ENTRY = "{row}.library_id = entry.library_id AND {row}.media_id = entry.media_id"
_TAGS = f"""
    SELECT jsonb_object_agg(tag_id, jsonb_build_array(is_set, decided_at)) FROM entry_tags AS tag
    WHERE {_OF_ENTRY.format(row="tag")}
"""  # noqa: S608 - our own constants, as in all statements here
_POSITION = "SELECT {value} FROM positions WHERE user_id = :user_id AND positions.media_id = entry.media_id"
_ITEMS = """
    SELECT jsonb_object_agg(items.id, jsonb_build_array(priority, fetched_again_at, md5(user_pasted_text)))
    FROM items LEFT JOIN item_pastes ON item_id = items.id
    WHERE user_id = :user_id AND items.media_id = entry.media_id AND fetch_again_of IS NULL
"""
_ENTRIES = "FROM library_media AS entry WHERE entry.library_id = :library_id AND entry.media_id = ANY(:ids)"

STATES = text(f"""
    SELECT entry.media_id, jsonb_build_object(
        'entry', {_object(ENTRY, "entry")},
        'tags', coalesce(({_TAGS}), '{{}}'),
        'text', ({_POSITION.format(value=_object(TEXT, "positions"))} AND text_at IS NOT NULL),
        'audio', ({_POSITION.format(value=_object(AUDIO, "positions"))} AND audio_at IS NOT NULL),
        'items', coalesce(({_ITEMS}), '{{}}'),
        'highlights', coalesce((
            SELECT jsonb_object_agg(highlight.id, {_object(HIGHLIGHT, "highlight")} || jsonb_build_object(
                'tags', coalesce((SELECT jsonb_object_agg(tag_id, tag.created_at) FROM highlight_tags AS tag
                WHERE tag.library_id = highlight.library_id AND highlight_id = highlight.id), '{{}}')))
            FROM highlights AS highlight WHERE {_OF_ENTRY.format(row="highlight")}), '{{}}')) AS state
    {_ENTRIES}
""")  # noqa: S608
# One value for each entry, which is another one once its user has decided anything about it. What workers write (texts,
# the anchors of highlights in them, the status of a save) does not count.
FINGERPRINTS = text(f"""
    SELECT entry.media_id, md5(jsonb_build_array(
        {_object(ENTRY, "entry")},
        ({_TAGS}),
        ({_POSITION.format(value="jsonb_build_array(text_at, audio_at)")}),
        (SELECT jsonb_object_agg(highlight.id, {_object((*DECISIONS, "deleted_at"), "highlight")})
         FROM highlights AS highlight WHERE {_OF_ENTRY.format(row="highlight")}),
        ({_ITEMS}))::text) AS fingerprint
    {_ENTRIES}
""")  # noqa: S608

State = dict[str, Any]


def load_states(session: Session, user: CurrentUser, media_ids: Collection[UUID]) -> dict[UUID, State]:
    return _load(session, STATES, user, media_ids)


def load_fingerprints(session: Session, user: CurrentUser, media_ids: Collection[UUID]) -> dict[UUID, str]:
    return _load(session, FINGERPRINTS, user, media_ids)


def _load(session: Session, statement: Any, user: CurrentUser, media_ids: Collection[UUID]) -> dict[UUID, Any]:
    if not media_ids:
        return {}
    values = {"user_id": user.user_id, "library_id": user.default_library_id, "ids": list(media_ids)}
    return {row[0]: row[1] for row in session.execute(statement, values)}


def difference(before: State, after: State) -> Row:
    """What a restore changed of an entry: each value as it was, and as it was left. It takes nothing away."""
    found: Row = {
        "entry": {name: [before["entry"][name], value] for name, value in _changed(before["entry"], after["entry"])},
        "tags": {tag: [before["tags"].get(tag), value] for tag, value in _changed(before["tags"], after["tags"])},
        "items": dict(_changed(before["items"], after["items"])),
        "highlights": {
            highlight: {
                "before": before["highlights"].get(highlight), "decided": {part: row[part] for part in DECISIONS}
            }
            for highlight, row in _changed(before["highlights"], after["highlights"])
        },
    }  # fmt: skip
    for half in ("text", "audio"):
        if before[half] != after[half]:
            found[half] = [before[half], after[half]]
    return {name: value for name, value in found.items() if value}


def _changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return [(key, value) for key, value in after.items() if key not in before or before[key] != value]
