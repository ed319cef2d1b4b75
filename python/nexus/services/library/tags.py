"""A user's tags: listed with their counts, made, renamed, joined, deleted. The user's library is locked for changes."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.errors import NotFoundError, TagExistsError, TooManyTagsError
from nexus.services.library.library_lock import lock_library
from nexus.services.library.searched_tags import rename_in_searches
from nexus.services.library.tag_names import TagName, is_same_or_below, move_name, read_tag_name
from nexus.services.notifications import notify
from nexus.services.users import CurrentUser

TagColor = Literal["red", "orange", "yellow", "green", "teal", "blue", "purple", "grey"]
MAX_TAGS = 1000

TAGS = text("SELECT id, name, name_key, color FROM tags WHERE user_id = :user_id ORDER BY name_key")
COUNTED = text("""
    SELECT tags.id, tags.name, tags.color, coalesce(counted.entries, 0) AS entries, coalesce(counted.inbox, 0) AS inbox
    FROM tags LEFT JOIN LATERAL (
        SELECT sum(difference)::bigint AS entries,
               coalesce(sum(difference) FILTER (WHERE NOT is_archived), 0)::bigint AS inbox
        FROM tag_counts WHERE tag_counts.tag_id = tags.id
    ) AS counted ON true
    WHERE tags.user_id = :user_id AND tags.id = coalesce(CAST(:tag_id AS uuid), tags.id) ORDER BY tags.name_key
""")
ADD = text("""
    INSERT INTO tags (user_id, name, name_key, color)
    SELECT :user_id, name, key, :color FROM unnest(CAST(:names AS text[]), CAST(:keys AS text[])) AS given(name, key)
    RETURNING id, name_key
""")
SET_COLOR = text("UPDATE tags SET color = :color WHERE id = :tag_id")
RENAME = text("""
    UPDATE tags SET name = given.name, name_key = given.key
    FROM unnest(CAST(:ids AS uuid[]), CAST(:names AS text[]), CAST(:keys AS text[])) AS given(id, name, key)
    WHERE tags.id = given.id
""")
# Before their tags, which are deleted or joined: the order of removing and of joining entries, neither of which waits
# for the library.
LOCK_ENTRIES = text("""
    SELECT FROM library_media
    WHERE (library_id, media_id) IN (
        SELECT library_id, media_id FROM entry_tags WHERE tag_id = ANY(:ids)
        UNION SELECT tagged.library_id, media_id FROM highlight_tags AS tagged
        JOIN highlights ON highlights.library_id = tagged.library_id AND highlights.id = highlight_id
        WHERE tag_id = ANY(:ids))
    ORDER BY library_id, media_id FOR NO KEY UPDATE
""")
# An entry that had either has the one that stays.
JOIN_ENTRIES = text("""
    INSERT INTO entry_tags (library_id, media_id, tag_id, is_set, decided_at)
    SELECT library_id, media_id, :kept, is_set, decided_at
    FROM entry_tags JOIN library_media USING (library_id, media_id) WHERE tag_id = :gone
    ORDER BY library_id, media_id FOR NO KEY UPDATE OF library_media
    ON CONFLICT (library_id, media_id, tag_id) DO UPDATE
    SET is_set = entry_tags.is_set OR excluded.is_set,
        decided_at = greatest(entry_tags.decided_at, excluded.decided_at)
""")
JOIN_HIGHLIGHTS = text("""
    INSERT INTO highlight_tags (library_id, highlight_id, tag_id, created_at)
    SELECT library_id, highlight_id, :kept, created_at FROM highlight_tags WHERE tag_id = :gone
    ON CONFLICT DO NOTHING
""")
KEEP_COLOR = text("""
    UPDATE tags SET color = gone.color FROM tags AS gone
    WHERE tags.id = :kept AND gone.id = :gone AND tags.color IS NULL
""")
DELETE = text("DELETE FROM tags WHERE id = ANY(:ids)")


@dataclass(frozen=True)
class Tag:
    id: UUID
    name: str
    color: TagColor | None
    entries: int  # with this very tag
    inbox: int


@dataclass(frozen=True)
class TagRecord:
    id: UUID
    name: TagName
    color: str | None


def list_tags(session: Session, user: CurrentUser) -> Sequence[Tag]:
    rows = session.execute(COUNTED, {"user_id": user.user_id, "tag_id": None})
    return [Tag(*row) for row in rows]


def tags_by_key(session: Session, user: CurrentUser) -> Mapping[str, TagRecord]:
    """All of the user's, by their keys."""
    rows = session.execute(TAGS, {"user_id": user.user_id})
    return {row.name_key: TagRecord(row.id, TagName(row.name, row.name_key), row.color) for row in rows}


