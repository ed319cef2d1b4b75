"""Finds and locks what a user already has of a page, before its capture is written."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Row, text
from sqlalchemy.orm import Session

from nexus.errors import NotFoundError, NotWaitingForTextError
from nexus.services.access import is_readable
from nexus.services.lifecycle.removal import lock_removed
from nexus.services.users import CurrentUser

# Statuses of items that a capture may complete.
WAITING_FOR_TEXT = frozenset({"needs_user_text", "failed"})

# The user's own captures of a page, the media of their links to it, and the shared media that owns its URL.
PAGE_MEDIA = """
        SELECT captured.id FROM media AS captured
        WHERE captured.owner_user_id = :user_id AND captured.captured_url_key = :url_key
        UNION ALL
        SELECT items.media_id FROM items
        WHERE items.user_id = :user_id AND items.requested_url IS NOT NULL AND items.fetch_again_of IS NULL
          AND coalesce(items.url_key, text_key(items.requested_url)) = ANY(:keys)
        UNION ALL
        SELECT shared.id FROM media AS shared
        WHERE shared.kind = 'web_article' AND text_key(shared.canonical_url) = :url_key
          AND shared.canonical_url IS NOT NULL
"""

# The user's own capture of the page; the media of their links to it, read or not; and the shared media that owns its
# URL, if it is in their library. Captures of other pages and pasted texts are not changed.
OF_PAGE = text(f"""
    SELECT media.id, media.owner_user_id IS NOT NULL AS is_private, media.captured_url_key IS NOT NULL AS is_captured
    FROM media
    WHERE media.kind = 'web_article' AND coalesce(media.captured_url_key, :url_key) = :url_key AND media.id IN (
        {PAGE_MEDIA}
          AND {is_readable("shared.id")}
    )
    ORDER BY is_captured DESC, is_private DESC, media.id
""")  # noqa: S608 - our own constant
# For an item that the request named: its own media, and the user's capture of the page.
OF_ITEM = text("""
    SELECT media.id, media.owner_user_id IS NOT NULL AS is_private, media.captured_url_key IS NOT NULL AS is_captured
    FROM media
    WHERE id = (SELECT media_id FROM items WHERE id = :item_id AND user_id = :user_id AND fetch_again_of IS NULL)
       OR (owner_user_id = :user_id AND captured_url_key = :url_key)
    ORDER BY is_captured DESC, is_private DESC, media.id
""")
LOCK_ITEMS = text("""
    SELECT id, media_id, status FROM items
    WHERE user_id = :user_id AND media_id = ANY(:ids) AND fetch_again_of IS NULL
    ORDER BY created_at DESC, id DESC FOR UPDATE
""")


@dataclass(frozen=True)
class ExistingPage:
    """`target`: the private media that gets the capture as its next version; None: a new media. `others`: the media
    whose library entries it takes over. `items`: the items that are completed, the newest first."""

    target: UUID | None
    others: list[UUID]
    items: list[UUID]


def lock_existing_page(session: Session, user: CurrentUser, *, keys: list[bytes], item_id: UUID | None) -> ExistingPage:
    """`keys`: the keys of the canonical URL and of the URL as it was given."""
    values = {"user_id": user.user_id, "url_key": keys[0], "keys": keys, "item_id": item_id}
    query = OF_PAGE if item_id is None else OF_ITEM
    while True:
        found = session.execute(query, values).all()
        target = next((row.id for row in found if row.is_captured or (row.is_private and item_id is None)), None)
        # Another private text would be lost with its media.
        others = [row.id for row in found if not row.is_private]
        # A named item is locked whatever its status, so that the error can say why it cannot be completed.
        ids = [row.id for row in found if item_id is not None or row.id == target or not row.is_private]
        with session.begin_nested() as attempt:
            is_held = lock_removed(session, user, ids) == set(ids)
            items = session.execute(LOCK_ITEMS, {"user_id": user.user_id, "ids": ids}).all()
            if is_held and session.execute(query, values).all() == found:
                break
            attempt.rollback()  # a worker merged it, or a fetch began, while this waited for the locks
    filled = items if item_id is None else [_require_waiting(items, item_id)]
    return ExistingPage(target, others, [each.id for each in filled])


def _require_waiting(items: Sequence[Row[Any]], item_id: UUID) -> Row[Any]:
    item = next((each for each in items if each.id == item_id), None)
    if item is None:
        raise NotFoundError("There is no such item in your library.")
    if item.status not in WAITING_FOR_TEXT:
        raise NotWaitingForTextError(
            "This item does not need a text from you. Save the page without naming the item, and it is kept as you see "
            "it."
        )
    return item
