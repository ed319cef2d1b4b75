from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from nexus.services.imports.details import ImportOptions, Status
from nexus.services.imports.rows.apply_rows import RowOutcome
from nexus.services.items import ItemStatus


class ImportedFile(BaseModel):
    name: str
    size: int = Field(description="In bytes.")


class Counts(BaseModel):
    """What is in the files."""

    items: int = 0
    feeds: int = 0
    highlights: int = 0
    with_content: int = Field(0, description="Items whose text came along.")
    feed_items: int = Field(0, description="Among the items: of subscriptions, left out unless they are asked for.")
    problems: int = Field(0, description="Rows that cannot be imported.")
    files: int = 0


class PreviewRow(BaseModel):
    file: str
    line: int
    url: str | None
    title: str | None
    saved_at: datetime | None
    tags: list[str]
    archived: bool | None = Field(description="Null, as in `starred` and `read`: the files do not say.")
    starred: bool | None
    read: bool | None
    progress: float | None = Field(description="From 0 to 1.")
    highlights: int
    has_content: bool


class Problem(BaseModel):
    file: str
    line: int
    url: str | None = None
    code: str
    message: str


class Outcomes(BaseModel):
    """Rows by what became of them."""

    added: int
    merged: int = Field(description="Already there; tags, state or highlights were added to it.")
    unchanged: int
    failed: int
    waiting: int


class Fetching(BaseModel):
    """The items that it added, by status."""

    queued: int
    processing: int
    succeeded: int
    needs_user_text: int
    failed: int


class Options(BaseModel):
    model_config = ConfigDict(extra="forbid", from_attributes=True)

    fetch: bool = Field(True, description="Fetch the pages of links. False: only texts that came along are read.")
    include_feed_items: bool = Field(False, description="Also what subscriptions brought and nobody saved.")

    def as_options(self) -> ImportOptions:
        return ImportOptions(fetch=self.fetch, include_feed_items=self.include_feed_items)


class Start(BaseModel):
    model_config = ConfigDict(extra="forbid")

    options: Options = Field(default_factory=Options.model_construct)


class ListedImport(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: UUID
    status: Status
    source: str = Field(description="The program whose export it is; several are joined with `+`.")
    label: str
    files: list[ImportedFile] = Field(description="The first 100.")
    total: int = Field(description="Rows, with those that cannot be imported.")
    counts: Counts
    outcomes: Outcomes
    fetching: Fetching
    rate_per_second: float | None = Field(
        description="Over the last minute: of rows while it is running, then of pages until all are fetched."
    )
    seconds_left: int | None = Field(description="At `rate_per_second`.")
    options: Options
    message: str | None = Field(description="Why it ended by itself.")
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class Import(ListedImport):
    rows: list[PreviewRow] = Field(description="The first 20.")
    problems: list[Problem] = Field(description="The first 100 rows that cannot be imported.")


class ImportPage(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    imports: list[ListedImport]
    next_cursor: str | None


class ImportRow(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    number: int = Field(description="The row's number in the import, from 0.")
    file: str
    line: int
    url: str | None
    title: str | None
    outcome: RowOutcome | None = Field(description="Null: not applied yet.")
    code: str | None
    message: str | None
    item_id: UUID | None
    media_id: UUID | None
    item_status: ItemStatus | None = Field(
        description="The current status of the row's item; null: it no longer has one."
    )


class RowPage(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    rows: list[ImportRow]
    next_cursor: str | None
