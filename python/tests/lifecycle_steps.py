"""Saves and attempts for tests, made by the functions that the API and the workers call."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from psycopg import Connection
from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.db.session import Database
from nexus.services import lifecycle
from nexus.services.library.library_lock import lock_library
from nexus.services.lifecycle import Article, AttemptRecord, Claim, Failure
from nexus.services.lifecycle.captures import CapturedText, WrittenCapture, write_capture
from nexus.services.receipts import get_receipt
from nexus.services.saving import SaveContext, save_link
from nexus.services.users import CurrentUser, ensure_user
from nexus.web.public_address import AllowList

URL = "https://example.org/story"
LONG = "Words that are worth keeping. " * 40
LOOPBACK = AllowList.parse(["127.0.0.0/8"])


def article(url: str = URL, words: str = LONG, **values: Any) -> Article:
    facts = {"html_sanitized": f"<p>{words}</p>", "title": "Story"} | values
    return Article(canonical_url=url, canonical_text=words, **facts)


def attempt_record(code: str | None = None, **values: Any) -> AttemptRecord:
    now = datetime.now(UTC)
    return AttemptRecord("static", now, now, error_code=code, **values)


class LifecycleSteps:
    """What users and workers do to one database, each in a transaction of its own."""

    def __init__(self, database: Database, connection: Connection) -> None:
        self.database = database
        self.connection = connection
        self.worker_id = uuid4()

    def user(self) -> CurrentUser:
        user_id = uuid4()
        with self.database.transaction() as session:
            return CurrentUser(user_id, ensure_user(session, user_id), is_operator=False)

    def save(self, user: CurrentUser, url: str = URL, *, max_attempts: int = 2, **values: Any) -> UUID:
        """`values` are columns with values they have later, such as `due_at` or `losses`."""
        with self.database.transaction() as session:
            saved = save_link(session, user, SaveContext(LOOPBACK, max_attempts, "test"), url)
            if values:
                columns = ", ".join(f"{name} = :{name}" for name in values)
                session.execute(text(f"UPDATE items SET {columns} WHERE id = :id"), values | {"id": saved.item_id})
        return saved.item_id

    def claim(self, limit: int = 1, worker_id: UUID | None = None, served: Sequence[UUID] = ()) -> list[Claim]:
        with self.database.transaction() as session:
            return lifecycle.claim(
                session, worker_id=worker_id or self.worker_id, limit=limit, lease_seconds=30, served=served
            )

    def claim_one(self) -> Claim:
        (claimed,) = self.claim()
        return claimed

    def succeed(
        self,
        claim: Claim,
        found: Article | None = None,
        *,
        min_chars: int = 600,
        attempts: tuple[AttemptRecord, ...] = (),
    ) -> str:
        with self.database.transaction() as session:
            outcome = lifecycle.Succeeded(claim, found or article(), attempts or (attempt_record(),))
            return lifecycle.settle(session, [outcome], min_chars=min_chars)[claim]

    def fail(
        self,
        claim: Claim,
        code: str = "http_404",
        detail: str = "It did not work.",
        *,
        attempts: tuple[AttemptRecord, ...] = (),
        **values: Any,
    ) -> str:
        with self.database.transaction() as session:
            outcome = lifecycle.Failed(claim, Failure(code, detail, **values), attempts or (attempt_record(code),))
            return lifecycle.settle(session, [outcome], min_chars=0)[claim]

    def succeed_item(self, item_id: UUID | str, words: str = "Hello there", **facts: Any) -> UUID:
        """Claim this item and settle it with an article, however short. Returns its media."""
        url = facts.pop("canonical_url", f"https://example.com/{uuid4()}")
        page = article(url, words, **{"title": "A title"} | facts)
        assert self.succeed(self._claim_item(item_id), page, min_chars=0) == "won"
        return self.media_of(item_id)

    def fail_item(self, item_id: UUID | str, code: str = "http_404", detail: str = "It could not be read.") -> None:
        """Claim this item and give up its page."""
        assert self.fail(self._claim_item(item_id), code, detail) == "failed"

    def merge_item(self, item_id: UUID | str, winner: UUID) -> UUID:
        """Claim this item and settle it with the page of another media. Returns the media that it had."""
        url, words = self.row(
            "SELECT canonical_url, canonical_text FROM media JOIN fragments ON media_id = media.id"
            " AND version = current_version WHERE media.id = :p0",
            winner,
        )
        loser = self.media_of(item_id)
        assert self.succeed(self._claim_item(item_id), article(url, words), min_chars=0) == "merged"
        return loser

    def exhaust_retries(self, item_id: UUID | str) -> None:
        """Counts three attempts at its page, after which nobody may have it tried again."""
        with self.database.transaction() as session:
            query = text("UPDATE media SET processing_attempts = 3 WHERE id = :id")
            session.execute(query, {"id": self.media_of(item_id)})

    def _claim_item(self, item_id: UUID | str) -> Claim:
        with self.database.transaction() as session:
            media_id = fetch_one(session, "SELECT media_id FROM items WHERE id = :p0", item_id)[0]
            claim = lifecycle.claim_media(session, media_id, worker_id=self.worker_id, lease_seconds=30)
        assert claim is not None, "it is not in the queue"
        return claim

    def expire_lease(self, item_id: UUID) -> None:
        """Ends the lease, as when its worker was killed."""
        with self.database.transaction() as session:
            session.execute(
                text("UPDATE items SET lease_until = now() - interval '1 s' WHERE id = :id AND status = 'processing'"),
                {"id": item_id},
            )

    def backdate_claim(self, item_id: UUID, minutes: int) -> None:
        """Dates the claim back, as when its worker renews the lease without end."""
        with self.database.transaction() as session:
            session.execute(
                text("UPDATE items SET claimed_at = claimed_at - make_interval(mins => :minutes) WHERE id = :id"),
                {"id": item_id, "minutes": minutes},
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

    def capture(
        self, user: CurrentUser, url: str = URL, words: str = LONG, item_id: UUID | None = None
    ) -> WrittenCapture:
        now = datetime.now(UTC)
        page = article(url, words, origin="captured")
        captured = CapturedText(url, page, AttemptRecord("captured", now, now), "captured", item_id=item_id)
        with self.database.transaction() as session:
            lock_library(session, user)
            return write_capture(session, user, captured)

    def retry(self, user: CurrentUser, media_id: UUID) -> None:
        with self.database.transaction() as session:
            lifecycle.retry_media(session, user, media_id)

    def fetch_again(self, user: CurrentUser, media_id: UUID) -> lifecycle.FetchAgain:
        with self.database.transaction() as session:
            return lifecycle.fetch_again(session, user, media_id, request_id="again")

    def reread(self, media_id: UUID, found: Article, version: int, *, min_chars: int = 600) -> str | None:
        """The original of a version is read again, with this result."""
        with self.database.transaction() as session:
            return lifecycle.reread(session, media_id, found, version=version, min_chars=min_chars)

    def backdate_fetches(self) -> None:
        """Dates fetches back by a minute, after which a page may be fetched again."""
        with self.database.transaction() as session:
            earlier = "UPDATE items SET fetched_again_at = fetched_again_at - interval '1 minute'"
            session.execute(text(f"{earlier} WHERE fetched_again_at IS NOT NULL"))

    def remove(self, user: CurrentUser, item_id: UUID) -> None:
        with self.database.transaction() as session:
            lifecycle.remove_item(session, user, item_id)

    def actions(self, user: CurrentUser, item_id: UUID) -> Sequence[str]:
        with self.database.transaction() as session:
            return get_receipt(session, user, item_id).actions

    def session(self) -> Any:
        return self.database.transaction()

    def row(self, query: str, *values: object) -> Any:
        with self.database.transaction() as session:
            return fetch_one(session, query, *values)

    def state(self, item_id: UUID) -> tuple[str, str]:
        row = self.row(
            "SELECT items.status, media.processing_status FROM items JOIN media ON media.id = media_id"
            " WHERE items.id = :p0",
            item_id,
        )
        return row[0], row[1]

    def media_of(self, item_id: UUID | str) -> UUID:
        found: UUID = self.row("SELECT media_id FROM items WHERE id = :p0", item_id)[0]
        return found

    def text_of(self, item_id: UUID) -> str:
        query = (
            "SELECT canonical_text FROM items JOIN media ON media.id = items.media_id JOIN fragments"
            " ON fragments.media_id = media.id AND version = current_version WHERE items.id = :p0"
        )
        found: str = self.row(query, item_id)[0]
        return found

    def make_due(self) -> None:
        with self.database.transaction() as session:
            session.execute(text("UPDATE items SET due_at = now() WHERE status = 'queued'"))


def fetch_one(session: Session, query: str, *values: object) -> Any:
    row = session.execute(text(query), {f"p{index}": value for index, value in enumerate(values)}).one_or_none()
    return tuple(row) if row else None
