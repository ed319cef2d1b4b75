"""Both doors: a link or a paste becomes an item, a media and a place on the shelf, in one transaction.

Rows are written here in their first state; every later change of a status is the lifecycle's.
"""

from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import func, insert
from sqlalchemy.orm import Session

from nexus.db.models import Fragment, Item, ItemPaste, LibraryMedia, Media
from nexus.db.text_key import text_key
from nexus.errors import BlockedAddressError, InvalidUrlError
from nexus.services.lifecycle import save_failed_again, store_paste
from nexus.services.search.index import index_media
from nexus.services.users import CurrentUser
from nexus.text.pasted_text import PastedText, read_paste, storable
from nexus.web.public_address import AllowList
from nexus.web.urls import check_url

ITEM_URL_CHARS = 4096
MEDIA_URL_CHARS = 2048
UNPROCESSABLE = 422


@dataclass(frozen=True)
class Saved:
    item_id: UUID
    media_id: UUID
    status: str


@dataclass(frozen=True)
class SaveContext:
    """What a door brings along beside the link: how often it tries, what it may fetch, whose request it was."""

    allow: AllowList
    max_attempts: int
    request_id: str


@dataclass(frozen=True)
class Link:
    url: str  # as it was given
    canonical_url: str


def save_item(
    session: Session,
    user: CurrentUser,
    context: SaveContext,
    *,
    url: str | None,
    pasted: str | None,
    prefer_pasted: bool,
) -> Saved:
    """The items door: a link to fetch, a text to keep, or a link with a text that waits beside it."""
    link: Link | None = None
    if url is not None:
        link = _checked_for_items(url, context.allow)
    page = read_paste(storable(pasted)) if pasted is not None else None
    if pasted is not None and page and (prefer_pasted or link is None):
        return _keep_paste(session, user, context, page, storable(pasted), link.url if link else None)
    if link is None:
        raise ValueError("neither a link nor a text: the wire type refuses that")
    saved = _queue_link(session, user, context, link)
    if pasted is not None:
        store_paste(session, saved.item_id, storable(pasted))
    return saved


def save_link(session: Session, user: CurrentUser, context: SaveContext, url: str) -> Saved:
    """The media door."""
    canonical = check_url(url, max_length=MEDIA_URL_CHARS, allow=context.allow)
    return _queue_link(session, user, context, Link(_as_typed(url), canonical))


def _checked_for_items(url: str, allow: AllowList) -> Link:
    try:
        canonical = check_url(url, max_length=ITEM_URL_CHARS, allow=allow)
        return Link(_as_typed(url), canonical)
    except (InvalidUrlError, BlockedAddressError) as error:
        error.status = UNPROCESSABLE  # the media door says 400, this one 422, each as its clients expect
        raise


def _as_typed(url: str) -> str:
    """The link as it was given, but for the white space around it. The URL parser would drop a NUL in silence."""
    if "\0" in url:
        raise InvalidUrlError("The link holds a NUL character; copy it again.")
    return url.strip()


def _queue_link(session: Session, user: CurrentUser, context: SaveContext, link: Link) -> Saved:
    """A new item, or the one whose fetch of this link failed."""
    again = save_failed_again(
        session,
        user,
        url=link.url,
        canonical_url=link.canonical_url,
        max_attempts=context.max_attempts,
        request_id=context.request_id,
    )
    if again:
        return Saved(again.item_id, again.media_id, again.status)
    media_id = _add_media(session, user, kind="web_article", requested_url=link.url)
    item_id = _add_item(
        session,
        user,
        context,
        media_id=media_id,
        status="queued",
        source_type="url",
        requested_url=link.url,
        url_key=text_key(link.canonical_url),
        max_attempts=context.max_attempts,
    )
    _add_entry(session, user, media_id)
    return Saved(item_id, media_id, "queued")


def _keep_paste(
    session: Session, user: CurrentUser, context: SaveContext, page: PastedText, pasted: str, url: str | None
) -> Saved:
    media_id = _add_media(
        session,
        user,
        kind="pasted_text",
        owner_user_id=user.user_id,
        title=page.title,
        excerpt=page.excerpt,
        word_count=page.word_count,
        processing_status="ready_for_reading",
        processing_completed_at=func.now(),
    )
    session.execute(
        insert(Fragment).values(
            media_id=media_id, idx=0, html_sanitized=page.html_sanitized, canonical_text=page.canonical_text
        )
    )
    index_media(session, [media_id])
    item_id = _add_item(
        session,
        user,
        context,
        media_id=media_id,
        status="succeeded",
        source_type="pasted_text",
        requested_url=url,
        final_text_source="user_pasted_text",
        title=page.title,
    )
    session.execute(insert(ItemPaste).values(item_id=item_id, user_pasted_text=pasted))
    _add_entry(session, user, media_id)
    return Saved(item_id, media_id, "succeeded")


def _add_media(session: Session, user: CurrentUser, **values: Any) -> UUID:
    media_id = uuid4()
    session.execute(insert(Media).values(id=media_id, created_by_user_id=user.user_id, **values))
    return media_id


def _add_item(session: Session, user: CurrentUser, context: SaveContext, **values: Any) -> UUID:
    item_id = uuid4()
    session.execute(insert(Item).values(id=item_id, user_id=user.user_id, request_id=context.request_id, **values))
    return item_id


def _add_entry(session: Session, user: CurrentUser, media_id: UUID) -> None:
    """After the item: the shelf shows its status."""
    session.execute(insert(LibraryMedia).values(library_id=user.default_library_id, media_id=media_id))
