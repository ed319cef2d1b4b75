"""An item's receipt: every attempt, what comes next, and what the user can do now."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, cast
from uuid import UUID

from sqlalchemy import Row, select, text
from sqlalchemy.orm import Session

from nexus.db.models import ExtractionAttempt, Item, ItemPaste, Media
from nexus.errors.attempts import explain
from nexus.services.items import ItemStatus, find_item
from nexus.services.lifecycle import can_retry, is_fetching_again
from nexus.services.lifecycle.records import AttemptMethod
from nexus.services.users import CurrentUser

Result = Literal["success", "error"]
Action = Literal["retry", "fetch_again", "keep", "paste", "open_original", "delete"]

# Counting stops there: whether it is number 10 001 or 2 000 000 makes no difference to anybody.
MAX_COUNTED_QUEUE = 10_000
# The items of all users that are due before this one. Workers are fair between users, so it may come sooner.
AHEAD = text("""
    SELECT count(*) FROM (
        SELECT FROM items AS other
        WHERE other.status = 'queued' AND other.source_type <> ''
          AND (other.priority, other.due_at, other.id) < (:priority, :due_at, :item_id)
        LIMIT :most
    ) AS ahead
""")
NOW = text("SELECT now()")


@dataclass(frozen=True)
class Attempt:
    number: int
    method: AttemptMethod
    started_at: datetime
    finished_at: datetime
    duration_ms: int
    result: Result
    http_status: int | None
    final_url: str | None
    bytes: int | None
    error_code: str | None
    reason: str | None


@dataclass(frozen=True)
class Receipt:
    item_id: UUID
    media_id: UUID
    status: ItemStatus
    status_detail: str | None
    requested_url: str | None
    queue_position: int | None
    next_attempt_at: datetime | None
    fetching_again: bool
    attempts: Sequence[Attempt]
    actions: Sequence[Action]
    waiting_text: str | None


def get_receipt(session: Session, user: CurrentUser, item_id: UUID) -> Receipt:
    item = find_item(session, user, item_id)
    media = session.get_one(Media, item.media_id)
    is_due = item.status == "queued" and item.due_at <= session.scalars(NOW).one()
    waiting = session.scalar(select(ItemPaste.user_pasted_text).where(ItemPaste.item_id == item_id))
    return Receipt(
        item_id=item.id,
        media_id=item.media_id,
        status=cast("ItemStatus", item.status),
        status_detail=item.status_detail,
        requested_url=item.requested_url,
        queue_position=_queue_position(session, item) if is_due else None,
        next_attempt_at=item.due_at if item.status == "queued" and not is_due else None,
        fetching_again=is_fetching_again(session, item_id),
        attempts=_attempts(session, item_id),
        actions=_actions(item, media),
        waiting_text=waiting if item.final_text_source is None else None,
    )


def _attempts(session: Session, item_id: UUID) -> list[Attempt]:
    query = select(ExtractionAttempt).where(ExtractionAttempt.item_id == item_id).order_by(ExtractionAttempt.number)
    return [_attempt(row) for row in session.scalars(query)]


def _attempt(row: ExtractionAttempt) -> Attempt:
    return Attempt(
        number=row.number,
        method=cast("AttemptMethod", row.method),
        started_at=row.started_at,
        finished_at=row.finished_at,
        duration_ms=row.duration_ms,
        result=cast("Result", row.result),
        http_status=row.http_status,
        final_url=row.final_url,
        bytes=row.content_length,
        error_code=row.error_code,
        reason=explain(row.error_code, row.error_detail) if row.error_code else None,
    )


def _actions(item: Item, media: Media) -> list[Action]:
    actions: list[Action] = []
    if can_retry(media.kind, media.processing_status, media.processing_attempts):
        actions.append("retry")
    if (
        media.kind == "web_article"
        and media.captured_url_key is None  # a page saved from a browser is not fetched
        and item.requested_url
        and media.processing_status in ("failed", "ready_for_reading")
    ):
        actions.append("fetch_again")
    if item.status == "needs_user_text":
        if media.processing_status == "ready_for_reading":
            actions.append("keep")
        actions.append("paste")
    if item.requested_url:
        actions.append("open_original")
    return [*actions, "delete"]


def _queue_position(session: Session, item: Item) -> int:
    values = {"priority": item.priority, "due_at": item.due_at, "item_id": item.id, "most": MAX_COUNTED_QUEUE}
    ahead: Row[Any] = session.execute(AHEAD, values).one()
    return int(ahead[0]) + 1
