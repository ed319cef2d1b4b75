"""The daily review: five older highlights, the same all day.

In rounds: each is shown once before any is shown again. One that was shown and not marked as seen comes after those of
its round that were not shown yet; once seen, it is in the next round.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.errors import InvalidDayError
from nexus.services.highlights.listing import WITH_MEDIA, ListedHighlight, listed
from nexus.services.highlights.records import Highlight, get_highlight, notify_highlights
from nexus.services.library.library_lock import lock_library
from nexus.services.users import CurrentUser

PER_DAY = 5

IS_PICKED = text("SELECT EXISTS (SELECT FROM highlight_reviews WHERE library_id = :library_id AND day = :day)")
# Not those that are just being removed, with others of their text: two who lock several wait for each other.
PICK = text("""
    WITH picked AS MATERIALIZED (
        SELECT id, review_round, review_order FROM highlights
        WHERE library_id = :library_id AND deleted_at IS NULL AND created_at < :begin
        ORDER BY review_round, review_order LIMIT :limit FOR NO KEY UPDATE SKIP LOCKED
    ), added AS (
        INSERT INTO highlight_reviews (library_id, day, number, highlight_id)
        SELECT :library_id, :day, row_number() OVER (ORDER BY review_round, review_order), id FROM picked
    )
    UPDATE highlights SET review_order = floor(highlights.review_order) + 1 + random()
    FROM picked WHERE highlights.library_id = :library_id AND highlights.id = picked.id
""")
DELETE = text("DELETE FROM highlight_reviews WHERE library_id = :library_id AND day < :day - 7")
PICKED = text(f"""
    WITH page AS (
        SELECT highlight_id AS id, number, '' AS title_key FROM highlight_reviews
        WHERE library_id = :library_id AND day = :day
    ) {WITH_MEDIA} WHERE highlight.deleted_at IS NULL ORDER BY page.number
""")  # noqa: S608 - our own constant
# Once for one review, however often it is sent.
SEEN = text("""
    UPDATE highlights SET seen_at = now(), review_round = review_round + 1, review_order = random()
    WHERE library_id = :library_id AND id = :id AND deleted_at IS NULL
      AND coalesce(seen_at, '-infinity') < now() - interval '12 hours'
    RETURNING media_id
""")


@dataclass(frozen=True)
class Review:
    day: date
    highlights: Sequence[ListedHighlight]


def get_review(session: Session, user: CurrentUser, day: date | None = None) -> Review:
    """`day`: as the user's clock has it."""
    today = datetime.now(UTC).date()
    day = day or today
    if abs((day - today).days) > 1:
        raise InvalidDayError("The day must be today in some time zone.")
    lock_library(session, user)
    begin = datetime(day.year, day.month, day.day, tzinfo=UTC)
    values = {"library_id": user.default_library_id, "user_id": user.user_id, "day": day}
    if not session.scalar(IS_PICKED, values):
        session.execute(PICK, values | {"begin": begin, "limit": PER_DAY})
        session.execute(DELETE, values)
    return Review(day, [listed(row) for row in session.execute(PICKED, values)])


def mark_seen(session: Session, user: CurrentUser, highlight_id: UUID) -> Highlight:
    lock_library(session, user)
    media_id = session.scalar(SEEN, {"library_id": user.default_library_id, "id": highlight_id})
    if media_id is not None:
        notify_highlights(session, user.user_id, media_id)
    return get_highlight(session, user, highlight_id)
