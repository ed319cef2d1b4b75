"""The user's own state of media: entries, tags and positions. Of two decisions the later one counts."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.errors import InvalidTagError
from nexus.services.archives.fields import Row
from nexus.services.archives.new_rows import execute, insert
from nexus.services.archives.records import Record
from nexus.services.archives.targets import RestoreTarget
from nexus.services.library.entry_tags import MAX_TAGS_OF_ENTRY
from nexus.services.library.tag_names import read_tag_name
from nexus.services.lifecycle.entry_state import STATE
from nexus.services.users import CurrentUser

ADD_ENTRIES = insert(
    "library_media", f"library_id, media_id, created_at, {STATE}", "ON CONFLICT DO NOTHING RETURNING media_id"
)


def _later(value: str, decided: str) -> str:
    """The states in `given` that are later than those in `kept`; a state without a time of decision counts as older."""
    return f"""CASE WHEN coalesce(given.{decided} > kept.{decided}, given.{decided} IS NOT NULL
                              OR (kept.{decided} IS NULL AND kept.{value} IS NULL))
                    THEN given.{value} ELSE kept.{value} END"""


_JOINED = {
    "created_at": "least(kept.created_at, given.created_at)",
    "last_read_at": "greatest(kept.last_read_at, given.last_read_at)",
    "tags_decided_at": "greatest(kept.tags_decided_at, given.tags_decided_at)",
}
for _value, _decided in {
    "read_at": "read_decided_at", "archived_at": "archived_decided_at", "starred_at": "starred_decided_at",
    "own_title": "title_decided_at", "note": "note_decided_at",
}.items():  # fmt: skip
    _JOINED[_value] = _later(_value, _decided)
    _JOINED[_decided] = f"greatest(kept.{_decided}, given.{_decided})"
JOIN_ENTRIES = text(f"""
    UPDATE library_media AS kept SET {", ".join(f"{name} = {joined}" for name, joined in _JOINED.items())}
    FROM json_populate_recordset(NULL::library_media, CAST(:rows AS json)) AS given
    WHERE kept.library_id = given.library_id AND kept.media_id = given.media_id
      AND ({", ".join(f"kept.{name}" for name in _JOINED)}) IS DISTINCT FROM ({", ".join(_JOINED.values())})
    RETURNING kept.media_id
""")  # noqa: S608 - our own constants
ADD_ALIASES = text("""
    INSERT INTO media_aliases (alias_id, user_id, media_id)
    SELECT alias_id, :user_id, media_id
    FROM unnest(CAST(:alias_ids AS uuid[]), CAST(:media_ids AS uuid[])) AS given (alias_id, media_id)
    WHERE NOT EXISTS (SELECT FROM library_media WHERE library_id = :library_id AND library_media.media_id = alias_id)
    ON CONFLICT DO NOTHING RETURNING alias_id, media_id
""")
_TAGS = "library_id, media_id, tag_id, is_set, decided_at"
ADD_TAGS = insert("entry_tags", _TAGS, "ON CONFLICT DO NOTHING")
# Unless all tags of the entry were decided later.
JOIN_TAGS = text(f"""
    INSERT INTO entry_tags AS kept ({_TAGS})
    SELECT {_TAGS} FROM json_populate_recordset(NULL::entry_tags, CAST(:rows AS json)) AS given
    WHERE EXISTS (SELECT FROM library_media AS entry
                  WHERE entry.library_id = given.library_id AND entry.media_id = given.media_id
                    AND coalesce(entry.tags_decided_at, '-infinity') <= given.decided_at)
    ON CONFLICT (library_id, media_id, tag_id) DO UPDATE
    SET is_set = excluded.is_set, decided_at = excluded.decided_at
    WHERE kept.decided_at < excluded.decided_at
    RETURNING media_id
