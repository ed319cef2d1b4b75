from datetime import datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, model_validator

from nexus.services.items import ItemStatus

PastedText = Annotated[
    str, Field(min_length=1, max_length=200_000, description="Kept word for word; must not be blank.")
]


class NewItem(BaseModel):
    """A link, a text, or both."""

    url: Annotated[str, Field(min_length=1, max_length=4096, description="An http or https link.")] | None = None
    pasted_text: PastedText | None = None
    prefer_pasted_text: bool = Field(False, description="With both given: keep the text, do not fetch the link.")

    @model_validator(mode="after")
    def _something(self) -> Self:
        if self.url is None and self.pasted_text is None:
            raise ValueError("give a url, a pasted_text, or both")
        return self


class Paste(BaseModel):
    pasted_text: PastedText


class SavedItem(BaseModel):
    id: UUID
    status: Literal["queued", "succeeded"]


class Item(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: UUID
    status: ItemStatus
    status_detail: str | None = Field(description="A sentence for a person where something needs explaining.")
    source_type: Literal["url", "pasted_text"]
    requested_url: str | None
    final_text_source: Literal["extracted_from_url", "user_pasted_text"] | None
    title: str | None
    created_at: datetime
    updated_at: datetime


class Content(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    user_pasted_text: str | None
    extracted_text: str | None
    canonical_text: str | None = Field(description="The text to use, once the item has succeeded.")
    updated_at: datetime


class ItemWithContent(Item):
    content: Content


class ItemList(BaseModel):
    items: list[Item]
    next_cursor: str | None = Field(description="Where the next page begins; null at the end.")
