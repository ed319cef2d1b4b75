from pydantic import BaseModel, Field

from nexus.schemas.library import Entry


class Piece(BaseModel):
    text: str
    hit: bool = Field(description="These words match the query.")


class Place(BaseModel):
    """Where in the text it stands."""

    fragment_idx: int
    offset: int = Field(description="In the fragment's canonical_text, in Unicode code points.")
    start_ms: int | None = Field(description="When it is said, in a transcript.")


class Hit(BaseModel):
    entry: Entry
    title: list[Piece] = Field(description="The entry's title, with the matched words marked.")
    snippet: list[Piece] = Field(description="The words around it; empty when only the title or the site match.")
    place: Place | None = Field(description="Where the snippet is from.")


class SearchResults(BaseModel):
    hits: list[Hit]
    total: int | None = Field(description="How many there are in all; only with the first page.")
    next_cursor: str | None = Field(description="Where the next page begins; null at the end.")
