"""Items: save, list, read, paste, keep, remove."""

from typing import Annotated
from uuid import UUID

from fastapi import Query

from nexus.http.dependencies import SessionDep
from nexus.http.identity import UserDep
from nexus.http.save_context import ItemsContext
from nexus.routes.client_time import ClientTime
from nexus.routes.routers import api_router
from nexus.schemas.errors import problems
from nexus.schemas.items import Content, Item, ItemList, ItemWithContent, NewItem, Paste, SavedItem
from nexus.services import items, lifecycle
from nexus.services.saving import save_item

router = api_router("/items", tag="items")

Limit = Annotated[int, Query(ge=1, le=100)]
Cursor = Annotated[str | None, Query(description="The next_cursor of the page before.")]


@router.post("", responses=problems(401, 403, 413, 422, 503))
def save(body: NewItem, session: SessionDep, user: UserDep, context: ItemsContext) -> SavedItem:
    """Save a link to be read, or a text as it is. The response is sent before anything is fetched."""
    saved = save_item(
        session, user, context, url=body.url, pasted=body.pasted_text, prefer_pasted=body.prefer_pasted_text
    )
    # A link whose text was too short keeps its status and that text while its page is fetched again.
    return SavedItem(id=saved.item_id, status="succeeded" if saved.status == "succeeded" else "queued")


@router.get("", summary="List Items", responses=problems(401, 422, 503))
def list_(session: SessionDep, user: UserDep, limit: Limit = 20, cursor: Cursor = None) -> ItemList:
    """The user's items, newest first. Items that are saved meanwhile do not shift the pages."""
    page = items.list_items(session, user, limit=limit, cursor=cursor)
    return ItemList(items=[Item.model_validate(item) for item in page.items], next_cursor=page.next_cursor)


@router.get("/{item_id}", responses=problems(401, 404, 422, 503))
def read(item_id: UUID, session: SessionDep, user: UserDep, include_content: bool = False) -> ItemWithContent | Item:
    """One item, on request with its texts."""
    if include_content:
        return _with_content(session, user, item_id)
    return Item.model_validate(items.get_item(session, user, item_id))


@router.patch("/{item_id}/text", responses=problems(401, 403, 404, 409, 413, 422, 503))
def paste(item_id: UUID, body: Paste, session: SessionDep, user: UserDep) -> ItemWithContent:
    """Give the text of a page that could not be read; only while the item needs it."""
    lifecycle.paste_text(session, user, item_id, body.pasted_text)
    return _with_content(session, user, item_id)


@router.post("/{item_id}/keep", responses=problems(401, 403, 404, 409, 413, 422, 503))
def keep(item_id: UUID, session: SessionDep, user: UserDep) -> ItemWithContent:
    """Keep the short text of a page as it is; only while the item needs text and some was read."""
    lifecycle.keep_text(session, user, item_id)
    return _with_content(session, user, item_id)


@router.delete("/{item_id}", status_code=204, responses=problems(401, 403, 404, 409, 413, 422, 503))
def remove(item_id: UUID, session: SessionDep, user: UserDep, client_time: ClientTime = None) -> None:
    """Remove an item from the user's library. Others who saved the same page keep theirs."""
    lifecycle.remove_item(session, user, item_id, client_time)


def _with_content(session: SessionDep, user: UserDep, item_id: UUID) -> ItemWithContent:
    item, content = items.get_item_with_content(session, user, item_id)
    plain = Item.model_validate(item).model_dump()
    return ItemWithContent(**plain, content=Content.model_validate(content))
