"""Which pictures a user may load: those that one of their texts, cards or chapters shows. Without this rule the route
would be an open proxy."""

from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.db.text_key import text_key
from nexus.errors import NotFoundError, PictureGoneError, PictureRefusedError
from nexus.services.access import is_readable
from nexus.services.users import CurrentUser

State = Literal["pending", "kept", "gone", "refused"]
COLUMNS = "url, state, reason, sha256, size, content_type, width, height"

# When several media have the same picture: one that has it kept; of those the one that got it last.
SHOWN = text(f"""
    SELECT {COLUMNS} FROM media_images WHERE url_key = :url_key AND {is_readable("media_images.media_id")}
    ORDER BY CASE WHEN state = 'kept' THEN 0 WHEN due_at IS NOT NULL THEN 1 ELSE 2 END, settled_at DESC NULLS LAST
    LIMIT 1
""")  # noqa: S608 - our own constants
OF_MEDIA = text(f"""
    SELECT {COLUMNS} FROM media_images WHERE media_id = :media_id AND {is_readable("media_images.media_id")}
    ORDER BY position, url
""")  # noqa: S608


@dataclass(frozen=True)
class KeptPicture:
    sha256: bytes
    size: int
    content_type: str
    width: int
    height: int


@dataclass(frozen=True)
class ShownPicture:
    url: str
    state: State
    reason: str | None
    kept: KeptPicture | None  # where the state is `kept`


def find_shown(session: Session, user: CurrentUser, url: str) -> ShownPicture:
    """Raises unless it is kept, or can still be fetched."""
    row = session.execute(SHOWN, {"url_key": text_key(url), "user_id": user.user_id}).one_or_none()
    if row is None:
        raise NotFoundError("There is no such picture in your library.")
    if row.state == "gone":
        raise PictureGoneError("This picture is gone.")
    # What only a setting refuses to keep is still shown as long as its site has it.
    if row.state == "refused" and row.reason not in ("too_many", "no_room"):
        raise PictureRefusedError(REFUSED[row.reason])
    return _picture(row)


def pictures_of(session: Session, user: CurrentUser, media_id: UUID) -> list[ShownPicture]:
    """The pictures of all versions of its text and of its card; none for a media that the user cannot read."""
    rows = session.execute(OF_MEDIA, {"media_id": media_id, "user_id": user.user_id})
    return [_picture(row) for row in rows]


REFUSED = {
    "not_an_image": "This picture was not kept: what its site sends is not a picture, or a damaged one.",
    "image_too_large": "This picture was not kept: it is too large.",
    "blocked_address": "This picture was not kept: its address cannot be requested.",
}


def _picture(row: Any) -> ShownPicture:
    url, state, reason, sha256, size, content_type, width, height = row
    kept = KeptPicture(sha256, size, content_type, width, height) if state == "kept" else None
    return ShownPicture(url, state, reason, kept)
