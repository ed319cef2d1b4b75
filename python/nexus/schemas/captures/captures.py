from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from nexus.services.items import ItemStatus

MAX_URL_CHARS = 4096


class NewCapture(BaseModel):
    """A page as its user sees it."""

    model_config = ConfigDict(extra="forbid")

    url: str = Field(
        min_length=1, max_length=MAX_URL_CHARS, description="Its address: http or https. It is never fetched."
    )
    html: str = Field(min_length=1, description="The document as the browser shows it, with all its elements.")
    title: str | None = Field(None, max_length=1000, description="For a page that has no title of its own.")
    selection: str | None = Field(
        None, max_length=200_000, description="What is selected: becomes a highlight, or a note where it is not found."
    )
    lang: str | None = Field(None, max_length=100, description="For a page that does not say its language.")
    tags: list[Annotated[str, Field(max_length=1000)]] = Field([], max_length=100, description="Added to those it has.")
    note: str | None = Field(None, max_length=10_000, description="Added to the note it has.")
    item_id: UUID | None = Field(None, description="The item that waits for this page's text.")


class SavedCapture(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    item_id: UUID
    media_id: UUID
    status: ItemStatus | Literal["unchanged"] = Field(
        description="`succeeded`; `unchanged` where the user had the page with this very text; with the key of an "
        "earlier request, what became of that."
    )


class KnownPage(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    item_id: UUID | None
    media_id: UUID
    status: ItemStatus
    title: str
    highlights: int = Field(description="How many highlights this user has in it.")
    tags: list[str]
    note: str | None
    archived: bool


class Lookup(BaseModel):
    page: KnownPage | None = Field(description="Null where this user does not have the page.")
