"""Works: what a user may read of them, under their own id or under that of a merged duplicate."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast
from uuid import UUID

from sqlalchemy import ColumnElement, exists, func, select
from sqlalchemy.orm import Session

from nexus.db.models import Fragment, Library, LibraryMedia, Media, MediaAlias
from nexus.errors import MediaNotReadyError, NotFoundError
from nexus.services.capabilities import Capabilities, Kind, Status, derive_capabilities
from nexus.services.users import Viewer


@dataclass(frozen=True)
class Work:
    media: Media
    capabilities: Capabilities
    duplicate: bool


def readable_by(viewer: Viewer) -> ColumnElement[bool]:
    """The one rule of who may read what: it is in a library of theirs."""
    return exists(
        select(LibraryMedia.media_id)
        .join(Library, Library.id == LibraryMedia.library_id)
        .where(LibraryMedia.media_id == Media.id, Library.owner_user_id == viewer.user_id)
        .correlate(Media)
    )


def get_work(session: Session, viewer: Viewer, media_id: UUID) -> Work:
    winner = select(MediaAlias.media_id).where(MediaAlias.alias_id == media_id).scalar_subquery()
    has_fragments = exists(select(Fragment.id).where(Fragment.media_id == Media.id).correlate(Media))
    row = session.execute(
        select(Media, has_fragments).where(Media.id == func.coalesce(winner, media_id), readable_by(viewer))
    ).one_or_none()
    if row is None:
        raise NotFoundError("There is no such media in your library.")
    media, readable = row
    return Work(media, capabilities_of(media, has_fragments=readable), duplicate=media.id != media_id)


def capabilities_of(media: Media, *, has_fragments: bool) -> Capabilities:
    kind, status = cast("Kind", media.kind), cast("Status", media.processing_status)
    return derive_capabilities(kind, status, has_fragments, media.audio_url is not None)


def get_fragments(session: Session, viewer: Viewer, media_id: UUID) -> tuple[Work, Sequence[Fragment]]:
    work = get_work(session, viewer, media_id)
    if work.media.processing_status != "ready_for_reading":
        raise MediaNotReadyError("This is not ready for reading yet; its processing_status says how far it is.")
    fragments = session.scalars(select(Fragment).where(Fragment.media_id == work.media.id).order_by(Fragment.idx))
    return work, fragments.all()
