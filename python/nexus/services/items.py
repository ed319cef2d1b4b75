"""A user's items, newest first."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple, cast
from uuid import UUID

from sqlalchemy import select, text, tuple_
from sqlalchemy.orm import Session

from nexus.db.models import Item
from nexus.errors import NotFoundError
from nexus.services.cursors import ListPosition, read_cursor, write_cursor
from nexus.services.users import CurrentUser

ItemStatus = Literal["queued", "processing", "succeeded", "needs_user_text", "failed"]
SourceType = Literal["url", "pasted_text"]
TextSource = Literal["extracted_from_url", "user_pasted_text"]

CURSOR = "items"
CONTENT = text("""
    SELECT user_pasted_text, extracted_text, canonical_text, updated_at FROM item_content WHERE item_id = :item_id
""")


@dataclass(frozen=True)
class ItemDetails:
    id: UUID
    status: ItemStatus
    status_detail: str | None
    source_type: SourceType
    requested_url: str | None
    final_text_source: TextSource | None
    title: str | None
    created_at: datetime
    updated_at: datetime


class Content(NamedTuple):
    user_pasted_text: str | None
    extracted_text: str | None
    canonical_text: str | None
    updated_at: datetime


@dataclass(frozen=True)
class ItemPage:
    items: Sequence[ItemDetails]
    next_cursor: str | None


def list_items(session: Session, user: CurrentUser, *, limit: int, cursor: str | None) -> ItemPage:
    query = select(Item).where(Item.user_id == user.user_id, Item.fetch_again_of.is_(None))
    if cursor is not None:
        query = query.where(tuple_(Item.created_at, Item.id) < tuple_(*read_cursor(CURSOR, cursor)))
    # One more than the limit shows whether there is a next page.
    found = session.scalars(query.order_by(Item.created_at.desc(), Item.id.desc()).limit(limit + 1)).all()
    last = found[limit - 1] if len(found) > limit else None
    items = [_item(row) for row in found[:limit]]
    return ItemPage(items, write_cursor(CURSOR, ListPosition(last.created_at, last.id)) if last else None)


def get_item(session: Session, user: CurrentUser, item_id: UUID) -> ItemDetails:
    return _item(find_item(session, user, item_id))


def find_item(session: Session, user: CurrentUser, item_id: UUID) -> Item:
    """Its row, for other services."""
    item = session.scalar(
        select(Item)
        .where(Item.id == item_id, Item.user_id == user.user_id, Item.fetch_again_of.is_(None))
        # The lifecycle writes with SQL of its own, past the objects of this session.
        .execution_options(populate_existing=True)
    )
    if item is None:
        raise NotFoundError("There is no such item in your library.")
    return item


def get_item_with_content(session: Session, user: CurrentUser, item_id: UUID) -> tuple[ItemDetails, Content]:
    item = get_item(session, user, item_id)
    return item, Content(*session.execute(CONTENT, {"item_id": item_id}).one())


def _item(row: Item) -> ItemDetails:
    return ItemDetails(
        id=row.id,
        status=cast("ItemStatus", row.status),
        status_detail=row.status_detail,
        source_type=cast("SourceType", row.source_type),
        requested_url=row.requested_url,
        final_text_source=cast("TextSource | None", row.final_text_source),
        title=row.title,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
