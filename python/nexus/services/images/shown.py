"""Which pictures a user may have fetched: those that a text or a card of theirs shows, so this is no open proxy."""

from urllib.parse import quote

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.db.text_key import text_key
from nexus.errors import NotFoundError
from nexus.services.access import is_readable
from nexus.services.users import CurrentUser

IS_SHOWN = text(f"""
    SELECT EXISTS (
        SELECT FROM media_images WHERE url_key = :in_text AND {is_readable("media_images.media_id")}
    ) OR EXISTS (
        SELECT FROM media
        WHERE text_key(lead_image_url) = :on_card AND lead_image_url IS NOT NULL AND {is_readable("media.id")}
    )
""")  # noqa: S608 - our own constants


def require_shown(session: Session, user: CurrentUser, url: str) -> None:
    # Texts are searched by the address as the sanitizer wrote it, cards by the address itself.
    values = {"in_text": key_in_text(url), "on_card": text_key(url), "user_id": user.user_id}
    if not session.scalar(IS_SHOWN, values):
        raise NotFoundError("There is no such picture in your library.")


def key_in_text(url: str) -> bytes:
    """``media_images.url_key``."""
    return text_key(quote(url, safe=""))
