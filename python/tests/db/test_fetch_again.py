"""A page is fetched again: a failed one starts over, a readable text stays until the page has another."""

import threading
from uuid import UUID

import pytest

from nexus.errors import FetchedMomentsAgoError, NotFetchedFromWebError, NotFoundError, RetryExhaustedError
from nexus.services import lifecycle
from tests.blocked_statements import wait_until_blocked
from tests.lifecycle_steps import LONG, URL, LifecycleSteps, article

SHORT = "A cookie banner and nothing else."
SUCCEEDED, TOO_SHORT = ("succeeded", "ready_for_reading"), ("needs_user_text", "ready_for_reading")
QUEUED = ("queued", "pending")


def detail_of(steps: LifecycleSteps, item_id: UUID) -> str | None:
    found: str | None = steps.row("SELECT status_detail FROM items WHERE id = :p0", item_id)[0]
    return found


def lines_of(steps: LifecycleSteps, item_id: UUID) -> list[str]:
    query = "SELECT array_agg(coalesce(error_code, result) ORDER BY attempt_no) FROM extraction_attempts"
    found: list[str] = steps.row(query + " WHERE item_id = :p0", item_id)[0]
    return found


def test_failed_page_is_fetched_as_often_as_one_likes(steps: LifecycleSteps) -> None:
    user = steps.user()
    item = steps.save(user, max_attempts=1)
    media_id = steps.media_of(item)
    steps.fail(steps.claim_one())
    for _ in range(4):
        fetch = steps.fetch_again(user, media_id)
        assert (fetch.media_id, fetch.processing_status, fetch.is_new) == (media_id, "pending", True)
        assert steps.state(item) == QUEUED
        steps.fail(steps.claim_one(), "timeout", retryable=True)
        assert steps.state(item) == ("needs_user_text", "failed")
        steps.backdate_fetches()
    with pytest.raises(RetryExhaustedError, match=f"/media/{media_id}/fetch-again"):
        steps.retry(user, media_id)
    steps.fetch_again(user, media_id)
    assert steps.succeed(steps.claim_one()) == "won"
    assert lines_of(steps, item) == ["http_404", *["timeout"] * 4, "success"]


def test_once_a_minute(steps: LifecycleSteps) -> None:
    user = steps.user()
    item = steps.save(user, max_attempts=1)
    steps.fail(steps.claim_one())
    steps.fetch_again(user, steps.media_of(item))
    with pytest.raises(FetchedMomentsAgoError) as refused:
        steps.fetch_again(user, steps.media_of(item))
    assert 1 <= refused.value.extras["retry_after"] <= 60
    steps.backdate_fetches()
    fetch = steps.fetch_again(user, steps.media_of(item))
    assert (fetch.processing_status, fetch.is_new) == ("pending", False), "it is in the queue already"
    assert steps.row("SELECT count(*) FROM items") == (1,)


def test_readable_text_stays_unless_its_page_has_another(steps: LifecycleSteps) -> None:
    user, other = steps.user(), steps.user()
    saved, theirs = steps.save(user), steps.save(other)
    for claim in steps.claim(limit=2):
        steps.succeed(claim)
    media_id = steps.media_of(saved)
    before = steps.row("SELECT array_agg(items ORDER BY id) FROM items WHERE id = :p0", theirs)
    for words, note in (
        (LONG, "its text is the same"),
        (LONG.replace(" ", "  "), "its text is the same"),
        (LONG[:700], "but gave less text. The text you have was kept."),
    ):
        fetch = steps.fetch_again(user, media_id)
        assert (fetch.media_id, fetch.processing_status, fetch.is_new) == (media_id, "ready_for_reading", True)
        assert (steps.state(saved), steps.text_of(saved)) == (SUCCEEDED, LONG)
        claim = steps.claim_one()
        assert steps.state(saved) == SUCCEEDED
        assert steps.succeed(claim, article(words=words)) == "unchanged"
        assert (steps.state(saved), steps.text_of(saved)) == (SUCCEEDED, LONG)
        assert note in (detail_of(steps, saved) or "")
        steps.backdate_fetches()
    assert lines_of(steps, saved) == ["success"] * 4
    assert steps.row("SELECT array_agg(items ORDER BY id) FROM items WHERE id = :p0", theirs) == before
    steps.fetch_again(user, media_id)
    changed = "New words, and as many of them. " * 40
    assert steps.succeed(steps.claim_one(), article(words=changed, title="New")) == "new_version"
    assert "its text has changed" in (detail_of(steps, saved) or "")
    for item in (saved, theirs):
        assert (steps.state(item), steps.text_of(item), steps.media_of(item)) == (SUCCEEDED, changed, media_id)
        assert steps.row("SELECT title FROM items WHERE id = :p0", item) == ("New",)
    assert detail_of(steps, theirs) is None
    assert steps.row("SELECT count(*) FROM media") == (1,)


