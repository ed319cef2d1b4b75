"""What a user may do with an import, and when: start, pause, resume, cancel, retry, undo, delete.

    previewed -> running <-> paused
                 running, paused -> cancelled -> undoing -> undone
                 running -> finished -> undoing; finished -> running, when what failed is tried again

A trigger refuses all other moves. The rows are moved by workers, in small steps that hold the import's row.
"""

from dataclasses import asdict
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from nexus.db.models import Import
from nexus.errors import ImportInvalidStateError, NotFoundError
from nexus.services.imports.details import ImportDetails, ImportOptions, Status, details_of
from nexus.services.imports.rows.retry_rows import retry_failed_rows
from nexus.services.lifecycle import retry_imported
from nexus.services.notifications import notify
from nexus.services.users import CurrentUser

MAX_PAGES_RETRIED = 5_000  # at a time: a request may take some seconds, not minutes
UNKNOWN = "There is no such import."


def start(session: Session, user: CurrentUser, import_id: UUID, options: ImportOptions) -> ImportDetails:
    found = _locked(session, user, import_id, "start", "previewed")
    found.options = asdict(options)
    found.started_at = func.now()
    return _set_status(session, found, "running")


def pause(session: Session, user: CurrentUser, import_id: UUID) -> ImportDetails:
    """What it has queued by then is fetched all the same."""
    return _set_status(session, _locked(session, user, import_id, "pause", "running"), "paused")


def resume(session: Session, user: CurrentUser, import_id: UUID) -> ImportDetails:
    found = _locked(session, user, import_id, "resume", "paused")
    found.samples = []
    return _set_status(session, found, "running")


def cancel(session: Session, user: CurrentUser, import_id: UUID) -> ImportDetails:
    """What was applied stays until `undo`."""
    found = _locked(session, user, import_id, "cancel", "running", "paused")
    found.finished_at = func.now()
    found.rows_sha256 = None
    return _set_status(session, found, "cancelled")


def retry_failed(session: Session, user: CurrentUser, import_id: UUID) -> ImportDetails:
    """Rows that failed are applied again, and pages that could not be fetched are fetched again."""
    found = _locked(session, user, import_id, "retry", "finished")
    waiting = retry_failed_rows(session, user, import_id)
    retry_imported(session, user, import_id, MAX_PAGES_RETRIED)
    # Only now, all at once: a finished import has an outcome of every row.
    found.failed -= waiting
    found.finished_at = None
    found.samples = []
    found.is_fetching = True
    return _set_status(session, found, "running")


def undo(session: Session, user: CurrentUser, import_id: UUID) -> ImportDetails:
    """Removes what it added and nobody touched since."""
    found = _locked(session, user, import_id, "undo", "finished", "cancelled")
    found.rows_sha256 = None  # an archive, kept for lines that failed
    return _set_status(session, found, "undoing")


def delete(session: Session, user: CurrentUser, import_id: UUID) -> None:
    """The preview or the report; what was imported stays."""
    settled: tuple[Status, ...] = ("previewed", "finished", "cancelled", "undone")
    session.delete(_locked(session, user, import_id, "delete", *settled))
    session.flush()
    notify(session, user.user_id, "imports")


def _locked(session: Session, user: CurrentUser, import_id: UUID, verb: str, *allowed: Status) -> Import:
    """Waits for the step that a worker is at, a fraction of a second."""
    query = select(Import).where(Import.id == import_id, Import.user_id == user.user_id).with_for_update()
    found = session.scalars(query).one_or_none()
    if found is None:
        raise NotFoundError(UNKNOWN)
    if found.status not in allowed:
        raise ImportInvalidStateError(
            f"This import is {found.status}. To {verb} it, it must be {' or '.join(allowed)}.",
            import_status=found.status,
        )
    return found


def _set_status(session: Session, found: Import, status: Status) -> ImportDetails:
    found.status = status
    session.flush()
    session.refresh(found)
    notify(session, found.user_id, "imports")
    return details_of(found)
