"""A page is fetched again: what failed starts over, what can be read stays as it is."""

import threading
from uuid import UUID

import pytest

from nexus.errors import FetchedMomentsAgoError, NotFetchedFromWebError, NotFoundError, RetryExhaustedError
from nexus.services import lifecycle
from tests.db.lifecycle_steps import LONG, URL, World, article
from tests.processes import eventually

SHORT = "A cookie banner and nothing else."
SUCCEEDED, TOO_SHORT = ("succeeded", "ready_for_reading"), ("needs_user_text", "ready_for_reading")
QUEUED = ("queued", "pending")


def detail_of(world: World, item_id: UUID) -> str | None:
    found: str | None = world.one("SELECT status_detail FROM items WHERE id = :p0", item_id)[0]
    return found


def lines_of(world: World, item_id: UUID) -> list[str]:
    query = "SELECT array_agg(coalesce(error_code, result) ORDER BY attempt_no) FROM extraction_attempts"
    found: list[str] = world.one(query + " WHERE item_id = :p0", item_id)[0]
    return found


def test_failed_page_is_fetched_as_often_as_one_likes(world: World) -> None:
    viewer = world.viewer()
    saved = world.save(viewer, max_attempts=1)
    media_id = world.media_of(saved)
    world.fail(world.claim_one())
    for _ in range(4):
        fetch = world.fetch_again(viewer, media_id)
        assert (fetch.media_id, fetch.processing_status, fetch.is_new) == (media_id, "pending", True)
        assert world.state(saved) == QUEUED
        world.fail(world.claim_one(), "timeout", retryable=True)
        assert world.state(saved) == ("needs_user_text", "failed")
        world.wait_a_minute()
    with pytest.raises(RetryExhaustedError, match=f"/media/{media_id}/fetch-again"):
        world.retry(viewer, media_id)
    world.fetch_again(viewer, media_id)
    assert world.succeed(world.claim_one()) == "won"
    assert lines_of(world, saved) == ["http_404", *["timeout"] * 4, "success"]


def test_once_a_minute(world: World) -> None:
    viewer = world.viewer()
    saved = world.save(viewer, max_attempts=1)
    world.fail(world.claim_one())
    world.fetch_again(viewer, world.media_of(saved))
    with pytest.raises(FetchedMomentsAgoError) as refused:
        world.fetch_again(viewer, world.media_of(saved))
    assert 55 <= refused.value.extras["retry_after"] <= 60
    world.wait_a_minute()
    fetch = world.fetch_again(viewer, world.media_of(saved))
    assert (fetch.processing_status, fetch.is_new) == ("pending", False), "it is in the queue already"
    assert world.one("SELECT count(*) FROM items") == (1,)


def test_readable_text_stays_while_and_after_its_page_is_fetched(world: World) -> None:
    viewer, other = world.viewer(), world.viewer()
    saved, theirs = world.save(viewer), world.save(other)
    for claim in world.claim(limit=2):
        world.succeed(claim)
    media_id = world.media_of(saved)
    before = world.one("SELECT array_agg(items ORDER BY id) FROM items WHERE id = :p0", theirs)
    for words, note in (
        (LONG, "its text is the same"),
        (LONG.replace(" ", "  "), "its text is the same"),
        ("New words. " * 200, "its text is different now. The text you have was kept."),
    ):
        fetch = world.fetch_again(viewer, media_id)
        assert (fetch.media_id, fetch.processing_status, fetch.is_new) == (media_id, "ready_for_reading", True)
        assert (world.state(saved), world.text_of(saved)) == (SUCCEEDED, LONG)
        claim = world.claim_one()
        assert world.state(saved) == SUCCEEDED
        assert world.succeed(claim, article(words=words)) == "unchanged"
        assert (world.state(saved), world.text_of(saved)) == (SUCCEEDED, LONG)
        assert note in (detail_of(world, saved) or "")
        world.wait_a_minute()
    assert lines_of(world, saved) == ["success"] * 4
    assert world.one("SELECT count(*) FROM media") == (1,)
    assert world.one("SELECT array_agg(items ORDER BY id) FROM items WHERE id = :p0", theirs) == before