def test_readable_text_stays_when_its_page_is_gone(steps: LifecycleSteps) -> None:
    user = steps.user()
    item = steps.save(user)
    steps.succeed(steps.claim_one())
    steps.fetch_again(user, steps.media_of(item))
    assert steps.fail(steps.claim_one(), "http_404") == "failed"
    assert (steps.state(item), steps.text_of(item)) == (SUCCEEDED, LONG)
    assert detail_of(steps, item) == "The page could not be fetched again. The text you have was kept."
    assert lines_of(steps, item) == ["success", "http_404"]
    assert steps.row("SELECT count(*) FROM items") == (1,)


def test_readable_text_stays_when_its_page_kills_every_worker(steps: LifecycleSteps) -> None:
    user = steps.user()
    item = steps.save(user)
    steps.succeed(steps.claim_one())
    steps.fetch_again(user, steps.media_of(item))
    for _ in range(3):
        steps.make_due()
        steps.expire_lease(steps.claim_one().item_id)
        steps.sweep()
    assert lines_of(steps, item) == ["success", *["worker_lost"] * 3]
    assert (steps.state(item), steps.text_of(item)) == (SUCCEEDED, LONG)
    steps.backdate_fetches()
    assert steps.fetch_again(user, steps.media_of(item)).is_new


def test_postponed_fetch_waits_like_any_other(steps: LifecycleSteps) -> None:
    user = steps.user()
    item = steps.save(user)
    steps.succeed(steps.claim_one())
    steps.fetch_again(user, steps.media_of(item))
    claim = steps.claim_one()
    with steps.session() as session:
        lifecycle.settle(session, [lifecycle.Postponed(claim, 60, "Busy.")], min_chars=600)
    steps.backdate_fetches()
    assert not steps.fetch_again(user, steps.media_of(item)).is_new
    steps.make_due()
    assert steps.succeed(steps.claim_one()) == "unchanged"


def test_short_text_is_replaced_by_a_better_one_for_all_who_wait(steps: LifecycleSteps) -> None:
    user, other = steps.user(), steps.user()
    items = [steps.save(user), steps.save(other)]
    for claim in steps.claim(limit=2):
        steps.succeed(claim, article(words=SHORT))
    media_id = steps.media_of(items[0])
    steps.fetch_again(user, media_id)
    assert steps.state(items[0]) == TOO_SHORT
    assert steps.succeed(steps.claim_one(), article(words=LONG)) == "new_version"
    for item in items:
        assert (steps.state(item), steps.text_of(item), detail_of(steps, item)) == (SUCCEEDED, LONG, None)
    assert steps.row("SELECT count(*), count(DISTINCT media_id) FROM items") == (2, 1)


def test_short_text_stays_where_nothing_better_is_found(steps: LifecycleSteps) -> None:
    user = steps.user()
    item = steps.save(user)
    steps.succeed(steps.claim_one(), article(words=SHORT))
    before = detail_of(steps, item)
    steps.fetch_again(user, steps.media_of(item))
    assert steps.succeed(steps.claim_one(), article(words=SHORT)) == "unchanged"
    steps.backdate_fetches()
    steps.fetch_again(user, steps.media_of(item))
    assert steps.fail(steps.claim_one(), "http_500") == "failed"
    assert (steps.state(item), steps.text_of(item), detail_of(steps, item)) == (TOO_SHORT, SHORT, before)


@pytest.mark.parametrize("is_there", [False, True], ids=["nobody has that page", "somebody has that page"])
def test_who_waits_follows_the_page_to_its_new_address(steps: LifecycleSteps, is_there: bool) -> None:
    moved = "https://example.org/moved"
    if is_there:
        steps.save(steps.user())
        steps.succeed(steps.claim_one(), article(moved, "Words that were there. " * 50))
    user = steps.user()
    item = steps.save(user)
    short = steps.media_of(item)
    steps.succeed(steps.claim_one(), article(words=SHORT))
    steps.fetch_again(user, short)
    assert steps.succeed(steps.claim_one(), article(moved, LONG)) == ("new_version" if is_there else "won")
    assert steps.state(item) == SUCCEEDED
    assert steps.text_of(item) == LONG
    assert steps.row("SELECT media_id FROM media_aliases WHERE alias_id = :p0", short) == (steps.media_of(item),)
    assert steps.row("SELECT count(*) FROM library_media WHERE library_id = :p0", user.default_library_id) == (1,)


