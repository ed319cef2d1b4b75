"""What a worker does for export schedules: create exports that are due, and remove files beyond the number to keep."""

from pathlib import Path
from typing import Any
from uuid import UUID

from sqlalchemy import Row, text
from sqlalchemy.orm import Session

from nexus.db.models import Export, ExportSchedule
from nexus.db.session import Database
from nexus.errors import BrokenIndexError, IndexBuildingError, NexusError
from nexus.services.exports.folder import remove_from_folder
from nexus.services.exports.queue import WrittenFile
from nexus.services.exports.requests import find_media
from nexus.services.exports.schedules import ADVANCE, unfinished_of
from nexus.services.notifications import notify
from nexus.services.search.indexes import Indexes
from nexus.services.users import CurrentUser, ensure_user

IS_DUE = text("SELECT EXISTS (SELECT FROM export_schedules WHERE next_at <= now())")
DUE = text("SELECT id FROM export_schedules WHERE next_at <= now() ORDER BY next_at, id LIMIT 1 FOR UPDATE SKIP LOCKED")
TRY_LATER = text("UPDATE export_schedules SET next_at = now() + interval '10 minutes' WHERE id = :id")
SUPERFLUOUS = text("""
    SELECT exports.id, exports.user_id, filename, size, modified_ns
    FROM exports WHERE schedule_id = :id AND status = 'finished'
    ORDER BY created_at DESC, id DESC OFFSET (SELECT keep FROM export_schedules WHERE export_schedules.id = :id)
""")
# Removed by their user.
EXPIRED = text("""
    SELECT id, user_id, filename, size, modified_ns FROM exports
    WHERE expires_at <= now() AND modified_ns IS NOT NULL ORDER BY expires_at LIMIT 100
""")
DELETE = text("DELETE FROM exports WHERE id = :id")


def is_any_due(session: Session) -> bool:
    return bool(session.scalar(IS_DUE))


def start_due(session: Session, indexes: Indexes) -> bool:
    """Makes the export of one schedule whose time has come; False when there is none. Times that were missed while no
    worker ran are made up for by one export."""
    schedule_id = session.scalar(DUE)
    if schedule_id is None:
        return False
    schedule = session.get_one(ExportSchedule, schedule_id)
    user = CurrentUser(schedule.user_id, ensure_user(session, schedule.user_id), is_operator=False)
    try:
        if unfinished_of(session, schedule.id) is None:
            _make(session, user, indexes, schedule)
        next_time = ADVANCE
    except (IndexBuildingError, BrokenIndexError) as error:
        schedule.last_error, next_time = error.message, TRY_LATER
    except NexusError as error:
        schedule.last_error, next_time = error.message, ADVANCE
    session.flush()
    session.execute(next_time, {"id": schedule.id})
    notify(session, user.user_id, "exports")
    return True


def _make(session: Session, user: CurrentUser, indexes: Indexes, schedule: ExportSchedule) -> None:
    found = find_media(session, user, indexes, schedule.query) if schedule.query is not None else None
    made = Export(user_id=user.user_id, schedule_id=schedule.id, format=schedule.format, query=schedule.query)
    made.media_ids, made.total = found, len(found or ())
    session.add(made)


def remove_superfluous(database: Database, schedule_id: UUID, folder: Path | None) -> None:
    """The oldest beyond those that are kept."""
    with database.transaction() as session:
        rows = session.execute(SUPERFLUOUS, {"id": schedule_id}).all()
    for row in rows:
        _remove(database, row, folder)


def remove_expired_files(database: Database, folder: Path | None) -> None:
    """Removes files from the export folder. If it is unavailable, or on another machine, the rows wait."""
    with database.transaction() as session:
        rows = session.execute(EXPIRED).all()
    if folder is None or not folder.is_dir():
        return
    for row in rows:
        _remove(database, row, folder)


def _remove(database: Database, row: Row[Any], folder: Path | None) -> None:
    """A file first, then its row, so that none is forgotten in a folder."""
    if row.modified_ns is not None:
        remove_from_folder(folder, row.user_id, WrittenFile(row.filename, row.size, modified_ns=row.modified_ns))
    with database.transaction() as session:
        session.execute(DELETE, {"id": row.id})
        notify(session, row.user_id, "exports")