def test_readable_text_stays_when_its_page_is_gone(world: World) -> None:
    viewer = world.viewer()
    saved = world.save(viewer)
    world.succeed(world.claim_one())
    world.fetch_again(viewer, world.media_of(saved))
    assert world.fail(world.claim_one(), "http_404") == "failed"
    assert (world.state(saved), world.text_of(saved)) == (SUCCEEDED, LONG)
    assert detail_of(world, saved) == "The page could not be fetched again. The text you have was kept."
    assert lines_of(world, saved) == ["success", "http_404"]
    assert world.one("SELECT count(*) FROM items") == (1,)


def test_readable_text_stays_when_its_page_kills_every_worker(world: World) -> None:
    viewer = world.viewer()
    saved = world.save(viewer)
    world.succeed(world.claim_one())
    world.fetch_again(viewer, world.media_of(saved))
    for _ in range(3):
        world.make_due()
        world.lose(world.claim_one())
        world.sweep()
    assert lines_of(world, saved) == ["success", *["worker_lost"] * 3]
    assert (world.state(saved), world.text_of(saved)) == (SUCCEEDED, LONG)
    world.wait_a_minute()
    assert world.fetch_again(viewer, world.media_of(saved)).is_new


def test_postponed_fetch_waits_like_any_other(world: World) -> None:
    viewer = world.viewer()
    saved = world.save(viewer)
    world.succeed(world.claim_one())
    world.fetch_again(viewer, world.media_of(saved))
    claim = world.claim_one()
    with world.session() as session:
        lifecycle.settle(session, [lifecycle.Postponed(claim, 60, "Busy.")], min_chars=600)
    world.wait_a_minute()
    assert not world.fetch_again(viewer, world.media_of(saved)).is_new
    world.make_due()
    assert world.succeed(world.claim_one()) == "unchanged"


def test_short_text_is_replaced_by_a_better_one_for_all_who_wait(world: World) -> None:
    viewer, other = world.viewer(), world.viewer()
    saves = [world.save(viewer), world.save(other)]
    for claim in world.claim(limit=2):
        world.succeed(claim, article(words=SHORT))
    media_id = world.media_of(saves[0])
    world.fetch_again(viewer, media_id)
    assert world.state(saves[0]) == TOO_SHORT
    assert world.succeed(world.claim_one(), article(words=LONG)) == "won"
    for saved in saves:
        assert (world.state(saved), world.text_of(saved), detail_of(world, saved)) == (SUCCEEDED, LONG, None)
    assert world.one("SELECT count(*), count(DISTINCT media_id) FROM items") == (2, 1)


def test_short_text_stays_where_nothing_better_is_found(world: World) -> None:
    viewer = world.viewer()
    saved = world.save(viewer)
    world.succeed(world.claim_one(), article(words=SHORT))
    before = detail_of(world, saved)
    world.fetch_again(viewer, world.media_of(saved))
    assert world.succeed(world.claim_one(), article(words=SHORT)) == "unchanged"
    world.wait_a_minute()
    world.fetch_again(viewer, world.media_of(saved))
    assert world.fail(world.claim_one(), "http_500") == "failed"
    assert (world.state(saved), world.text_of(saved), detail_of(world, saved)) == (TOO_SHORT, SHORT, before)


@pytest.mark.parametrize("is_there", [False, True], ids=["nobody has that page", "somebody has that page"])
def test_who_waits_follows_the_page_to_its_new_address(world: World, is_there: bool) -> None:
    moved = "https://example.org/moved"
    if is_there:
        world.save(world.viewer())
        world.succeed(world.claim_one(), article(moved, "Words that were there. " * 50))
    viewer = world.viewer()
    saved = world.save(viewer)
    short = world.media_of(saved)
    world.succeed(world.claim_one(), article(words=SHORT))
    world.fetch_again(viewer, short)
    assert world.succeed(world.claim_one(), article(moved, LONG)) == ("unchanged" if is_there else "won")
    assert world.state(saved) == SUCCEEDED
    assert world.text_of(saved) == ("Words that were there. " * 50 if is_there else LONG)
    assert world.one("SELECT media_id FROM media_aliases WHERE alias_id = :p0", short) == (world.media_of(saved),)
    assert world.one("SELECT count(*) FROM library_media WHERE library_id = :p0", viewer.default_library_id) == (1,)


