from datetime import date, datetime
from typing import Annotated, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, model_validator

from nexus.schemas.library import ClientTimestamp, PatchBody, Tags
from nexus.schemas.positions import MAX_INDEX, Fragment, Offset
from nexus.services.capabilities import Kind
from nexus.services.highlights.anchors import RequestedAnchor
from nexus.services.highlights.changes import HighlightUpdate, NewHighlight
from nexus.services.highlights.records import MAX_NOTE_CHARS, MAX_QUOTE_CHARS, State
from nexus.text.quotes.colors import HighlightColor
from nexus.text.quotes.joined_text import CONTEXT_CHARS, Point

Quote = Annotated[
    str,
    Field(
        max_length=MAX_QUOTE_CHARS,
        description="The text from start to end; the parts of several fragments with a line feed between them.",
    ),
]
Note = Annotated[str | None, Field(max_length=MAX_NOTE_CHARS, description="The user's own words; blank or null: none.")]
Context = Annotated[str, Field(max_length=CONTEXT_CHARS)]
Version = Annotated[
    int, Field(strict=True, ge=1, le=MAX_INDEX, description="The version of the text that the offsets are in.")
]
ClientTime = Annotated[
    ClientTimestamp | None,
    Field(
        description="When the user decided this, if it is sent later: what was decided after it is kept. Left out: now."
    ),
]


class HighlightPoint(BaseModel):
    model_config = ConfigDict(extra="forbid", from_attributes=True)

    fragment_idx: Fragment
    offset: Offset


class NewHighlightBody(BaseModel):
    """A quote that is not at these offsets is looked for in the current text, with its context."""

    model_config = ConfigDict(extra="forbid")

    id: UUID | None = Field(
        None,
        description="Made by the client, so that a request sent twice makes one highlight. Left out: by the server.",
    )
    version: Version
    start: HighlightPoint
    end: HighlightPoint = Field(description="Not included; not before the start.")
    quote: Quote | None = None
    prefix: Context = Field("", description="What is before the quote.")
    suffix: Context = Field("", description="What is after it.")
    color: HighlightColor = "yellow"
    note: Note = None
    tags: Tags = []
    client_time: ClientTime = None

    def as_new(self) -> NewHighlight:
        anchor = requested_anchor(self.version, self.start, self.end, self.quote, self.prefix, self.suffix)
        return NewHighlight(anchor, self.color, self.note, self.tags, self.id, self.client_time)


class HighlightChanges(PatchBody):
    """Only what is given is changed. `version`, `start` and `end` together attach it to another passage."""

    color: HighlightColor = "yellow"
    note: Note = None
    tags: Tags = Field([], description="All of its tags: those that are not given are removed.")
    version: Version | None = None
    start: HighlightPoint | None = None
    end: HighlightPoint | None = None
    quote: Quote | None = None
    prefix: Context = ""
    suffix: Context = ""
    client_time: ClientTime = None

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if len({part is None for part in (self.version, self.start, self.end)}) > 1:
            raise ValueError("version, start and end come together")
        return self

    def as_changes(self) -> HighlightUpdate:
        given = self.model_fields_set
        anchor = None
        if self.version is not None and self.start is not None and self.end is not None:
            anchor = requested_anchor(self.version, self.start, self.end, self.quote, self.prefix, self.suffix)
        return HighlightUpdate(
            set=self.model_dump(include=given & {"color", "note"}),
            tags=self.tags if "tags" in given else None,
            anchor=anchor,
            client_time=self.client_time,
        )


def requested_anchor(
    version: int, start: HighlightPoint, end: HighlightPoint, quote: str | None, prefix: str, suffix: str
) -> RequestedAnchor:
    first, last = Point(start.fragment_idx, start.offset), Point(end.fragment_idx, end.offset)
    return RequestedAnchor(version, first, last, quote, prefix, suffix)


class Highlight(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: UUID
    media_id: UUID
    version: int | None = Field(
        description="The version whose text `start` and `end` are in: the current one where it is attached, else the "
        "one it was last attached to. Null: that text is gone, because the media was merged with another."
    )
    start: HighlightPoint
    end: HighlightPoint
    quote: str = Field(description="As it was marked; a later version may have slightly other words there.")
    prefix: str = Field(description="Up to 64 characters before it.")
    suffix: str = Field(description="Up to 64 characters after it.")
    start_ms: int | None = Field(description="In a transcript: when the fragment begins that it begins in.")
    color: HighlightColor
    note: str | None
    tags: list[str] = Field(description="The names of its tags, sorted.")
    state: State = Field(description="`orphaned`: the current text has nothing that is similar enough.")
    created_at: datetime
    updated_at: datetime
    seen_at: datetime | None = Field(description="When it was last marked as seen in a review.")


class MarkedMedia(BaseModel):
    """The media that a highlight is in."""

    model_config = ConfigDict(from_attributes=True)

    kind: Kind
    title: str = Field(description="As the library shows it.")
    byline: str | None
    site_name: str | None
    url: str | None = Field(description="The page; null: a pasted text.")


class ListedHighlight(Highlight):
    media: MarkedMedia


class HighlightPage(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    highlights: list[ListedHighlight]
    next_cursor: str | None = Field(description="Where the next page begins; null at the end.")


class Review(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    day: date
    highlights: list[ListedHighlight] = Field(description="At most five, the same all day.")
