"""Changing many entries at once: all of them or none, a statement for each kind of change, undone for an hour."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Row, text
from sqlalchemy.orm import Session

from nexus.services import lifecycle
from nexus.services.library.changes import decide
from nexus.services.library.entry_tags import TagChanges, TagDifference, decide_tags
from nexus.services.library.library_lock import decide_time, lock_library
from nexus.services.library.tags import notify_tags
from nexus.services.notifications import notify
from nexus.services.organise.selection import Chosen, lock_chosen
from nexus.services.search.indexes import Indexes
from nexus.services.users import CurrentUser

READY = text("SELECT id FROM media WHERE id = ANY(:ids) AND processing_status = 'ready_for_reading'")
ADD_UNDO = text("INSERT INTO bulk_undos (user_id, decided_at) VALUES (:user_id, :decided_at) RETURNING id")
ADD_UNDO_ENTRIES = text("""
    INSERT INTO bulk_undo_entries (undo_id, media_id, part, earlier, earlier_read)
    SELECT :undo_id, media_id, :part, earlier, earlier_read
    FROM unnest(CAST(:ids AS uuid[]), CAST(:earlier AS timestamptz[]), CAST(:read AS timestamptz[]))
        AS given(media_id, earlier, earlier_read)
""")
ADD_UNDO_TAGS = text("""
    INSERT INTO bulk_undo_tags (undo_id, media_id, tag_id, was_set)
    SELECT :undo_id, media_id, tag_id, :was_set
    FROM unnest(CAST(:ids AS uuid[]), CAST(:tag_ids AS uuid[])) AS given(media_id, tag_id)
""")


@dataclass(frozen=True)
class BulkChanges:
    """`set`: read, archived, starred."""

    set: Mapping[str, bool] = field(default_factory=dict)
    tags: TagChanges = field(default_factory=TagChanges)
    delete: bool = False
    client_time: datetime | None = None


@dataclass(frozen=True)
class BulkResult:
    matched: int
    changed: int
    undo: UUID | None


def change_many(
    session: Session, user: CurrentUser, indexes: Indexes, chosen: Chosen, changes: BulkChanges
) -> BulkResult:
    lock_library(session, user)
    media_ids = lock_chosen(session, user, indexes, chosen, removing=changes.delete)
    if changes.delete:
        lifecycle.remove_many(session, user, media_ids, changes.client_time)
        _notify(session, user, with_tags=True)
        return BulkResult(len(media_ids), len(media_ids), None)
    decided_at = decide_time(session, changes.client_time)
    parts = {part: _decide(session, user, part, value, media_ids, decided_at) for part, value in changes.set.items()}
    retagged = (
        decide_tags(session, user, changes.tags, media_ids, decided_at) if changes.tags else TagDifference([], [])
    )
    changed = retagged.media_ids | {row.media_id for rows in parts.values() for row in rows}
    if not changed:
        return BulkResult(len(media_ids), 0, None)
    _notify(session, user, with_tags=bool(changes.tags))
    return BulkResult(len(media_ids), len(changed), _remember(session, user, parts, retagged, decided_at))


def _decide(
    session: Session, user: CurrentUser, part: str, value: bool, media_ids: Sequence[UUID], decided_at: datetime
) -> list[Row[Any]]:
    """What has no text cannot have been read."""
    if part == "read" and value:
        media_ids = session.scalars(READY, {"ids": list(media_ids)}).all()
    return decide(session, user, part, value, media_ids, decided_at)


def _remember(
    session: Session,
    user: CurrentUser,
    parts: Mapping[str, Sequence[Row[Any]]],
    retagged: TagDifference,
    decided_at: datetime,
) -> UUID:
    values = {"user_id": user.user_id, "decided_at": decided_at}
    undo_id: UUID = session.execute(ADD_UNDO, values).scalar_one()
    for part, rows in parts.items():
        earlier = {
            "ids": [row.media_id for row in rows],
            "earlier": [row.earlier for row in rows],
            "read": [row.earlier_read for row in rows],
        }
        session.execute(ADD_UNDO_ENTRIES, earlier | {"undo_id": undo_id, "part": part})
    for was_set, pairs in ((False, retagged.added), (True, retagged.removed)):
        tags = {"ids": [media_id for media_id, _ in pairs], "tag_ids": [tag_id for _, tag_id in pairs]}
        session.execute(ADD_UNDO_TAGS, tags | {"undo_id": undo_id, "was_set": was_set})
    return undo_id


def _notify(session: Session, user: CurrentUser, *, with_tags: bool) -> None:
    """One event, however many entries there are."""
    notify(session, user.user_id, "shelf")
    if with_tags:
        notify_tags(session, user)
