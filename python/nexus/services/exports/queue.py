"""The queue of exports: claim, renew, settle. All times are the database's.

A claim is a lease: when it runs out, the export is due again. The worker that held it can no longer write, because each
statement checks the claim it was made under.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.db.claim_columns import UNCLAIMED
from nexus.errors import ExportStoppedError
from nexus.services.downloads.selection import LeftOut
from nexus.services.notifications import notify
from nexus.store import Blob, keep_blob

# After this many an export fails: it may be what ends its workers, and is not tried for ever.
MAX_ATTEMPTS = 5
# Before the next attempt, where the store or the disk was at fault; doubled with each.
FIRST_PAUSE_SECONDS = 30.0
MAX_LEFT_OUT = 100

UNFINISHED = ("queued", "running")  # the statuses of exports that wait or run
IS_DUE = text("SELECT EXISTS (SELECT FROM exports WHERE status IN ('queued', 'running') AND due_at <= now()"
              " AND (lease_until IS NULL OR lease_until <= now()))")  # fmt: skip
# One export of a user at a time, so that a user who requests many does not delay the others.
CLAIM = text("""
    UPDATE exports SET status = 'running', attempts = attempts + 1, done = 0, left_out = '[]',
           claimed_by = :worker_id, claimed_at = clock_timestamp(),
           lease_until = now() + make_interval(secs => :lease_seconds)
    WHERE id = (
        SELECT waiting.id FROM exports AS waiting
        WHERE waiting.status IN ('queued', 'running') AND waiting.due_at <= now()
          AND (waiting.lease_until IS NULL OR waiting.lease_until <= now())
          AND NOT EXISTS (SELECT FROM exports AS other
                          WHERE other.user_id = waiting.user_id AND other.id <> waiting.id
                            AND other.status = 'running' AND other.lease_until > now())
        ORDER BY waiting.due_at, waiting.id LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING id, user_id, schedule_id, format, query, media_ids, attempts, created_at, claimed_by, claimed_at,
              (SELECT destination FROM export_schedules WHERE export_schedules.id = schedule_id) AS destination
""")
PASSES_FENCE = "id = :id AND claimed_by = :claimed_by AND claimed_at = :claimed_at"
RENEW = text(f"UPDATE exports SET lease_until = now() + make_interval(secs => :lease_seconds) WHERE {PASSES_FENCE}")  # noqa: S608
NOTE_PROGRESS = text(f"UPDATE exports SET done = :done, total = :total WHERE {PASSES_FENCE} RETURNING id")  # noqa: S608
FINISH = text(f"""
    UPDATE exports SET status = 'finished', done = :done, total = :total, size = :size, filename = :filename,
           sha256 = :sha256, modified_ns = :modified_ns, message = NULL, left_out = CAST(:left_out AS jsonb),
           finished_at = now(), {UNCLAIMED},
           expires_at = CASE WHEN schedule_id IS NULL THEN now() + make_interval(secs => :keep_seconds) END
    WHERE {PASSES_FENCE} RETURNING id
""")  # noqa: S608
FAIL = text(f"""
    UPDATE exports SET status = 'failed', message = :message, finished_at = now(), {UNCLAIMED},
           expires_at = now() + make_interval(secs => :keep_seconds)
    WHERE {PASSES_FENCE} RETURNING id
""")  # noqa: S608
TRY_LATER = text(f"""
    UPDATE exports SET status = 'queued', message = :message, {UNCLAIMED},
           due_at = now() + make_interval(secs => :seconds)
    WHERE {PASSES_FENCE} RETURNING id
""")  # noqa: S608
# For a worker that stops: the attempt does not count.
RELEASE = text(f"""
    UPDATE exports SET status = 'queued', attempts = attempts - 1, {UNCLAIMED} WHERE {PASSES_FENCE} RETURNING id
""")  # noqa: S608
NOTE_ERROR = text("UPDATE export_schedules SET last_error = :message WHERE id = :schedule_id")
DELETE_EXPIRED = text("""
    DELETE FROM exports WHERE id IN (
        SELECT id FROM exports WHERE expires_at <= now() AND modified_ns IS NULL
        ORDER BY expires_at LIMIT 100 FOR UPDATE SKIP LOCKED)
    RETURNING user_id
""")
USED = text("""
    SELECT coalesce(sum(size), 0)::bigint FROM exports
    WHERE user_id = :user_id AND (modified_ns IS NOT NULL) = :in_folder
""")


@dataclass(frozen=True)
class ExportClaim:
    """`destination`: of its schedule; None: it has none."""

    id: UUID
    user_id: UUID
    schedule_id: UUID | None
    format: str
    query: str | None
    media_ids: Sequence[UUID] | None
    attempts: int
    created_at: datetime
    claimed_by: UUID
    claimed_at: datetime
    destination: str | None

    @property
    def fence(self) -> dict[str, Any]:
        return {"id": self.id, "claimed_by": self.claimed_by, "claimed_at": self.claimed_at}


@dataclass(frozen=True)
class WrittenFile:
    """In the store, or in a folder, where it was modified at `modified_ns`."""

    filename: str
    size: int
    blob: Blob | None = None
    modified_ns: int | None = None


@dataclass(frozen=True)
class ProgressCounts:
    done: int
    total: int
    left_out: Sequence[LeftOut] = ()


def is_due(session: Session) -> bool:
    return bool(session.scalar(IS_DUE))


def claim_export(session: Session, worker_id: UUID, lease_seconds: float) -> ExportClaim | None:
    row = session.execute(CLAIM, {"worker_id": worker_id, "lease_seconds": lease_seconds}).one_or_none()
    if row is None:
        return None
    notify(session, row.user_id, "exports")
    return ExportClaim(**row._asdict())


def renew_export(session: Session, claim: ExportClaim, lease_seconds: float) -> None:
    session.execute(RENEW, claim.fence | {"lease_seconds": lease_seconds})


def note_progress(session: Session, claim: ExportClaim, counts: ProgressCounts) -> None:
    """ExportStoppedError: it was cancelled, or another worker has it."""
    found = session.scalar(NOTE_PROGRESS, claim.fence | {"done": counts.done, "total": counts.total})
    if found is None:
        raise ExportStoppedError("The export was cancelled, or another worker continues it.")
    notify(session, claim.user_id, "exports")


def finish_export(
    session: Session, claim: ExportClaim, file: WrittenFile, counts: ProgressCounts, *, keep_seconds: float
) -> bool:
    """False: it was cancelled in the meantime; no row refers to what was stored, and it will be collected."""
    if file.blob is not None:
        keep_blob(session, file.blob)
    left_out = [vars(each) for each in counts.left_out]
    values = {
        "done": counts.done,
        "total": counts.total,
        "size": file.size,
        "filename": file.filename,
        "sha256": file.blob.sha256 if file.blob else None,
        "modified_ns": file.modified_ns,
        "left_out": json.dumps(left_out),
        "keep_seconds": keep_seconds,
    }
    is_own = _notify_if_settled(session, claim, session.scalar(FINISH, claim.fence | values))
    if is_own:
        _note_error(session, claim, None)
    return is_own


def fail_export(session: Session, claim: ExportClaim, message: str, *, keep_seconds: float) -> bool:
    values = {"message": message, "keep_seconds": keep_seconds}
    is_own = _notify_if_settled(session, claim, session.scalar(FAIL, claim.fence | values))
    if is_own:
        _note_error(session, claim, message)
    return is_own


def try_later(session: Session, claim: ExportClaim, message: str, *, keep_seconds: float) -> bool:
    """Queue it again after a pause, or fail it after the last attempt. `message`: shown meanwhile, why it waits."""
    if claim.attempts >= MAX_ATTEMPTS:
        return fail_export(session, claim, message, keep_seconds=keep_seconds)
    seconds = FIRST_PAUSE_SECONDS * 2 ** (claim.attempts - 1)
    return _notify_if_settled(
        session, claim, session.scalar(TRY_LATER, claim.fence | {"message": message, "seconds": seconds})
    )


def release_export(session: Session, claim: ExportClaim) -> bool:
    return _notify_if_settled(session, claim, session.scalar(RELEASE, claim.fence))


def delete_expired(session: Session) -> bool:
    """Delete some expired exports, of any users; their blobs are collected later. False if there were none. Exports
    in a folder are deleted with their files (due_schedules.py)."""
    users = set(session.scalars(DELETE_EXPIRED))
    for user_id in users:
        notify(session, user_id, "exports")
    return bool(users)


def bytes_of_user(session: Session, user_id: UUID, *, in_folder: bool) -> int:
    """How many bytes the user's finished exports have: in the store, or in the folder for exports."""
    used: int = session.execute(USED, {"user_id": user_id, "in_folder": in_folder}).scalar_one()
    return used


def _notify_if_settled(session: Session, claim: ExportClaim, found: Any) -> bool:
    if found is not None:
        notify(session, claim.user_id, "exports")
    return found is not None


def _note_error(session: Session, claim: ExportClaim, message: str | None) -> None:
    if claim.schedule_id is not None:
        session.execute(NOTE_ERROR, {"schedule_id": claim.schedule_id, "message": message})
