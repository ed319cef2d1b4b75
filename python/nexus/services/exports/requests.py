"""What users do with exports: request one, list them, download, cancel and delete."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, func, select, text
from sqlalchemy.orm import Session

from nexus.db.claim_columns import UNCLAIMED
from nexus.db.models import Export
from nexus.errors import (
    ExportFolderError,
    ExportNotReadyError,
    NotFoundError,
    NothingToDownloadError,
    TooManyEntriesError,
    TooManyExportsError,
)
from nexus.services.exports.formats.format_name import FormatName
from nexus.services.exports.queue import UNFINISHED
from nexus.services.library.filters import Filters
from nexus.services.library.library_lock import lock_library
from nexus.services.notifications import notify
from nexus.services.organise.selection import own_media
from nexus.services.search.indexes import Indexes
from nexus.services.search.search import search_ids
from nexus.services.users import CurrentUser

MAX_WAITING = 5
MAX_KEPT = 100
MAX_FOUND = 200_000
CANCEL = text(f"""
    UPDATE exports SET status = 'cancelled', {UNCLAIMED}, message = NULL,
           finished_at = now(), expires_at = now() + make_interval(secs => :keep_seconds)
    WHERE id = :id
""")  # noqa: S608 - our own constant
CONTENT_TYPES = {
    ".zip": "application/zip",
    ".html": "text/html; charset=utf-8",
    ".epub": "application/epub+zip",
    ".csv": "text/csv; charset=utf-8",
}


@dataclass(frozen=True)
class NewExport:
    """A request for an export of all that the user has, of what a search finds, or of given media."""

    format: FormatName
    query: str | None = None
    media_ids: Sequence[UUID] | None = None


@dataclass(frozen=True)
class ExportDetails:
    """As its user sees it."""

    id: UUID
    format: str
    query: str | None
    status: str
    done: int
    total: int
    size: int | None
    filename: str | None
    message: str | None
    left_out: Sequence[Mapping[str, str]]
    schedule_id: UUID | None
    created_at: datetime
    finished_at: datetime | None
    expires_at: datetime | None


@dataclass(frozen=True)
class ExportedFile:
    filename: str
    sha256: bytes
    size: int

    @property
    def content_type(self) -> str:
        suffix = f".{self.filename.rpartition('.')[2]}"
        return CONTENT_TYPES.get(suffix, "application/octet-stream")


def create_export(session: Session, user: CurrentUser, indexes: Indexes, wanted: NewExport) -> ExportDetails:
    """A worker does the rest. What a search finds is looked up now, by the index of this machine."""
    media_ids = wanted.media_ids
    if wanted.query is not None:
        media_ids = find_media(session, user, indexes, wanted.query)
    elif media_ids is not None:
        media_ids = _chosen(session, user, media_ids)
    lock_library(session, user)
    _require_room(session, user)
    made = Export(user_id=user.user_id, format=wanted.format, query=wanted.query, media_ids=media_ids)
    made.total = len(media_ids) if media_ids is not None else 0
    session.add(made)
    session.flush()
    session.refresh(made)
    notify(session, user.user_id, "exports")
    return _details(made)


def find_media(session: Session, user: CurrentUser, indexes: Indexes, query: str) -> list[UUID]:
    """All that a search finds, the newest first."""
    found = search_ids(session, user, indexes, query, Filters(), limit=MAX_FOUND + 1)
    if len(found) > MAX_FOUND:
        raise TooManyEntriesError(f"This finds more than {MAX_FOUND} entries; export the whole library instead.")
    if not found:
        raise NothingToDownloadError("Nothing in your library matches this, so there is nothing to export.")
    return list(found)


def _chosen(session: Session, user: CurrentUser, media_ids: Sequence[UUID]) -> list[UUID]:
    own = own_media(session, user, media_ids)
    if missing := next((media_id for media_id in media_ids if media_id not in own), None):
        raise NotFoundError(f"{missing} is not in your library, so nothing is exported.")
    return list(dict.fromkeys(own[media_id] for media_id in media_ids))


def _require_room(session: Session, user: CurrentUser) -> None:
    """Those of schedules are not counted: they make room for each other."""
    of_user = select(func.count()).where(Export.user_id == user.user_id, Export.schedule_id.is_(None))
    if session.scalars(of_user.where(Export.status.in_(UNFINISHED))).one() >= MAX_WAITING:
        raise TooManyExportsError(f"{MAX_WAITING} of your exports are not finished yet. Wait for one, or cancel one.")
    if session.scalars(of_user).one() >= MAX_KEPT:
        raise TooManyExportsError(f"You have {MAX_KEPT} exports, which is the limit. Remove some first.")


def list_exports(session: Session, user: CurrentUser) -> list[ExportDetails]:
    """The newest first; what has expired is not there any more."""
    query = select(Export).where(*_own_exports(user)).order_by(Export.created_at.desc(), Export.id.desc())
    return [_details(found) for found in session.scalars(query)]


def get_export(session: Session, user: CurrentUser, export_id: UUID) -> ExportDetails:
    return _details(_find(session, user, export_id))


def get_file(session: Session, user: CurrentUser, export_id: UUID) -> ExportedFile:
    found = _find(session, user, export_id)
    if found.status != "finished":
        raise ExportNotReadyError("This export has no file to download; see its status.")
    if found.sha256 is None or found.filename is None or found.size is None:
        raise ExportFolderError(f"This export was written into the server's export folder, as {found.filename}.")
    return ExportedFile(found.filename, found.sha256, found.size)


def remove_export(session: Session, user: CurrentUser, export_id: UUID, *, keep_seconds: float) -> None:
    """An export that waits or runs is cancelled and stays in the list. Any other is removed with its file; files in the
    export folder are removed by a worker later."""
    found = _find(session, user, export_id, for_update=True)
    if found.status in UNFINISHED:
        session.execute(CANCEL, {"id": found.id, "keep_seconds": keep_seconds})
    elif found.modified_ns is not None:
        found.expires_at = func.now()
        session.flush()
    else:
        session.delete(found)
        session.flush()
    notify(session, user.user_id, "exports")


def _find(session: Session, user: CurrentUser, export_id: UUID, *, for_update: bool = False) -> Export:
    query = select(Export).where(Export.id == export_id, *_own_exports(user))
    found = session.scalar(query.with_for_update() if for_update else query)
    if found is None:
        raise NotFoundError("You have no such export; it may have expired.")
    return found


def _details(found: Export) -> ExportDetails:
    return ExportDetails(**{field.name: getattr(found, field.name) for field in fields(ExportDetails)})


def _own_exports(user: CurrentUser) -> tuple[ColumnElement[bool], ...]:
    is_there = Export.expires_at.is_(None) | (Export.expires_at > func.now())
    return Export.user_id == user.user_id, is_there