def create_tag(session: Session, user: CurrentUser, typed: str, color: TagColor | None) -> Tag:
    lock_library(session, user)
    name = read_tag_name(typed)
    known = tags_by_key(session, user)
    if name.key in known:
        raise TagExistsError(f"You already have a tag “{name.name}”.")
    (tag_id,) = ensure_tags(session, user, known, {name.key: name}, color).values()
    return _tag(session, user, tag_id)


def ensure_tags(
    session: Session,
    user: CurrentUser,
    known: Mapping[str, TagRecord],
    names: Mapping[str, TagName],
    color: TagColor | None = None,
) -> Mapping[str, UUID]:
    """The ids by key; those that the user does not have yet are made. The library is locked."""
    new = [name for key, name in names.items() if key not in known]
    if len(known) + len(new) > MAX_TAGS:
        raise TooManyTagsError(f"You have {len(known)} tags; {MAX_TAGS} is the limit. Delete or merge some first.")
    ids = {key: known[key].id for key in names if key in known}
    if new:
        values = {"names": [name.name for name in new], "keys": [name.key for name in new], "color": color}
        ids |= {row.name_key: row.id for row in session.execute(ADD, values | {"user_id": user.user_id})}
        notify_tags(session, user)
    return ids


def change_tag(
    session: Session, user: CurrentUser, tag_id: UUID, *, name: str | None, color: TagColor | None, with_color: bool
) -> Tag:
    """`with_color`: the colour is to be that one, or none. Renamed to the name of another, it becomes that one."""
    lock_library(session, user)
    known = tags_by_key(session, user)
    tag = next((each for each in known.values() if each.id == tag_id), None)
    if tag is None:
        raise NotFoundError("You have no such tag.")
    kept = tag_id
    if name is not None:
        kept = _rename(session, known, tag, new := read_tag_name(name))
        rename_in_searches(session, user, tag.name, new)
    if with_color:
        session.execute(SET_COLOR, {"tag_id": kept, "color": color})
    notify_tags(session, user)
    return _tag(session, user, kept)


def _rename(session: Session, known: Mapping[str, TagRecord], tag: TagRecord, new: TagName) -> UUID:
    """With all tags below it. The tag that it is afterwards."""
    moved = {
        each.id: move_name(each.name, tag.name, new)
        for key, each in known.items()
        if is_same_or_below(key, tag.name.key)
    }
    stay = {each.name.key: each.id for each in known.values() if each.id not in moved}
    joined = {tag_id: stay[name.key] for tag_id, name in moved.items() if name.key in stay}
    session.execute(LOCK_ENTRIES, {"ids": list(joined)})
    for gone, kept in joined.items():
        for statement in (JOIN_ENTRIES, JOIN_HIGHLIGHTS, KEEP_COLOR):
            session.execute(statement, {"gone": gone, "kept": kept})
    if joined:
        session.execute(DELETE, {"ids": list(joined)})
    renamed = {tag_id: name for tag_id, name in moved.items() if tag_id not in joined}
    values = {
        "ids": list(renamed),
        "names": [name.name for name in renamed.values()],
        "keys": [name.key for name in renamed.values()],
    }
    session.execute(RENAME, values)
    return joined.get(tag.id, tag.id)


def delete_tag(session: Session, user: CurrentUser, tag_id: UUID) -> None:
    """Those below it stay."""
    lock_library(session, user)
    if tag_id not in {each.id for each in tags_by_key(session, user).values()}:
        raise NotFoundError("You have no such tag.")
    session.execute(LOCK_ENTRIES, {"ids": [tag_id]})
    session.execute(DELETE, {"ids": [tag_id]})
    notify_tags(session, user)


def ids_with_descendants(known: Mapping[str, TagRecord], keys: Collection[str]) -> list[list[UUID]]:
    """For each key the tag and all below it; empty where there is none."""
    return [[tag.id for each, tag in known.items() if is_same_or_below(each, key)] for key in keys]


def notify_tags(session: Session, user: CurrentUser) -> None:
    notify(session, user.user_id, "tags")


def _tag(session: Session, user: CurrentUser, tag_id: UUID) -> Tag:
    return Tag(*session.execute(COUNTED, {"user_id": user.user_id, "tag_id": tag_id}).one())
