"""Closing a fetch, what the user does and the sweep meet at the same rows: nobody waits in a circle."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.services import lifecycle
from nexus.services.capture import Door, save_link
from nexus.services.lifecycle import Claim, Failed, Failure, Outcome, Result, Succeeded
from nexus.services.users import Viewer
from nexus.web.public_address import AllowList
from tests.db.lifecycle_steps import LONG, URL, World, article, line
from tests.processes import eventually

SHORT = "A cookie banner and nothing else."
OTHER_URL = "https://example.org/other"

Action = Callable[[Session, Viewer, UUID], object]


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as pool:
        yield pool


def settle(world: World, *outcomes: Outcome) -> list[Result]:
    with world.session() as session:
        results = lifecycle.settle(session, outcomes, min_chars=600)
    return [results[outcome.claim] for outcome in outcomes]


def failed(claim: Claim) -> Failed:
    return Failed(claim, Failure("http_404", "It is gone."), (line("http_404"),))


def blocked(world: World) -> int:
    query = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    waiting: int = world.one(query)[0]
    return waiting


def wait_until_blocked(world: World, connections: int) -> None:
    eventually(lambda: blocked(world) == connections, f"{connections} wait for a lock")


def lock(session: Session, table: str, row_id: UUID, strength: str = "UPDATE") -> None:
    session.execute(text(f"SELECT FROM {table} WHERE id = :id FOR {strength}"), {"id": row_id})


def paste(session: Session, viewer: Viewer, item_id: UUID) -> None:
    lifecycle.paste_text(session, viewer, item_id, LONG)


def save_again(session: Session, viewer: Viewer, item_id: UUID) -> None:
    assert save_link(session, viewer, Door(AllowList(), 1, "again"), URL).item_id == item_id


@pytest.mark.parametrize("act", [paste, lifecycle.keep_text, save_again])
@pytest.mark.parametrize("ends", [failed, lambda claim: Succeeded(claim, article(), (line(),))], ids=["failed", "read"])
def test_user_acts_while_a_worker_closes_the_fetch(
    world: World, threads: ThreadPoolExecutor, act: Action, ends: Callable[[Claim], Outcome]
) -> None:
    viewer = world.viewer()
    saved = world.save_again(viewer)
    world.succeed(world.claim_one(), article(words=SHORT))
    world.fetch_again(viewer, world.media_of(saved))
    claim = world.claim_one()
    with world.session() as session:
        lock(session, "media", world.media_of(saved))  # the first lock of every action
        closing = threads.submit(settle, world, ends(claim))
        wait_until_blocked(world, 1)
        act(session, viewer, saved)
    assert closing.result() in (["failed"], ["unchanged"], ["won"])
    assert world.one("SELECT count(*) FROM items WHERE fetch_again_of IS NOT NULL") == (0,)
    assert world.one("SELECT count(*) FROM extraction_attempts WHERE item_id = :p0", saved) == (2,)


def fetches_of_two_pages(world: World, viewers: list[Viewer]) -> tuple[list[UUID], dict[tuple[Viewer, UUID], Claim]]:
    """Each viewer has both pages, and both are being fetched again for each of them."""
    for viewer in viewers:
        for url in (URL, OTHER_URL):
            world.save(viewer, requested_url=url)
    for claim in world.claim(limit=4):
        world.succeed(claim, article(claim.url))
    media = [world.one("SELECT id FROM media WHERE canonical_url = :p0", url)[0] for url in (URL, OTHER_URL)]
    for viewer in viewers:
        for media_id in media:
            world.fetch_again(viewer, media_id)
    claims = {(claim.user_id, claim.url): claim for claim in world.claim(limit=4)}
    pages = list(zip(media, (URL, OTHER_URL), strict=True))
    return media, {(viewer, page): claims[viewer.user_id, url] for viewer in viewers for page, url in pages}


def item_of(world: World, viewer: Viewer, media_id: UUID) -> UUID:
    query = "SELECT id FROM items WHERE user_id = :p0 AND media_id = :p1"
    found: UUID = world.one(query, viewer.user_id, media_id)[0]
    return found


def test_two_workers_close_fetches_of_the_same_pages_in_opposite_order(
    world: World, threads: ThreadPoolExecutor
) -> None:
    one, two = world.viewer(), world.viewer()
    (first, second), claims = fetches_of_two_pages(world, [one, two])
    with world.session() as session:
        # The second worker gets as far as this item; it can be referred to, but not locked.
        lock(session, "items", item_of(world, two, second), "NO KEY UPDATE")
        closing = [threads.submit(settle, world, failed(claims[two, second]), failed(claims[two, first]))]
        wait_until_blocked(world, 1)
        closing.append(threads.submit(settle, world, failed(claims[one, first]), failed(claims[one, second])))
        wait_until_blocked(world, 2)
    assert [each.result() for each in closing] == [["failed"] * 2] * 2
    assert world.one("SELECT count(*) FROM items") == (4,)


def test_two_workers_close_fetches_of_pages_that_lead_to_each_other(world: World, threads: ThreadPoolExecutor) -> None:
    one, two = world.viewer(), world.viewer()
    (first, second), claims = fetches_of_two_pages(world, [one, two])
    to_second = Succeeded(claims[one, first], article(OTHER_URL), (line(),))
    to_first = Succeeded(claims[two, second], article(URL), (line(),))
    with world.session() as session:
        lock(session, "items", item_of(world, two, second), "NO KEY UPDATE")
        closing = [threads.submit(settle, world, to_first)]
        wait_until_blocked(world, 1)
        closing.append(threads.submit(settle, world, to_second))
        wait_until_blocked(world, 2)
    assert [each.result() for each in closing] == [["unchanged"]] * 2


def lose_worker(world: World) -> Claim:
    world.make_due()
    claim = world.claim_one()
    world.lose(claim)
    world.sweep()
    return claim


def test_removal_while_a_lost_fetch_is_dropped(world: World, threads: ThreadPoolExecutor) -> None:
    viewer = world.viewer()
    saved = world.save(viewer)
    world.succeed(world.claim_one())
    world.fetch_again(viewer, world.media_of(saved))
    with world.session() as session:
        lock(session, "items", saved, "KEY SHARE")  # so that the sweeps leave the fetch for later
        fetch = [lose_worker(world) for _ in range(3)][-1]
    assert world.one("SELECT status FROM items WHERE id = :p0", fetch.item_id) == ("failed",)
    with world.session() as session:
        lock(session, "media", fetch.media_id)  # the first lock of a removal
        sweeping = threads.submit(world.sweep)
        eventually(lambda: sweeping.done() or blocked(world) == 1, "the sweep is done, or it waits")
        lifecycle.remove_item(session, viewer, saved)
    assert sweeping.result() == 0
    assert world.one("SELECT count(*) FROM items") == (0,)
    assert world.one("SELECT count(*) FROM media") == (0,)
