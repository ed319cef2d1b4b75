"""Whether a user has already saved a page: the extension asks when the page is open."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.db.text_key import text_key
from nexus.services.access import IS_OWN_ENTRY
from nexus.services.items import ItemStatus
from nexus.services.library.entries import get_entry
from nexus.services.lifecycle.captures.existing_page import PAGE_MEDIA
from nexus.services.saving import check_item_link
from nexus.services.users import CurrentUser
from nexus.web.public_address import AllowList

# First the user's own capture, then what can be read, then the newest. By the link they saved, the page it led to, or
# the page they captured.
FIND = text(f"""
    SELECT media.id FROM media
    JOIN library_media ON library_media.media_id = media.id JOIN libraries ON {IS_OWN_ENTRY}
    WHERE media.id IN (
        {PAGE_MEDIA}
    )
    ORDER BY media.captured_url_key IS NOT NULL DESC, media.processing_status = 'ready_for_reading' DESC,
             library_media.created_at DESC, media.id
    LIMIT 1
""")  # noqa: S608 - our own constant


@dataclass(frozen=True)
class KnownPage:
    item_id: UUID | None
    media_id: UUID
    status: ItemStatus
    title: str
    highlights: int
    tags: Sequence[str]
    note: str | None
    archived: bool


def find_page(session: Session, user: CurrentUser, url: str, allow: AllowList) -> KnownPage | None:
    link = check_item_link(url, allow)
    keys = [text_key(link.canonical_url), text_key(link.url)]
    found = session.scalar(FIND, {"user_id": user.user_id, "url_key": keys[0], "keys": keys})
    if found is None:
        return None
    entry = get_entry(session, user, found)
    return KnownPage(
        item_id=entry.item_id,
        media_id=entry.media_id,
        status=entry.status,
        title=entry.title,
        highlights=entry.highlight_count,
        tags=entry.tags,
        note=entry.note,
        archived=entry.archived_at is not None,
    )
