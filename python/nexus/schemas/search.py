from typing import Literal

from pydantic import BaseModel, Field

from nexus.schemas.library import Entry


class TextPart(BaseModel):
    text: str
    hit: bool = Field(description="These words match the query.")


class Location(BaseModel):
    """A position in the text."""

    fragment_idx: int
    offset: int = Field(description="In the fragment's canonical_text, in Unicode code points.")
    start_ms: int | None = Field(description="When it is spoken, in a transcript.")


class Hit(BaseModel):
    entry: Entry
    title: list[TextPart] = Field(description="The entry's title, with the matched words marked.")
    snippet: list[TextPart] = Field(
        description="The words around it, of the text or of the user's note; empty when neither matches."
    )
    place: Location | None = Field(description="Where in the text the snippet is from; null for one of a note.")


class Facet(BaseModel):
    value: str
    count: int


class Facets(BaseModel):
    """How many of all hits have each value, the most frequent first, at most 20 of each; years from the latest on."""

    kind: list[Facet]
    site: list[Facet]
    tag: list[Facet]
    year: list[Facet] = Field(description="The years in which the hits were saved.")


class IndexState(BaseModel):
    state: Literal["ready", "building"] = Field(
        description="`building`: the search index is being built, and finds `done` of `total` entries so far."
    )
    done: int
    total: int


class SearchResults(BaseModel):
    hits: list[Hit]
    total: int | None = Field(description="How many there are in all; only with the first page.")
    total_is_about: bool = Field(description="The number may be a little off.")
    corrected: dict[str, str] = Field(
        description="Misspelt words of the query, and the nearest word to each, which was searched as well."
    )
    facets: Facets | None = Field(description="Only with the first page.")
    next_cursor: str | None = Field(description="Where the next page begins; null at the end.")
    index: IndexState


class TextHit(BaseModel):
    """In Unicode code points of the fragment's canonical_text."""

    fragment_idx: int
    start: int
    end: int


class TextHits(BaseModel):
    version: int | None = Field(
        description="The version of the text that the hits are in, which is the current one; null without a text."
    )
    hits: list[TextHit]
    is_complete: bool = Field(description="False: there are more, after the first 2 000 or in the rest of a long text.")


class Related(BaseModel):
    entries: list[Entry]


class Suggestion(BaseModel):
    operator: str
    value: str = Field(description="Empty: the suggestion is the operator itself, and its value is typed next.")
    count: int | None = Field(description="Of entries; null for what is not counted.")
    q: str = Field(description="The whole query, completed with this suggestion.")


class Suggestions(BaseModel):
    suggestions: list[Suggestion]