def test_fetch_by_a_reader_helps_those_who_wait_elsewhere(world: World) -> None:
    """The reader's own text stays; the page it leads to now had only a short one."""
    reader, waiting = world.viewer(), world.viewer()
    read = world.save(reader)
    world.succeed(world.claim_one())
    waits = world.save(waiting)
    world.succeed(world.claim_one(), article("https://example.org/moved", SHORT))
    world.fetch_again(reader, world.media_of(read))
    assert world.succeed(world.claim_one(), article("https://example.org/moved", LONG * 2)) == "won"
    assert (world.text_of(read), world.text_of(waits)) == (LONG, LONG * 2)
    assert world.state(waits) == SUCCEEDED


def test_paste_while_the_page_is_fetched_stays(world: World) -> None:
    viewer = world.viewer()
    saved = world.save(viewer)
    world.succeed(world.claim_one(), article(words=SHORT))
    world.fetch_again(viewer, world.media_of(saved))
    world.paste(viewer, saved, "What I copied from it.")
    assert world.succeed(world.claim_one(), article(words=LONG)) == "unchanged"
    assert (world.text_of(saved), detail_of(world, saved)) == ("What I copied from it.", None)


def test_only_pages_can_be_fetched(world: World) -> None:
    viewer, stranger = world.viewer(), world.viewer()
    saved = world.save(viewer)
    world.fail(world.claim_one())
    failed = world.media_of(saved)
    with pytest.raises(NotFoundError):
        world.fetch_again(stranger, failed)
    world.paste(viewer, saved)
    for known_as in (failed, world.media_of(saved)):
        with pytest.raises(NotFetchedFromWebError):
            world.fetch_again(viewer, known_as)


def test_removing_the_item_takes_the_fetch_along(world: World) -> None:
    viewer = world.viewer()
    saved = world.save(viewer)
    world.succeed(world.claim_one())
    world.fetch_again(viewer, world.media_of(saved))
    claim = world.claim_one()
    world.remove(viewer, saved)
    assert world.succeed(claim) == "lost_lease"
    for table in ("items", "media", "library_media", "extraction_attempts"):
        assert world.one(f"SELECT count(*) FROM {table}") == (0,)


def test_removal_waits_for_a_worker_that_closes_the_fetch(world: World) -> None:
    """Neither waits for the other in a circle."""
    viewer = world.viewer()
    saved = world.save(viewer)
    world.succeed(world.claim_one())
    world.fetch_again(viewer, world.media_of(saved))
    claim = world.claim_one()
    with world.session() as session:
        session.connection().exec_driver_sql("SELECT FROM media WHERE id = %s FOR UPDATE", (claim.media_id,))
        thread = threading.Thread(target=world.remove, args=(viewer, saved))
        thread.start()
        blocked = (
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        )
        eventually(lambda: world.one(blocked) == (1,), "the removal does not wait")
        assert lifecycle.settle(session, [lifecycle.Succeeded(claim, article(), ())], min_chars=600) == {
            claim: "unchanged"
        }
    thread.join()
    assert world.one("SELECT count(*) FROM items") == (0,)


def test_two_clicks_at_once_are_one_fetch(world: World) -> None:
    viewer = world.viewer()
    saved = world.save(viewer)
    world.succeed(world.claim_one())
    results: list[object] = []

    def click() -> None:
        try:
            results.append(world.fetch_again(viewer, world.media_of(saved)).is_new)
        except FetchedMomentsAgoError as refused:
            results.append(refused.code)

    threads = [threading.Thread(target=click) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, results)) == ["True", *["fetched_moments_ago"] * 3]
    assert world.one("SELECT count(*) FROM items WHERE fetch_again_of = :p0", saved) == (1,)