""")  # noqa: S608
_TEXT = "text_at, version, fragment_idx, text_offset, words, share, fraction, text_device"
_AUDIO = "audio_at, audio_ms, audio_device"
JOIN_POSITIONS = [
    text(f"""
        INSERT INTO positions AS kept (user_id, media_id, {columns})
        SELECT user_id, media_id, {columns} FROM json_populate_recordset(NULL::positions, CAST(:rows AS json)) AS given
        WHERE {at} IS NOT NULL
        ON CONFLICT (user_id, media_id) DO UPDATE SET ({columns}) = ROW({
        ", ".join(f"excluded.{each.strip()}" for each in columns.split(","))
    })
        WHERE kept.{at} IS NULL OR kept.{at} < excluded.{at}
        RETURNING media_id
    """)  # noqa: S608
    for columns, at in ((_TEXT, "text_at"), (_AUDIO, "audio_at"))
]


def add_entries(
    session: Session, user: CurrentUser, records: Sequence[Record], targets: Mapping[UUID, RestoreTarget]
) -> set[UUID]:
    """The entries that are new, by their media. The others are joined with what is there, after the tags."""
    rows = [_entry(user, record, targets[record.id].media_id) for record in records]
    return set(execute(session, ADD_ENTRIES, rows).scalars())


def add_aliases(session: Session, user: CurrentUser, targets: Mapping[UUID, RestoreTarget]) -> list[Row]:
    """After the entries: ids of the archive lead to what the user has under another one. Those that are new."""
    pairs = [(old, target.media_id) for old, target in targets.items() if target.media_id != old]
    if not pairs:
        return []
    values = {"alias_ids": [old for old, _ in pairs], "media_ids": [new for _, new in pairs]}
    return [dict(row) for row in session.execute(ADD_ALIASES, values | _user_values(user)).mappings()]


def join_entries(
    session: Session, user: CurrentUser, records: Sequence[Record], targets: Mapping[UUID, RestoreTarget]
) -> set[UUID]:
    rows = [_entry(user, record, targets[record.id].media_id) for record in records]
    return set(execute(session, JOIN_ENTRIES, rows).scalars()) if rows else set()


def write_tags(
    session: Session,
    user: CurrentUser,
    records: Sequence[Record],
    targets: Mapping[UUID, RestoreTarget],
    tag_ids: Mapping[str, UUID],
    added: set[UUID],
) -> set[UUID]:
    """Before entries are joined: what was decided of their tags is compared with what was there."""
    new: list[Row] = []
    known: list[Row] = []
    for record in records:
        media_id = targets[record.id].media_id
        for tag_id, tag in decided_tags(record.tags, tag_ids).items():
            row = {"library_id": user.default_library_id, "media_id": media_id, "tag_id": tag_id, **tag}
            (new if media_id in added else known).append(row)
    if new:
        execute(session, ADD_TAGS, new)
    return set(execute(session, JOIN_TAGS, known).scalars()) if known else set()


def decided_tags(tags: Sequence[Row], tag_ids: Mapping[str, UUID]) -> dict[UUID, Row]:
    """By tag, the last decision about each; not more tags than an entry may have."""
    found: dict[UUID, Row] = {}
    for tag in sorted(tags, key=lambda each: str(each["decided_at"])):
        tag_id = tag_id_of(tag["name"], tag_ids)
        if tag_id is not None:
            found[tag_id] = {"is_set": tag["is_set"], "decided_at": tag["decided_at"]}
    kept = [tag_id for tag_id, tag in found.items() if tag["is_set"]][-MAX_TAGS_OF_ENTRY:]
    return {tag_id: tag for tag_id, tag in found.items() if not tag["is_set"] or tag_id in kept}


def tag_id_of(name: str, tag_ids: Mapping[str, UUID]) -> UUID | None:
    try:
        return tag_ids.get(read_tag_name(name).key)
    except InvalidTagError:
        return None


def write_positions(
    session: Session, user: CurrentUser, records: Sequence[Record], targets: Mapping[UUID, RestoreTarget]
) -> set[UUID]:
    rows = []
    for record in records:
        if record.position:
            target = targets[record.id]
            row: Row = {**record.position, "user_id": user.user_id, "media_id": target.media_id}
            if target.media_id != record.id and not target.is_new:
                row["version"] = None  # another media: its versions are others
            rows.append(row)
    changed: set[UUID] = set()
    for statement in JOIN_POSITIONS if rows else ():
        changed |= set(execute(session, statement, rows).scalars())
    return changed


def _entry(user: CurrentUser, record: Record, media_id: UUID) -> Row:
    row: Row = {**record.entry, "library_id": user.default_library_id, "media_id": media_id}
    for name in ("own_title", "note"):
        if not (row[name] or "").strip():
            row[name] = None
    return row


def _user_values(user: CurrentUser) -> dict[str, Any]:
    return {"user_id": user.user_id, "library_id": user.default_library_id}
