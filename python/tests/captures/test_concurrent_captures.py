"""Captures while others change the same rows: each is written whole or not at all, without a deadlock."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from uuid import UUID

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.errors import NotFoundError, NotWaitingForTextError
from nexus.services import lifecycle
from nexus.services.lifecycle import Claim, Succeeded
from nexus.services.lifecycle.captures import capture_writer
from nexus.services.users import CurrentUser
from tests.blocked_statements import blocked, wait_until_blocked
from tests.db.invariants import violations
from tests.lifecycle_steps import URL, LifecycleSteps, article, attempt_record
from tests.processes import eventually

WAITING_FOR_URLS = text("""
    SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE locktype = 'advisory' AND NOT granted AND datname = current_database()
""")
TABLES = ("items", "media", "media_versions", "fragments", "library_media", "media_aliases", "extraction_attempts")


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as pool:
        yield pool


def waiting_for_urls(steps: LifecycleSteps) -> int:
    with steps.session() as session:
        return session.scalar(WAITING_FOR_URLS) or 0


def settle(session: Session, claim: Claim) -> None:
    lifecycle.settle(session, [Succeeded(claim, article(), (attempt_record(),))], min_chars=600)


def everything(steps: LifecycleSteps) -> list[object]:
    with steps.session() as session:
        return [session.execute(text(f"SELECT * FROM {table} ORDER BY 1, 2")).all() for table in TABLES]


def test_a_capture_that_dies_at_any_step_leaves_nothing(steps: LifecycleSteps, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is one transaction: what is interrupted before the commit leaves nothing, whichever part was written."""
    user = steps.user()
    item = steps.save(user)
    steps.succeed(steps.claim_one())
    before = everything(steps)
    for step in ("write_texts", "replace_entry", "remove_entry", "write_receipts"):
        with monkeypatch.context() as patch:
            done = getattr(capture_writer, step)

            def die(*given: object, done: object = done, **named: object) -> None:
                done(*given, **named)  # type: ignore[operator]
                raise KeyboardInterrupt

            patch.setattr(capture_writer, step, die)
            with suppress(KeyboardInterrupt):
                steps.capture(user)
        assert everything(steps) == before, step
    assert steps.capture(user).item_id == item


def test_two_captures_of_one_page_at_once(steps: LifecycleSteps, connection: psycopg.Connection) -> None:
    user = steps.user()
    with ThreadPoolExecutor(6) as pool:
        written = list(pool.map(lambda number: steps.capture(user, words=f"Words {number % 2}. " * 9), range(6)))
    assert len({(each.item_id, each.media_id) for each in written}) == 1
    assert violations(connection) == set()


def test_one_item_is_filled_once(steps: LifecycleSteps, connection: psycopg.Connection) -> None:
    user = steps.user()
    item = steps.save(user)
    steps.fail(steps.claim_one())

    def fill(number: int) -> bool:
        try:
            if number % 2:
                steps.paste(user, item)
            else:
                steps.capture(user, item_id=item)
        except NotWaitingForTextError:
            return False
        return True

    with ThreadPoolExecutor(6) as pool:
        assert sorted(pool.map(fill, range(6))) == [False] * 5 + [True]
    assert violations(connection) == set()


def test_text_of_the_same_page_is_read_while_the_capture_waits(
    steps: LifecycleSteps, threads: ThreadPoolExecutor
) -> None:
    """A worker holds a media that it read and needs the owner of the URL; the user's capture needs all of them."""
    user = steps.user()
    for _ in range(3):
        steps.save(user)
    owner, between, last = sorted(steps.claim(limit=3), key=lambda claim: claim.media_id)
    with steps.session() as other:
        other.execute(text("SELECT FROM media WHERE id = :id FOR UPDATE"), {"id": between.media_id})
        with steps.session() as reading:
            settle(reading, owner)
            capturing = threads.submit(steps.capture, user)
            wait_until_blocked(steps.database)  # for what is being read
            settling = threads.submit(steps.succeed, last)
            wait_until_blocked(steps.database, 2)
        eventually(lambda: not waiting_for_urls(steps), "the worker waits for the page that was read")
        eventually(lambda: settling.done() or blocked(steps.database) == 2, "the worker gets or waits for the owner")
    written = capturing.result()
    assert settling.result() in {"lost_lease", "merged"}  # whichever of the two had the owner first
    assert steps.row("SELECT array_agg(DISTINCT media_id) FROM items") == ([written.media_id],)


def test_beside_workers_that_read_and_users_who_remove(steps: LifecycleSteps, connection: psycopg.Connection) -> None:
    """The same page, saved, fetched, captured and removed by two users at the same time."""
    users = [steps.user() for _ in range(2)]

    def work(number: int) -> None:
        user, step = users[number % 2], number // 2 % 4
        if step == 0:
            steps.save(user)
        elif step == 1:
            for claim in steps.claim(limit=2):
                steps.succeed(claim, article(words=f"Fetched {number}. " * 60))
        elif step == 2:
            steps.capture(user, words=f"Seen {number}. " * 60)
        else:
            remove_newest(user)

    def remove_newest(user: CurrentUser) -> None:
        found = steps.row("SELECT id FROM items WHERE user_id = :p0 AND fetch_again_of IS NULL LIMIT 1", user.user_id)
        with suppress(NotFoundError):
            if found:
                steps.remove(user, UUID(str(found[0])))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(96)))
    assert violations(connection) == set()
    steps.capture(users[0], URL)
