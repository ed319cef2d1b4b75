"""The original of a text, for a user who has it."""

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.errors import NoOriginalError, NotFoundError
from nexus.services.access import IS_VISIBLE_ORIGINAL
from nexus.services.media import get_media
from nexus.services.users import CurrentUser

FIND = text(f"""
    SELECT originals.content, originals.sha256, originals.missing,
           coalesce({IS_VISIBLE_ORIGINAL}, false) AS is_visible,
           originals.media_id IS NOT NULL AS is_noted
    FROM media_versions LEFT JOIN originals USING (media_id, version)
    WHERE media_id = :media_id AND version = :version
""")  # noqa: S608 - our own constant
NOT_KEPT = {
    "too_large": "The page was larger than the limit for originals, so its original was not kept.",
    "user_full": "The limit for originals was reached when this was saved, so its original was not kept.",
    "waiting_full": "The store could not be written when this was saved, so its original was not kept.",
}
NEVER_KEPT = "The original of this text was not kept."
NOT_FOR_YOU = "There is no original of this text that you can download."
NO_VERSION = "This text has no such version."


@dataclass(frozen=True)
class FoundOriginal:
    """Either its packed content, while it waits for the store, or the blob that has it."""

    title: str | None
    content: bytes | None
    sha256: bytes | None


def find_original(session: Session, user: CurrentUser, media_id: UUID, version: int | None = None) -> FoundOriginal:
    """That of the current version, if no other is named."""
    media = get_media(session, user, media_id)
    wanted = media.version if version is None else version
    row = session.execute(FIND, {"media_id": media.id, "version": wanted, "user_id": user.user_id}).one_or_none()
    if row is None:
        raise NoOriginalError(NEVER_KEPT) if version is None else NotFoundError(NO_VERSION)
    if row.is_noted and not row.is_visible:
        raise NoOriginalError(NOT_FOR_YOU)
    if row.content is None and row.sha256 is None:
        raise NoOriginalError(NOT_KEPT.get(row.missing, NEVER_KEPT))
    return FoundOriginal(
        media.title,
        bytes(row.content) if row.content is not None else None,
        bytes(row.sha256) if row.sha256 is not None else None,
    )
