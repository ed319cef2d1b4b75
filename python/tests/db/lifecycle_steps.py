"""Saves and attempts for tests of the lifecycle, made the way the doors and workers make them."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from psycopg import Connection
from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.db.session import Database
from nexus.services import lifecycle
from nexus.services.capture import SaveContext, save_link
from nexus.services.lifecycle import Article, AttemptRecord, Claim, Failure
from nexus.services.receipts import get_receipt
from nexus.services.users import CurrentUser, ensure_user
from nexus.web.public_address import AllowList
from tests import factories as make

URL = "https://example.org/story"
LONG = "Words that are worth keeping. " * 40


def article(url: str = URL, words: str = LONG, **values: Any) -> Article:
    return Article(canonical_url=url, html_sanitized=f"<p>{words}</p>", canonical_text=words, title="Story", **values)


def line(code: str | None = None, **values: Any) -> AttemptRecord:
    now = datetime.now(UTC)
    return AttemptRecord("static", now, now, error_code=code, **values)


class LifecycleSteps:
    """One database, seen by people and by workers."""

    def __init__(self, database: Database, connection: Connection) -> None:
        self.database = database
        self.connection = connection
        self.worker_id = uuid4()

    def user(self) -> CurrentUser:
        user_id = uuid4()
        with self.database.transaction() as session:
            return CurrentUser(user_id, ensure_user(session, user_id), is_operator=False)

    def save(self, user: CurrentUser, *, max_attempts: int = 2, **values: Any) -> UUID:
        db = self.connection
        media_id = make.media(db, created_by_user_id=user.user_id, requested_url=URL)
        make.insert(db, "library_media", library_id=user.default_library_id, media_id=media_id)
        item = make.item(db, user_id=user.user_id, media_id=media_id, max_attempts=max_attempts, **values)
        db.commit()
        return item

    def claim(self, limit: int = 1, worker_id: UUID | None = None, served: Sequence[UUID] = ()) -> list[Claim]:
        with self.database.transaction() as session:
            return lifecycle.claim(
                session, worker_id=worker_id or self.worker_id, limit=limit, lease_seconds=30, served=served
            )

    def claim_one(self) -> Claim:
        (claimed,) = self.claim()
        return claimed

    def succeed(self, claim: Claim, found: Article | None = None, *, min_chars: int = 600) -> str:
        with self.database.transaction() as session:
            outcome = lifecycle.Succeeded(claim, found or article(), (line(),))
            return lifecycle.settle(session, [outcome], min_chars=min_chars)[claim]

    def fail(self, claim: Claim, code: str = "http_404", **values: Any) -> str:
        failure = Failure(code, "It did not work.", **values)
        with self.database.transaction() as session:
            return lifecycle.settle(session, [lifecycle.Failed(claim, failure, (line(code),))], min_chars=0)[claim]

    def lose(self, claim: Claim) -> None:
        """The worker is gone, and its lease runs out."""
        with self.database.transaction() as session:
            session.execute(
                text("UPDATE items SET lease_until = now() - interval '1 s' WHERE id = :id AND status = 'processing'"),
                {"id": claim.item_id},
            )

    def sweep(self) -> int:
        with self.database.transaction() as session:
            return lifecycle.requeue_lost_items(session, stale_minutes=15)

    def paste(self, user: CurrentUser, item_id: UUID, words: str = LONG) -> None:
        with self.database.transaction() as session:
            lifecycle.paste_text(session, user, item_id, words)

    def keep(self, user: CurrentUser, item_id: UUID) -> None:
        with self.database.transaction() as session:
            lifecycle.keep_text(session, user, item_id)

    def retry(self, user: CurrentUser, media_id: UUID) -> None:
        with self.database.transaction() as session:
            lifecycle.retry_media(session, user, media_id)

    def fetch_again(self, user: CurrentUser, media_id: UUID) -> lifecycle.FetchAgain:
        with self.database.transaction() as session:
            return lifecycle.fetch_again(session, user, media_id, request_id="again")

    def wait_a_minute(self) -> None:
        """Since a page was fetched again."""
        with self.database.transaction() as session:
            earlier = "UPDATE items SET fetched_again_at = fetched_again_at - interval '1 minute'"
            session.execute(text(f"{earlier} WHERE fetched_again_at IS NOT NULL"))

    def save_again(self, user: CurrentUser, url: str = URL) -> UUID:
        with self.database.transaction() as session:
            return save_link(session, user, SaveContext(AllowList(), 1, "again"), url).item_id

    def remove(self, user: CurrentUser, item_id: UUID) -> None:
        with self.database.transaction() as session:
            lifecycle.remove_item(session, user, item_id)

    def actions(self, user: CurrentUser, item_id: UUID) -> Sequence[str]:
        """What the user is offered to do."""
        with self.database.transaction() as session:
            return get_receipt(session, user, item_id).actions

    def session(self) -> Any:
        return self.database.transaction()

    def one(self, query: str, *values: object) -> Any:
        with self.database.transaction() as session:
            return fetch_one(session, query, *values)

    def state(self, item_id: UUID) -> tuple[str, str]:
        row = self.one(
            "SELECT items.status, media.processing_status FROM items JOIN media ON media.id = media_id"
            " WHERE items.id = :p0",
            item_id,
        )
        return row[0], row[1]

    def media_of(self, item_id: UUID) -> UUID:
        found: UUID = self.one("SELECT media_id FROM items WHERE id = :p0", item_id)[0]
        return found

    def text_of(self, item_id: UUID) -> str:
        query = "SELECT canonical_text FROM fragments JOIN items USING (media_id) WHERE items.id = :p0"
        found: str = self.one(query, item_id)[0]
        return found

    def make_due(self) -> None:
        with self.database.transaction() as session:
            session.execute(text("UPDATE items SET due_at = now() WHERE status = 'queued'"))


def fetch_one(session: Session, query: str, *values: object) -> Any:
    row = session.execute(text(query), {f"p{place}": value for place, value in enumerate(values)}).one_or_none()
    return tuple(row) if row else None
