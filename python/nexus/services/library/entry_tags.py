"""The tags of entries. As with the rest of their state, the last decision about each tag of each entry counts."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.errors import TooManyEntriesError, TooManyTagsError
from nexus.services.library.tag_names import read_tag_names
from nexus.services.library.tags import ensure_tags, tags_by_key
from nexus.services.users import CurrentUser

MAX_TAGS_OF_ENTRY = 100
MAX_DECISIONS = 50_000  # about a tag of an entry each, in one request

# `earlier` is as it was before this statement. Taking a tag away is written down even for entries that never had it, so
# that an older decision to add it, made without a connection and sent later, changes nothing.
DECIDE = text("""
    WITH earlier AS (
        SELECT media_id, tag_id FROM entry_tags
        WHERE library_id = :library_id AND media_id = ANY(:ids) AND tag_id = ANY(:tag_ids) AND is_set
    ), decided AS (
        INSERT INTO entry_tags (library_id, media_id, tag_id, is_set, decided_at)
        SELECT library_id, media_id, tag_id, :is_set, :decided_at
        FROM library_media CROSS JOIN unnest(CAST(:tag_ids AS uuid[])) AS given(tag_id)
        WHERE library_id = :library_id AND media_id = ANY(:ids)
          AND coalesce(tags_decided_at, '-infinity') <= :decided_at
        ON CONFLICT (library_id, media_id, tag_id) DO UPDATE
        SET is_set = excluded.is_set, decided_at = excluded.decided_at
        WHERE entry_tags.decided_at <= excluded.decided_at
        RETURNING media_id, tag_id, is_set
    )
    SELECT DISTINCT decided.media_id, decided.tag_id FROM decided LEFT JOIN earlier USING (media_id, tag_id)
    WHERE decided.is_set <> (earlier.tag_id IS NOT NULL)
""")
# All other tags, at the time when the set was decided.
REMOVE_OTHERS = text("""
    UPDATE entry_tags SET is_set = false, decided_at = :decided_at
    WHERE library_id = :library_id AND media_id = ANY(:ids) AND tag_id <> ALL(:tag_ids) AND is_set
      AND decided_at <= :decided_at
    RETURNING media_id, tag_id
""")
NOTE_SET = text("""
    UPDATE library_media SET tags_decided_at = :decided_at
    WHERE library_id = :library_id AND media_id = ANY(:ids) AND coalesce(tags_decided_at, '-infinity') < :decided_at
""")
LARGEST_TAG_COUNT = text("""
    SELECT coalesce(max(tags), 0) FROM (
        SELECT count(*) AS tags FROM entry_tags
        WHERE library_id = :library_id AND media_id = ANY(:ids) AND is_set GROUP BY media_id
    ) AS counted
""")


@dataclass(frozen=True)
class TagChanges:
    """By name. `all`: these and no others."""

    all: Collection[str] | None = None
    add: Collection[str] = ()
    remove: Collection[str] = ()

    def __bool__(self) -> bool:
        return self.all is not None or bool(self.add) or bool(self.remove)


@dataclass(frozen=True)
class TagDifference:
    """What is different now, as pairs of an entry's media and a tag."""

    added: Sequence[tuple[UUID, UUID]]
    removed: Sequence[tuple[UUID, UUID]]

    @property
    def media_ids(self) -> set[UUID]:
        return {media_id for media_id, _ in (*self.added, *self.removed)}


def decide_tags(
    session: Session, user: CurrentUser, changes: TagChanges, media_ids: Sequence[UUID], decided_at: datetime
) -> TagDifference:
    """The library is locked, the media are held."""
    wanted = read_tag_names((*(changes.all or ()), *changes.add))
    unwanted = {key: name for key, name in read_tag_names(changes.remove).items() if key not in wanted}
    if len(media_ids) * (len(wanted) + len(unwanted)) > MAX_DECISIONS:
        raise TooManyEntriesError(
            f"{len(wanted) + len(unwanted)} tags of {len(media_ids)} entries are too many at once;"
            " give fewer tags, or choose fewer entries, and do it in several steps."
        )
    known = tags_by_key(session, user)
    add = list(ensure_tags(session, user, known, wanted).values())
    remove = [known[key].id for key in unwanted if key in known]
    values = {
        "library_id": user.default_library_id,
        "ids": list(media_ids),
        "decided_at": decided_at,
    }
    added = _decide(session, values, add, is_set=True)
    removed = _decide(session, values, remove, is_set=False)
    if changes.all is not None:
        others = session.execute(REMOVE_OTHERS, values | {"tag_ids": add})
        removed += [(row.media_id, row.tag_id) for row in others]
        session.execute(NOTE_SET, values)
    if added and session.execute(LARGEST_TAG_COUNT, values).scalar_one() > MAX_TAGS_OF_ENTRY:
        raise TooManyTagsError(f"An entry has at most {MAX_TAGS_OF_ENTRY} tags; remove some first.")
    return TagDifference(added, removed)


def _decide(
    session: Session, values: dict[str, Any], tag_ids: Sequence[UUID], *, is_set: bool
) -> list[tuple[UUID, UUID]]:
    if not tag_ids:
        return []
    rows = session.execute(DECIDE, values | {"tag_ids": list(tag_ids), "is_set": is_set})
    return [(row.media_id, row.tag_id) for row in rows]
