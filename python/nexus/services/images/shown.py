"""Which pictures a user may have fetched: those that a text or a card of theirs shows, so this is no open proxy."""

from urllib.parse import quote

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.db.text_key import text_key
from nexus.errors import NotFoundError
from nexus.services.users import CurrentUser

IS_SHOWN = text("""
    SELECT EXISTS (
        SELECT FROM media_images
        JOIN library_media ON library_media.media_id = media_images.media_id
        JOIN libraries ON libraries.id = library_media.library_id
        WHERE media_images.url_key = :in_text AND libraries.owner_user_id = :user_id
    ) OR EXISTS (
        SELECT FROM media
        JOIN library_media ON library_media.media_id = media.id
        JOIN libraries ON libraries.id = library_media.library_id
        WHERE text_key(media.lead_image_url) = :on_card AND media.lead_image_url IS NOT NULL
          AND libraries.owner_user_id = :user_id
    )
""")


def require_shown(session: Session, user: CurrentUser, url: str) -> None:
    # Texts are searched by the address as the sanitizer wrote it, cards by the address itself.
    values = {"in_text": key_in_text(url), "on_card": text_key(url), "user_id": user.user_id}
    if not session.scalar(IS_SHOWN, values):
        raise NotFoundError("There is no such picture in your library.")


def key_in_text(url: str) -> bytes:
    """``media_images.url_key``."""
    return text_key(quote(url, safe=""))