def test_fetch_by_a_reader_helps_those_who_wait_elsewhere(steps: LifecycleSteps) -> None:
    """The reader's text stays; the page that the link leads to now had only a short one."""
    reader, waiting = steps.user(), steps.user()
    read = steps.save(reader)
    steps.succeed(steps.claim_one())
    waits = steps.save(waiting)
    steps.succeed(steps.claim_one(), article("https://example.org/moved", SHORT))
    steps.fetch_again(reader, steps.media_of(read))
    start_page = "Headlines of this very day are listed here. " * 40
    assert steps.succeed(steps.claim_one(), article("https://example.org/moved", start_page)) == "new_version"
    assert (steps.text_of(read), steps.text_of(waits)) == (LONG, start_page)
    assert steps.state(waits) == SUCCEEDED
    assert detail_of(steps, read) == "The link now leads to another page. The text you have was kept."


def test_readers_follow_the_same_text_to_its_new_address(steps: LifecycleSteps) -> None:
    """The media keeps the URL under which it was saved."""
    user = steps.user()
    item = steps.save(user)
    steps.succeed(steps.claim_one())
    media_id = steps.media_of(item)
    steps.fetch_again(user, media_id)
    corrected = article("https://example.org/moved", LONG + "With a correction.")
    assert steps.succeed(steps.claim_one(), corrected) == "new_version"
    assert (steps.media_of(item), steps.text_of(item)) == (media_id, corrected.canonical_text)
    assert steps.row("SELECT canonical_url FROM media") == (URL,)


def test_paste_while_the_page_is_fetched_stays(steps: LifecycleSteps) -> None:
    user = steps.user()
    item = steps.save(user)
    steps.succeed(steps.claim_one(), article(words=SHORT))
    steps.fetch_again(user, steps.media_of(item))
    steps.paste(user, item, "What I copied from it.")
    assert steps.succeed(steps.claim_one(), article(words=LONG)) == "unchanged"
    assert (steps.text_of(item), detail_of(steps, item)) == ("What I copied from it.", None)


def test_only_pages_can_be_fetched(steps: LifecycleSteps) -> None:
    user, other_user = steps.user(), steps.user()
    item = steps.save(user)
    steps.fail(steps.claim_one())
    failed = steps.media_of(item)
    with pytest.raises(NotFoundError):
        steps.fetch_again(other_user, failed)
    steps.paste(user, item)
    for known_as in (failed, steps.media_of(item)):
        with pytest.raises(NotFetchedFromWebError):
            steps.fetch_again(user, known_as)


def test_removing_the_item_takes_the_fetch_along(steps: LifecycleSteps) -> None:
    user = steps.user()
    item = steps.save(user)
    steps.succeed(steps.claim_one())
    steps.fetch_again(user, steps.media_of(item))
    claim = steps.claim_one()
    steps.remove(user, item)
    assert steps.succeed(claim) == "lost_lease"
    for table in ("items", "media", "library_media", "extraction_attempts"):
        assert steps.row(f"SELECT count(*) FROM {table}") == (0,)


def test_removal_waits_for_a_worker_that_settles_the_fetch(steps: LifecycleSteps) -> None:
    """The two do not deadlock."""
    user = steps.user()
    item = steps.save(user)
    steps.succeed(steps.claim_one())
    steps.fetch_again(user, steps.media_of(item))
    claim = steps.claim_one()
    with steps.session() as session:
        session.connection().exec_driver_sql("SELECT FROM media ORDER BY id FOR UPDATE")  # as a worker locks both
        thread = threading.Thread(target=steps.remove, args=(user, item))
        thread.start()
        wait_until_blocked(steps.database)
        assert lifecycle.settle(session, [lifecycle.Succeeded(claim, article(), ())], min_chars=600) == {
            claim: "unchanged"
        }
    thread.join()
    assert steps.row("SELECT count(*) FROM items") == (0,)


