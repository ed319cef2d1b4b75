from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, Field

from nexus.services.items import ItemStatus
from nexus.services.lifecycle.records import AttemptMethod
from nexus.services.receipts import Action, Result


class Attempt(BaseModel):
    number: int
    rung: AttemptMethod = Field(
        validation_alias="method",
        description="`static`: a plain fetch; `browser`: the page in a browser of the server; `captured`: the page as "
        "the user's own browser showed it.",
    )
    started_at: datetime
    finished_at: datetime
    duration_ms: int
    result: Result
    http_status: int | None
    final_url: str | None = Field(description="Where redirects led.")
    bytes: int | None = Field(description="Size of what the site sent.")
    error_code: str | None
    reason: str | None = Field(description="The error as a sentence for a person.")


class Receipt(BaseModel):
    """What happened to an item, and what can be done now."""

    item_id: UUID
    media_id: UUID
    status: ItemStatus
    status_detail: str | None
    requested_url: str | None
    queue_position: int | None = Field(
        description="1: at the latest the next one. Counted up to 10 001; null when it is not waiting for a worker."
    )
    next_attempt_at: datetime | None = Field(description="When the next attempt is due, while it waits for that.")
    fetching_again: bool = Field(description="Its page is being fetched again or waits for that; its text can be read.")
    attempts: list[Attempt]
    actions: list[Action]
    waiting_text: str | None = Field(description="The pasted text that waits in case the link cannot be read.")
