from datetime import UTC, datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from nexus.schemas.exports.exports import Query
from nexus.schemas.library import ClientTimestamp, PatchBody
from nexus.services.exports.formats.format_name import FormatName

YEARS = range(2000, 2200)


def _sensible(at: datetime) -> datetime:
    if at.year not in YEARS:
        raise ValueError(f"a time between {YEARS.start} and {YEARS.stop} is needed")
    return at


def _as_whole(number: Any) -> Any:
    """In JSON, 5.0 is an integer too."""
    return int(number) if isinstance(number, float) and number.is_integer() else number


Every = Literal["daily", "weekly", "monthly"]
Destination = Literal["store", "folder"]
Keep = Annotated[int, Field(strict=True, ge=1, le=100), BeforeValidator(_as_whole)]
NextAt = Annotated[ClientTimestamp, AfterValidator(_sensible)]


class ExportSchedule(BaseModel):
    id: UUID
    format: FormatName
    query: str | None
    every: Every
    keep: int
    destination: Destination
    next_at: datetime
    last_export_id: UUID | None = Field(description="The newest export that it made.")
    last_error: str | None = Field(description="Why the last one failed; null after one that did not.")
    created_at: datetime


class ExportSchedules(BaseModel):
    schedules: list[ExportSchedule]


class NewExportSchedule(BaseModel):
    model_config = ConfigDict(extra="forbid")

    format: FormatName
    query: Query | None = Field(None, description="Only what a search for this finds at that time.")
    every: Every
    keep: Keep = Field(5, description="How many of its files are kept; older ones are removed.")
    destination: Destination = Field("store", description="`folder`: below NEXUS_EXPORT_DIR of the server.")
    next_at: NextAt | None = Field(
        None, description="When the first export is made, from which the next ones are counted; null: now."
    )


class ExportScheduleChanges(PatchBody):
    """Only what is given is changed."""

    format: FormatName = "markdown"
    query: Query | None = None
    every: Every = "daily"
    keep: Keep = 5
    destination: Destination = "store"
    next_at: NextAt = datetime.min.replace(tzinfo=UTC)