def test_two_clicks_at_once_are_one_fetch(steps: LifecycleSteps) -> None:
    user = steps.user()
    item = steps.save(user)
    steps.succeed(steps.claim_one())
    results: list[object] = []

    def click() -> None:
        try:
            results.append(steps.fetch_again(user, steps.media_of(item)).is_new)
        except FetchedMomentsAgoError as refused:
            results.append(refused.code)

    threads = [threading.Thread(target=click) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, results)) == ["True", *["fetched_moments_ago"] * 3]
    assert steps.row("SELECT count(*) FROM items WHERE fetch_again_of = :p0", item) == (1,)


def test_others_may_fetch_the_same_page_in_the_same_minute(steps: LifecycleSteps) -> None:
    """A refusal would reveal that somebody else just fetched it."""
    users = [steps.user() for _ in range(2)]
    items = [steps.save(user) for user in users]
    for claim in steps.claim(limit=2):
        steps.succeed(claim)
    assert all(steps.fetch_again(user, steps.media_of(items[0])).is_new for user in users)
    assert [steps.succeed(claim) for claim in steps.claim(limit=2)] == ["unchanged"] * 2


def test_failed_link_is_saved_again_in_its_own_item(steps: LifecycleSteps) -> None:
    user = steps.user()
    item = steps.save(user)
    other = steps.save(user, "https://example.org/other")
    for claim in steps.claim(limit=2):
        steps.fail(claim)
    assert steps.save(user, URL.upper().replace("/STORY", "/story#part-two"), max_attempts=1) == item
    assert steps.state(item) == QUEUED
    assert steps.state(other) == ("needs_user_text", "failed")
    newest = steps.row("SELECT id FROM items ORDER BY created_at DESC LIMIT 1")
    assert newest == (item,), "at the top of the list, where its user looks for it"
    assert steps.row("SELECT media_id FROM library_media ORDER BY created_at DESC LIMIT 1") == (steps.media_of(item),)
    assert steps.save(steps.user()) != item, "everybody has their own"
    steps.fail(next(claim for claim in steps.claim(limit=2) if claim.item_id == item), "timeout", retryable=True)
    assert steps.state(item) == ("needs_user_text", "failed")


def test_item_from_before_links_had_keys_is_found_too(steps: LifecycleSteps) -> None:
    user = steps.user()
    item = steps.save(user, url_key=None)
    steps.fail(steps.claim_one(), "internal_error")
    assert steps.state(item) == ("failed", "failed")
    assert steps.save(user) == item


def test_link_that_did_not_fail_is_a_new_save(steps: LifecycleSteps) -> None:
    user = steps.user()
    first = steps.save(user)
    assert steps.save(user) != first, "it may still succeed"
    for claim in steps.claim(limit=2):
        steps.succeed(claim)
    third = steps.save(user)
    steps.fail(steps.claim_one())
    steps.paste(user, third)
    assert steps.save(user) != third, "its text was pasted"


def test_page_that_was_too_short_is_saved_again_in_its_own_item(steps: LifecycleSteps) -> None:
    user = steps.user()
    item = steps.save(user)
    steps.succeed(steps.claim_one(), article(words=SHORT))
    assert steps.state(item) == TOO_SHORT
    other = steps.save(user, "https://example.org/other")
    assert (steps.save(user), steps.save(user)) == (item, item)
    assert steps.row("SELECT id FROM items WHERE fetch_again_of IS NULL ORDER BY created_at DESC LIMIT 1") == (item,)
    assert (steps.state(item), steps.text_of(item)) == (TOO_SHORT, SHORT), "it can still be kept as it is"
    claims = {claim.item_id: claim for claim in steps.claim(limit=5)}
    assert len(claims) == 2, "one fetch for both saves"
    steps.fail(claims.pop(other))
    (again,) = claims.values()
    steps.succeed(again)
    assert (steps.state(item), steps.text_of(item)) == (SUCCEEDED, LONG)
    assert steps.row("SELECT count(*) FROM library_media") == (2,)


def test_two_windows_that_save_a_failed_link_at_once_share_the_item(steps: LifecycleSteps) -> None:
    user = steps.user()
    item = steps.save(user)
    steps.fail(steps.claim_one())
    found: list[UUID] = []
    threads = [threading.Thread(target=lambda: found.append(steps.save(user))) for _ in range(2)]
    with steps.session() as session:
        session.connection().exec_driver_sql("SELECT FROM media FOR UPDATE")
        for thread in threads:
            thread.start()
        wait_until_blocked(steps.database, 2)
    for thread in threads:
        thread.join()
    assert found == [item, item]
    assert steps.row("SELECT count(*) FROM items") == (1,)
