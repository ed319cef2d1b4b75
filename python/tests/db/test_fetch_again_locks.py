"""Settling a fetch, changes by the user and the sweep lock the same rows without a deadlock."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.services import lifecycle
from nexus.services.lifecycle import Claim, Failed, Failure, Outcome, Result, Succeeded
from nexus.services.saving import SaveContext, save_link
from nexus.services.users import CurrentUser
from nexus.web.public_address import AllowList
from tests.blocked_statements import blocked, wait_until_blocked
from tests.lifecycle_steps import LONG, URL, LifecycleSteps, article, attempt_record
from tests.processes import eventually

SHORT = "A cookie banner and nothing else."
OTHER_URL = "https://example.org/other"

Action = Callable[[Session, CurrentUser, UUID], object]


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as pool:
        yield pool


def settle(steps: LifecycleSteps, *outcomes: Outcome) -> list[Result]:
    with steps.session() as session:
        results = lifecycle.settle(session, outcomes, min_chars=600)
    return [results[outcome.claim] for outcome in outcomes]


def failed(claim: Claim) -> Failed:
    return Failed(claim, Failure("http_404", "It is gone."), (attempt_record("http_404"),))


def lock(session: Session, table: str, row_id: UUID, strength: str = "UPDATE") -> None:
    session.execute(text(f"SELECT FROM {table} WHERE id = :id FOR {strength}"), {"id": row_id})


def paste(session: Session, user: CurrentUser, item_id: UUID) -> None:
    lifecycle.paste_text(session, user, item_id, LONG)


def save_again(session: Session, user: CurrentUser, item_id: UUID) -> None:
    assert save_link(session, user, SaveContext(AllowList(), 1, "again"), URL).item_id == item_id


@pytest.mark.parametrize("act", [paste, lifecycle.keep_text, save_again])
@pytest.mark.parametrize(
    "ends", [failed, lambda claim: Succeeded(claim, article(), (attempt_record(),))], ids=["failed", "read"]
)
def test_user_acts_while_a_worker_settles_the_fetch(
    steps: LifecycleSteps, threads: ThreadPoolExecutor, act: Action, ends: Callable[[Claim], Outcome]
) -> None:
    user = steps.user()
    item = steps.save(user)
    steps.succeed(steps.claim_one(), article(words=SHORT))
    steps.fetch_again(user, steps.media_of(item))
    claim = steps.claim_one()
    with steps.session() as session:
        lock(session, "media", steps.media_of(item))  # the first lock of every action
        settling = threads.submit(settle, steps, ends(claim))
        wait_until_blocked(steps.database)
        act(session, user, item)
    assert settling.result() in (["failed"], ["unchanged"], ["new_version"])
    assert steps.row("SELECT count(*) FROM items WHERE fetch_again_of IS NOT NULL") == (0,)
    assert steps.row("SELECT count(*) FROM extraction_attempts WHERE item_id = :p0", item) == (2,)


def fetches_of_two_pages(
    steps: LifecycleSteps, viewers: list[CurrentUser]
) -> tuple[list[UUID], dict[tuple[CurrentUser, UUID], Claim]]:
    """Each viewer has both pages, and both are being fetched again for each of them."""
    for user in viewers:
        for url in (URL, OTHER_URL):
            steps.save(user, url=url)
    for claim in steps.claim(limit=4):
        steps.succeed(claim, article(claim.url))
    media = [steps.row("SELECT id FROM media WHERE canonical_url = :p0", url)[0] for url in (URL, OTHER_URL)]
    for user in viewers:
        for media_id in media:
            steps.fetch_again(user, media_id)
    claims = {(claim.user_id, claim.url): claim for claim in steps.claim(limit=4)}
    pages = list(zip(media, (URL, OTHER_URL), strict=True))
    return media, {(user, page): claims[user.user_id, url] for user in viewers for page, url in pages}


def item_of(steps: LifecycleSteps, user: CurrentUser, media_id: UUID) -> UUID:
    query = "SELECT id FROM items WHERE user_id = :p0 AND media_id = :p1"
    found: UUID = steps.row(query, user.user_id, media_id)[0]
    return found


def test_two_workers_settle_fetches_of_the_same_pages_in_opposite_order(
    steps: LifecycleSteps, threads: ThreadPoolExecutor
) -> None:
    one, two = steps.user(), steps.user()
    (first, second), claims = fetches_of_two_pages(steps, [one, two])
    with steps.session() as session:
        # The second worker gets as far as this item; it can be referred to, but not locked.
        lock(session, "items", item_of(steps, two, second), "NO KEY UPDATE")
        settling = [threads.submit(settle, steps, failed(claims[two, second]), failed(claims[two, first]))]
        wait_until_blocked(steps.database)
        settling.append(threads.submit(settle, steps, failed(claims[one, first]), failed(claims[one, second])))
        wait_until_blocked(steps.database, 2)
    assert [each.result() for each in settling] == [["failed"] * 2] * 2
    assert steps.row("SELECT count(*) FROM items") == (4,)


def test_two_workers_settle_fetches_of_pages_that_lead_to_each_other(
    steps: LifecycleSteps, threads: ThreadPoolExecutor
) -> None:
    one, two = steps.user(), steps.user()
    (first, second), claims = fetches_of_two_pages(steps, [one, two])
    to_second = Succeeded(claims[one, first], article(OTHER_URL), (attempt_record(),))
    to_first = Succeeded(claims[two, second], article(URL), (attempt_record(),))
    with steps.session() as session:
        lock(session, "items", item_of(steps, two, second), "NO KEY UPDATE")
        settling = [threads.submit(settle, steps, to_first)]
        wait_until_blocked(steps.database)
        settling.append(threads.submit(settle, steps, to_second))
        wait_until_blocked(steps.database, 2)
    assert [each.result() for each in settling] == [["unchanged"]] * 2


def lose_worker(steps: LifecycleSteps) -> Claim:
    steps.make_due()
    claim = steps.claim_one()
    steps.expire_lease(claim.item_id)
    steps.sweep()
    return claim


def test_removal_while_a_lost_fetch_is_dropped(steps: LifecycleSteps, threads: ThreadPoolExecutor) -> None:
    user = steps.user()
    item = steps.save(user)
    steps.succeed(steps.claim_one())
    steps.fetch_again(user, steps.media_of(item))
    with steps.session() as session:
        lock(session, "items", item, "KEY SHARE")  # so that the sweeps leave the fetch for later
        fetch = [lose_worker(steps) for _ in range(3)][-1]
    assert steps.row("SELECT status FROM items WHERE id = :p0", fetch.item_id) == ("failed",)
    with steps.session() as session:
        lock(session, "media", fetch.media_id)  # the first lock of a removal
        sweeping = threads.submit(steps.sweep)
        eventually(lambda: sweeping.done() or blocked(steps.database) == 1, "the sweep is done, or it waits")
        lifecycle.remove_item(session, user, item)
    assert sweeping.result() == 0
    assert steps.row("SELECT count(*) FROM items") == (0,)
    assert steps.row("SELECT count(*) FROM media") == (0,)
