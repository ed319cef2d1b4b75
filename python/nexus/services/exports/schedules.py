"""Exports that are made regularly: kept as rows, started by workers on the database's clock."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from sqlalchemy import select, text
from sqlalchemy.orm import Session

from nexus.db.models import Export, ExportSchedule
from nexus.errors import ExportFolderError, NotFoundError, TooManyExportsError
from nexus.search.query import read_query
from nexus.services.exports.folder import NO_FOLDER
from nexus.services.exports.queue import UNFINISHED
from nexus.services.library.library_lock import lock_library
from nexus.services.notifications import notify
from nexus.services.users import CurrentUser

MAX_SCHEDULES = 20
# The first of its times that is still to come, counted from the first one, so that a late start shifts nothing: a month
# after 31 January is the last day of February, and a month after that 31 March. Times that were missed are left out.
NEXT = """
    CASE WHEN starts_at > now() THEN starts_at WHEN every = 'monthly' THEN (
        SELECT min(starts_at + make_interval(months => number)) FROM generate_series(
            (12 * extract(year FROM age(now(), starts_at)) + extract(month FROM age(now(), starts_at)))::integer,
            (12 * extract(year FROM age(now(), starts_at)) + extract(month FROM age(now(), starts_at)))::integer + 2
        ) AS number WHERE starts_at + make_interval(months => number) > now())
    ELSE starts_at + make_interval(
        secs => days.seconds * (floor(extract(epoch FROM now() - starts_at) / days.seconds) + 1)::float8) END"""
ADVANCE = text(f"""
    UPDATE export_schedules SET next_at = {NEXT}
    FROM (VALUES ('daily', 86400), ('weekly', 604800), ('monthly', 86400)) AS days (name, seconds)
    WHERE id = :id AND days.name = every
""")  # noqa: S608 - our own constant
LAST_EXPORTS = text("""
    SELECT DISTINCT ON (schedule_id) schedule_id, id FROM exports WHERE schedule_id = ANY(:ids)
    ORDER BY schedule_id, created_at DESC, id DESC
""")
# Files in the store go as other exports do. Those in a folder are somebody's backups: they stay, listed and counted,
# until their user removes them.
LEAVE_FILES = text("""
    UPDATE exports SET expires_at = now() + make_interval(secs => :keep_seconds)
    WHERE schedule_id = :id AND status = 'finished' AND sha256 IS NOT NULL
""")


@dataclass(frozen=True)
class ScheduleDetails:
    id: UUID
    format: str
    query: str | None
    every: str
    keep: int
    destination: str
    next_at: datetime
    last_export_id: UUID | None  # the newest that it made
    last_error: str | None
    created_at: datetime


def list_schedules(session: Session, user: CurrentUser) -> list[ScheduleDetails]:
    query = select(ExportSchedule).where(ExportSchedule.user_id == user.user_id)
    found = session.scalars(query.order_by(ExportSchedule.created_at, ExportSchedule.id)).all()
    return _schedules(session, found)


def create_schedule(
    session: Session, user: CurrentUser, values: Mapping[str, Any], folder: Path | None
) -> ScheduleDetails:
    """The first export is made at once, unless `next_at` says when."""
    _check(values, folder)
    lock_library(session, user)
    if len(list_schedules(session, user)) >= MAX_SCHEDULES:
        raise TooManyExportsError(f"You have {MAX_SCHEDULES} schedules, which is the limit. Delete one first.")
    given = dict(values)
    first = given.pop("next_at", None)
    times = {"starts_at": first, "next_at": first} if first is not None else {}
    made = ExportSchedule(user_id=user.user_id, **given, **times)
    session.add(made)
    session.flush()
    session.refresh(made)
    notify(session, user.user_id, "exports")
    return _schedules(session, [made])[0]


def change_schedule(
    session: Session, user: CurrentUser, schedule_id: UUID, values: Mapping[str, Any], folder: Path | None
) -> ScheduleDetails:
    """Another `next_at` is what all later ones are counted from."""
    _check(values, folder)
    found = _find(session, user, schedule_id)
    if "next_at" in values:
        found.starts_at = values["next_at"]
    for name, value in values.items():
        setattr(found, name, value)
    session.flush()
    if "every" in values and "next_at" not in values:
        session.execute(ADVANCE, {"id": found.id})
    session.refresh(found)
    notify(session, user.user_id, "exports")
    return _schedules(session, [found])[0]


def delete_schedule(session: Session, user: CurrentUser, schedule_id: UUID, *, keep_seconds: float) -> None:
    """Files that were made stay as long as other exports; those in a folder until their user removes them."""
    found = _find(session, user, schedule_id)
    session.execute(LEAVE_FILES, {"id": found.id, "keep_seconds": keep_seconds})
    session.delete(found)
    session.flush()
    notify(session, user.user_id, "exports")


def _check(values: Mapping[str, Any], folder: Path | None) -> None:
    if values.get("destination") == "folder" and folder is None:
        raise ExportFolderError(NO_FOLDER)
    if values.get("query") is not None:
        read_query(values["query"])


def _schedules(session: Session, rows: Sequence[ExportSchedule]) -> list[ScheduleDetails]:
    exports = session.execute(LAST_EXPORTS, {"ids": [row.id for row in rows]})
    last = {export.schedule_id: export.id for export in exports}
    return [
        ScheduleDetails(
            row.id, row.format, row.query, row.every, row.keep, row.destination, row.next_at,
            last_export_id=last.get(row.id), last_error=row.last_error, created_at=row.created_at,
        )
        for row in rows
    ]  # fmt: skip


def _find(session: Session, user: CurrentUser, schedule_id: UUID) -> ExportSchedule:
    query = select(ExportSchedule).where(ExportSchedule.id == schedule_id, ExportSchedule.user_id == user.user_id)
    found = session.scalar(query.with_for_update())
    if found is None:
        raise NotFoundError("You have no such schedule.")
    return found


def unfinished_of(session: Session, schedule_id: UUID) -> Export | None:
    is_unfinished = Export.status.in_(UNFINISHED)
    return session.scalar(select(Export).where(Export.schedule_id == schedule_id, is_unfinished).limit(1))