def test_others_may_fetch_the_same_page_in_the_same_minute(world: World) -> None:
    """A refusal would tell them that somebody else just did."""
    people = [world.viewer() for _ in range(2)]
    saves = [world.save(person) for person in people]
    for claim in world.claim(limit=2):
        world.succeed(claim)
    assert all(world.fetch_again(person, world.media_of(saves[0])).is_new for person in people)
    assert [world.succeed(claim) for claim in world.claim(limit=2)] == ["unchanged"] * 2


def test_failed_link_is_saved_again_in_its_own_item(world: World) -> None:
    viewer = world.viewer()
    saved = world.save_again(viewer)
    other = world.save_again(viewer, "https://example.org/other")
    for claim in world.claim(limit=2):
        world.fail(claim)
    assert world.save_again(viewer, URL.upper().replace("/STORY", "/story#part-two")) == saved
    assert world.state(saved) == QUEUED
    assert world.state(other) == ("needs_user_text", "failed")
    newest = world.one("SELECT id FROM items ORDER BY created_at DESC LIMIT 1")
    assert newest == (saved,), "at the top of the list, where its user looks for it"
    assert world.one("SELECT media_id FROM library_media ORDER BY created_at DESC LIMIT 1") == (world.media_of(saved),)
    assert world.save_again(world.viewer()) != saved, "everybody has their own"
    world.fail(next(claim for claim in world.claim(limit=2) if claim.item_id == saved), "timeout", retryable=True)
    assert world.state(saved) == ("needs_user_text", "failed")


def test_item_from_before_links_had_keys_is_found_too(world: World) -> None:
    viewer = world.viewer()
    saved = world.save(viewer, requested_url=URL)
    world.fail(world.claim_one(), "internal_error")
    assert world.state(saved) == ("failed", "failed")
    assert world.save_again(viewer) == saved


def test_link_that_did_not_fail_is_a_new_save(world: World) -> None:
    viewer = world.viewer()
    first = world.save_again(viewer)
    assert world.save_again(viewer) != first, "it may still succeed"
    for claim in world.claim(limit=2):
        world.succeed(claim)
    third = world.save_again(viewer)
    world.fail(world.claim_one())
    world.paste(viewer, third)
    assert world.save_again(viewer) != third, "its text was pasted"


def test_page_that_was_too_short_is_saved_again_in_its_own_item(world: World) -> None:
    viewer = world.viewer()
    saved = world.save_again(viewer)
    world.succeed(world.claim_one(), article(words=SHORT))
    assert world.state(saved) == TOO_SHORT
    other = world.save_again(viewer, "https://example.org/other")
    assert (world.save_again(viewer), world.save_again(viewer)) == (saved, saved)
    assert world.one("SELECT id FROM items WHERE fetch_again_of IS NULL ORDER BY created_at DESC LIMIT 1") == (saved,)
    assert (world.state(saved), world.text_of(saved)) == (TOO_SHORT, SHORT), "it can still be kept as it is"
    claims = {claim.item_id: claim for claim in world.claim(limit=5)}
    assert len(claims) == 2, "one fetch for both saves"
    world.fail(claims.pop(other))
    (again,) = claims.values()
    world.succeed(again)
    assert (world.state(saved), world.text_of(saved)) == (SUCCEEDED, LONG)
    assert world.one("SELECT count(*) FROM library_media") == (2,)


def test_two_windows_that_save_a_failed_link_at_once_share_the_item(world: World) -> None:
    viewer = world.viewer()
    saved = world.save_again(viewer)
    world.fail(world.claim_one())
    found: list[UUID] = []
    threads = [threading.Thread(target=lambda: found.append(world.save_again(viewer))) for _ in range(2)]
    with world.session() as session:
        session.connection().exec_driver_sql("SELECT FROM media FOR UPDATE")
        for thread in threads:
            thread.start()
        blocked = (
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        )
        eventually(lambda: world.one(blocked) == (2,), "they do not wait for each other")
    for thread in threads:
        thread.join()
    assert found == [saved, saved]
    assert world.one("SELECT count(*) FROM items") == (1,)
