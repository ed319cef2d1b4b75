"""Saving: a link or a pasted text becomes an item, a media and a library entry, in one transaction.

Rows are written here in their first state; every later change of a status is the lifecycle's.
"""

from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import insert, select, text, update
from sqlalchemy.orm import Session

from nexus.db.models import Item, LibraryMedia, Media
from nexus.db.text_key import text_key
from nexus.errors import BlockedAddressError, InvalidUrlError
from nexus.services.lifecycle import add_pasted_media, save_failed_again, store_paste
from nexus.services.users import CurrentUser
from nexus.text.pasted_text import PastedText, read_paste
from nexus.web.public_address import AllowList
from nexus.web.urls import check_url

MAX_ITEM_URL_CHARS = 4096
MAX_MEDIA_URL_CHARS = 2048
UNPROCESSABLE = 422


# A second request with the same key waits for the first.
LOCK_KEY = text("SELECT pg_advisory_xact_lock(hashtextextended(CAST(:user_id AS text) || encode(:key, 'hex'), 23))")


@dataclass(frozen=True)
class Saved:
    item_id: UUID
    media_id: UUID
    status: str


@dataclass(frozen=True)
class SaveContext:
    """What a save needs besides its link or text."""

    allow: AllowList
    max_attempts: int
    request_id: str
    key: str | None = None  # the client's own: what it sends twice is saved once


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
    """`POST /items`: a link to fetch, a text to keep, or a link with a text in case it cannot be read."""
    link = check_item_link(url, context.allow) if url is not None else None
    page = read_paste(pasted) if pasted is not None else None
    earlier = find_saved(session, user, context.key) if context.key is not None else None
    if earlier:
        return earlier
    if page and (prefer_pasted or link is None):
        return _save_paste(session, user, context, page, link.url if link else None)
    if link is None:
        raise ValueError("neither a link nor a text: the wire type refuses that")
    saved = _queue_link(session, user, context, link)
    if page:
        store_paste(session, saved.item_id, page.source)
    return saved


def find_saved(session: Session, user: CurrentUser, key: str) -> Saved | None:
    """What this key was sent with before."""
    values = {"user_id": user.user_id, "key": text_key(key)}
    session.execute(LOCK_KEY, values)
    found = session.execute(
        select(Item.id, Item.media_id, Item.status).where(Item.user_id == user.user_id, Item.save_key == values["key"])
    ).one_or_none()
    return Saved(*found) if found else None


def save_link(session: Session, user: CurrentUser, context: SaveContext, url: str) -> Saved:
    """`POST /media/from_url`."""
    return _queue_link(session, user, context, check_link(url, max_length=MAX_MEDIA_URL_CHARS, allow=context.allow))


def check_link(url: str, *, max_length: int, allow: AllowList) -> Link:
    """A link that may be fetched, or an error with the reason."""
    canonical = check_url(url, max_length=max_length, allow=allow)
    return Link(_strip_url(url), canonical)


def check_item_link(url: str, allow: AllowList) -> Link:
    """The rules of saved links, for routes that respond with 422."""
    try:
        return check_link(url, max_length=MAX_ITEM_URL_CHARS, allow=allow)
    except (InvalidUrlError, BlockedAddressError) as error:
        error.status = UNPROCESSABLE  # /media/from_url responds with 400, /items with 422, as their clients expect
        raise


def _strip_url(url: str) -> str:
    """Without the white space around it. The URL parser would drop a NUL without an error."""
    if "\0" in url:
        raise InvalidUrlError("The link contains a NUL character; copy it again.")
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
        if context.key is not None:
            session.execute(update(Item).where(Item.id == again.item_id).values(save_key=text_key(context.key)))
        return Saved(again.item_id, again.media_id, again.status)
    media_id = uuid4()
    media = insert(Media).values(
        id=media_id, created_by_user_id=user.user_id, kind="web_article", requested_url=link.url
    )
    session.execute(media)
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


def _save_paste(session: Session, user: CurrentUser, context: SaveContext, page: PastedText, url: str | None) -> Saved:
    media_id = add_pasted_media(session, user, page)
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
    store_paste(session, item_id, page.source)
    _add_entry(session, user, media_id)
    return Saved(item_id, media_id, "succeeded")


def _add_item(session: Session, user: CurrentUser, context: SaveContext, **values: Any) -> UUID:
    item_id = uuid4()
    values["save_key"] = text_key(context.key) if context.key is not None else None
    session.execute(insert(Item).values(id=item_id, user_id=user.user_id, request_id=context.request_id, **values))
    return item_id


def _add_entry(session: Session, user: CurrentUser, media_id: UUID) -> None:
    """After the item: a trigger copies its status into the entry."""
    session.execute(insert(LibraryMedia).values(library_id=user.default_library_id, media_id=media_id))
