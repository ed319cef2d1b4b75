"""The steps in which workers load, apply and undo imports.

Each is one short transaction that locks the import's row, so that no two workers work on the same import. After a kill,
work continues from the last committed step.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from nexus.db.models import Import, ImportRow
from nexus.services.archives.undo.undo_lists import undo_lists
from nexus.services.imports.archives import ARCHIVE_SOURCE
from nexus.services.imports.limits import PREVIEW_LIFETIME
from nexus.services.imports.progress import applied, count_fetching, note_sample, settled
from nexus.services.imports.row_loader import Row, load_batch
from nexus.services.imports.rows.apply_rows import apply_rows
from nexus.services.imports.rows.undo_rows import undo_rows
from nexus.services.notifications import notify
from nexus.services.saving import SaveContext
from nexus.services.users import CurrentUser, ensure_user

# Archives of Nexus are restored by worker/archive_restorer.py, and undone like all imports.
_IS_ACTIVE = f"status IN ('running', 'undoing') AND (source <> '{ARCHIVE_SOURCE}' OR status = 'undoing')"
IS_ANY_ACTIVE = text(f"SELECT EXISTS (SELECT FROM imports WHERE {_IS_ACTIVE})")  # noqa: S608 - our own constant
# The one that waited longest: each step changes `updated_at`, so they take turns.
NEXT = text(f"""
    SELECT id, status, loaded, total, rows_sha256 FROM imports
    WHERE {_IS_ACTIVE} AND id <> ALL(:without) ORDER BY updated_at LIMIT 1
""")  # noqa: S608
TO_COUNT = text("""
    SELECT id FROM imports
    WHERE is_fetching AND (fetching_at IS NULL OR fetching_at < now() - make_interval(secs => :seconds))
    ORDER BY fetching_at NULLS FIRST LIMIT 1
""")
DELETE_PREVIEWS = text("DELETE FROM imports WHERE status = 'previewed' AND created_at < now() - :lifetime")
BROKEN_ROW = "Nexus could not import this row. The server's log has the details."


@dataclass(frozen=True)
class ActiveImport:
    id: UUID
    status: Literal["running", "undoing"]
    loaded: int
    total: int
    rows_sha256: bytes | None

    @property
    def is_loading(self) -> bool:
        return self.status == "running" and self.loaded < self.total


def is_any_active(session: Session) -> bool:
    return bool(session.scalar(IS_ANY_ACTIVE))


def next_active_import(session: Session, without: Sequence[UUID] = ()) -> ActiveImport | None:
    row = session.execute(NEXT, {"without": list(without)}).one_or_none()
    return ActiveImport(*row) if row else None


def load_step(session: Session, import_id: UUID, position: int, rows: list[Row]) -> bool:
    """False: the import is at another row by now, or no longer running."""
    found = _lock_import(session, import_id, "running")
    if found is None or found.loaded != position:
        return False
    load_batch(session, found, rows)
    return True


def apply_step(session: Session, context: SaveContext, import_id: UUID, limit: int, *, may_notify: bool) -> int | None:
    """How many rows were applied; where these were the last, the import is finished. None: see `_lock_import`."""
    found = _lock_import(session, import_id, "running")
    if found is None:
        return None
    done = apply_rows(session, _user_of(session, found), context, import_id, limit)
    for outcome, count in done.outcomes.items():
        setattr(found, outcome, getattr(found, outcome) + count)
    if done.outcomes.get("added"):
        found.is_fetching = True
    note_sample(found, applied(found))
    if not done.has_more:
        _finish(found)
    session.flush()
    if may_notify or found.status == "finished":
        notify(session, found.user_id, "imports")
    return done.rows


def fail_next_row(session: Session, import_id: UUID) -> bool:
    """After an unexpected error of a row, so that it does not block the rows after it."""
    found = _lock_import(session, import_id, "running")
    first = select(ImportRow).where(ImportRow.import_id == import_id, ImportRow.outcome.is_(None))
    row = session.scalars(first.order_by(ImportRow.number).limit(1)).one_or_none()
    if found is None or row is None:
        return False
    row.outcome, row.code, row.message, row.applied_at = "failed", "internal_error", BROKEN_ROW, func.now()
    found.failed += 1
    session.flush()
    return True


def undo_step(session: Session, import_id: UUID, limit: int, *, may_notify: bool) -> int | None:
    found = _lock_import(session, import_id, "undoing")
    if found is None:
        return None
    user = _user_of(session, found)
    done = undo_rows(session, user, import_id, limit)
    if not done.has_more:
        if found.undo:
            undo_lists(session, user, import_id, found.undo)
        found.status, found.is_fetching, found.undo = "undone", False, None
    found.updated_at = func.now()  # so that imports take turns
    session.flush()
    if may_notify or not done.has_more:
        notify(session, found.user_id, "imports")
    return done.rows


def end_damaged(session: Session, import_id: UUID, message: str) -> None:
    """What was applied stays."""
    found = _lock_import(session, import_id, "running")
    if found is not None:
        found.status, found.finished_at, found.rows_sha256, found.message = "cancelled", func.now(), None, message
        session.flush()
        notify(session, found.user_id, "imports")


def count_step(session: Session, after_seconds: float) -> bool:
    """Count how far the pages of one import are, whose last count is older than this."""
    import_id = session.scalar(TO_COUNT, {"seconds": after_seconds})
    query = select(Import).where(Import.id == import_id).with_for_update(skip_locked=True)
    found = session.scalars(query).one_or_none() if import_id else None
    if found is None:
        return False
    counted = count_fetching(session, found.id)
    if counted != found.fetching:
        notify(session, found.user_id, "imports")
    found.fetching, found.fetching_at = counted, func.now()
    if found.status != "running":
        found.is_fetching = bool(counted["queued"] + counted["processing"])
        note_sample(found, settled(counted))
    session.flush()
    return True


def delete_old_previews(session: Session) -> None:
    session.execute(DELETE_PREVIEWS, {"lifetime": PREVIEW_LIFETIME})


def _finish(found: Import) -> None:
    found.status, found.finished_at = "finished", func.now()
    found.samples = []  # those that follow are of pages
    found.fetching_at = None


def _lock_import(session: Session, import_id: UUID, status: str) -> Import | None:
    """None: another worker or a request has it, or it moved on."""
    query = select(Import).where(Import.id == import_id, Import.status == status)
    return session.scalars(query.with_for_update(skip_locked=True)).one_or_none()


def _user_of(session: Session, found: Import) -> CurrentUser:
    return CurrentUser(found.user_id, ensure_user(session, found.user_id), is_operator=False)
