"""What each event of the lifecycle does to an item, its media, its receipt and its library entry."""

import re
from pathlib import Path
from uuid import uuid4

import pytest

from nexus.errors import NotFoundError, NotWaitingForTextError, RetryExhaustedError, RetryInvalidStateError
from nexus.services import lifecycle
from nexus.services.library.read_state import mark_read
from nexus.services.lifecycle import Postponed
from tests.db.transitions import TRANSITIONS
from tests.lifecycle_steps import LONG, URL, LifecycleSteps, article

DOCS = Path(__file__).parents[3] / "docs/reference/lifecycle.md"


def test_documented_transitions_are_those_of_the_code() -> None:
    rows = re.findall(r"^\| ([^|]+) \| (\w+), (\w+) \| (\w+), (\w+) \|$", DOCS.read_text(), re.MULTILINE)
    assert rows == [(event, *before, *after) for event, before, after in TRANSITIONS]


def test_article_is_written_whole(steps: LifecycleSteps) -> None:
    user = steps.user()
    item = steps.save(user)
    claim = steps.claim_one()
    assert steps.state(item) == ("processing", "extracting")
    assert steps.succeed(claim, article(byline="Ann", word_count=5)) == "won"
    assert steps.state(item) == ("succeeded", "ready_for_reading")
    assert steps.row("SELECT final_text_source, status_detail, title, lease_until, claimed_by FROM items") == (
        "extracted_from_url", None, "Story", None, None,
    )  # fmt: skip
    row = steps.row(
        "SELECT canonical_url, byline, processing_attempts, last_error_code, canonical_text FROM media"
        " JOIN fragments ON media_id = media.id"
    )
    assert row == (URL, "Ann", 1, None, LONG)
    assert steps.row("SELECT attempt_no, result, error_code FROM extraction_attempts") == (1, "success", None)


def test_short_text_is_readable_but_the_item_asks_for_more(steps: LifecycleSteps) -> None:
    item = steps.save(steps.user())
    assert steps.succeed(steps.claim_one(), article(words="Too little")) == "won"
    assert steps.state(item) == ("needs_user_text", "ready_for_reading")
    assert "10 characters" in steps.row("SELECT status_detail FROM items")[0]


def test_same_page_is_one_media_in_every_library(steps: LifecycleSteps) -> None:
    users = [steps.user() for _ in range(3)]
    items = [steps.save(user) for user in users for _ in range(2)]
    losers = [steps.media_of(item) for item in items]
    assert [steps.succeed(claim) for claim in steps.claim(limit=6)].count("won") == 1
    assert steps.row("SELECT count(*) FROM media")[0] == 1
    winner = steps.media_of(items[0])
    assert {steps.media_of(item) for item in items} == {winner}
    assert {steps.state(item) for item in items} == {("succeeded", "ready_for_reading")}
    assert steps.row("SELECT count(*), count(DISTINCT library_id) FROM library_media") == (3, 3)
    aliased = steps.row("SELECT array_agg(alias_id ORDER BY alias_id), array_agg(DISTINCT media_id) FROM media_aliases")
    assert aliased == (sorted(set(losers) - {winner}), [winner])


def test_batch_settles_duplicates_failures_and_lost_claims_at_once(steps: LifecycleSteps) -> None:
    user = steps.user()
    items = [steps.save(user) for _ in range(4)]
    first, second, third, fourth = steps.claim(limit=4)
    steps.expire_lease(fourth.item_id)
    steps.sweep()
    outcomes: list[lifecycle.Outcome] = [
        lifecycle.Succeeded(first, article(), ()),
        lifecycle.Succeeded(second, article(), ()),
        lifecycle.Failed(third, lifecycle.Failure("non_html", "That is a picture."), ()),
        lifecycle.Succeeded(fourth, article("https://example.org/other"), ()),
    ]
    with steps.session() as session:
        results = lifecycle.settle(session, outcomes, min_chars=0)
    assert list(results.values()) == ["won", "merged", "failed", "lost_lease"]
    states = sorted(steps.state(item) for item in items)
    assert [status for status, _ in states] == ["needs_user_text", "queued", "succeeded", "succeeded"]


def test_merge_keeps_what_each_person_has_read(steps: LifecycleSteps) -> None:
    reader, newcomer = steps.user(), steps.user()
    first = steps.save(reader)
    assert steps.succeed(steps.claim_one()) == "won"
    with steps.session() as session:
        mark_read(session, reader, steps.media_of(first))
    steps.save(reader)
    steps.save(newcomer)
    assert [steps.succeed(steps.claim_one()) for _ in range(2)] == ["merged", "merged"]
    read = "SELECT read_at IS NOT NULL FROM library_media WHERE library_id = :p0"
    assert (steps.row(read, reader.default_library_id), steps.row(read, newcomer.default_library_id)) == (
        (True,), (False,),
    )  # fmt: skip


def test_retryable_failure_waits_and_comes_back(steps: LifecycleSteps) -> None:
    item = steps.save(steps.user())
    assert steps.fail(steps.claim_one(), "http_503", retryable=True, retry_after=100.0) == "requeued"
    assert steps.state(item) == ("queued", "pending")
    wait, detail = steps.row("SELECT extract(epoch FROM due_at - updated_at), status_detail FROM items")
    assert 100 <= wait <= 120
    assert detail == "It did not work. We will try again."
    assert steps.claim() == []
    steps.make_due()
    assert steps.fail(steps.claim_one(), "http_503", retryable=True) == "failed"
    assert steps.state(item) == ("needs_user_text", "failed")
    assert steps.row("SELECT status_detail FROM items") == ("It did not work. You can paste the text instead.",)
    row = steps.row("SELECT last_error_code, last_error_message, failure_stage, processing_attempts FROM media")
    assert row == ("E_INGEST_FAILED", "http_503: It did not work.", "extract", 2)
    assert steps.row("SELECT array_agg(attempt_no ORDER BY attempt_no) FROM extraction_attempts") == ([1, 2],)


def test_nobody_waits_longer_than_an_hour(steps: LifecycleSteps) -> None:
    steps.save(steps.user())
    steps.fail(steps.claim_one(), "http_429", retryable=True, retry_after=1e6)
    assert steps.row("SELECT due_at - updated_at <= interval '72 minutes' FROM items") == (True,)


@pytest.mark.parametrize(
    ("code", "item", "media_code"),
    [
        ("timeout", "needs_user_text", "E_INGEST_TIMEOUT"),
        ("render_timeout", "needs_user_text", "E_INGEST_TIMEOUT"),
        ("sanitization_failed", "needs_user_text", "E_SANITIZATION_FAILED"),
        ("blocked_page", "needs_user_text", "E_INGEST_FAILED"),
        ("internal_error", "failed", "E_INGEST_FAILED"),
    ],
)
def test_final_failure_by_code(steps: LifecycleSteps, code: str, item: str, media_code: str) -> None:
    saved = steps.save(steps.user(), max_attempts=1)
    steps.fail(steps.claim_one(), code, retryable=True)
    assert steps.state(saved) == (item, "failed")
    assert steps.row("SELECT last_error_code FROM media") == (media_code,)


def test_lost_worker_leaves_an_attempt_and_a_poison_page_fails_at_last(steps: LifecycleSteps) -> None:
    item = steps.save(steps.user())
    late = steps.claim_one()
    claim = late
    for _ in range(2):
        steps.expire_lease(claim.item_id)
        assert steps.sweep() == 1
        assert steps.state(item) == ("queued", "pending")
        steps.make_due()
        claim = steps.claim_one()
        assert claim.attempts == 1
    steps.expire_lease(claim.item_id)
    steps.sweep()
    assert steps.state(item) == ("failed", "failed")
    rows = steps.row("SELECT array_agg(attempt_no ORDER BY attempt_no), array_agg(error_code) FROM extraction_attempts")
    assert rows == ([1, 2, 3], ["worker_lost"] * 3)
    assert steps.succeed(late) == "lost_lease"
    assert steps.fail(late) == "lost_lease"
    assert steps.state(item) == ("failed", "failed")


def test_worker_that_wakes_up_late_changes_nothing(steps: LifecycleSteps) -> None:
    item = steps.save(steps.user())
    late = steps.claim_one()
    steps.expire_lease(late.item_id)
    steps.sweep()
    steps.make_due()
    current = steps.claim_one()  # the same worker, even
    assert steps.succeed(late, article("https://example.org/late")) == "lost_lease"
    assert steps.succeed(current) == "won"
    assert steps.row("SELECT canonical_url FROM media") == (URL,)
    assert steps.succeed(late) == "lost_lease"
    assert steps.state(item) == ("succeeded", "ready_for_reading")


def test_worker_has_one_suspect_at_a_time(steps: LifecycleSteps) -> None:
    user = steps.user()
    for _ in range(3):
        steps.save(user)
    for claim in steps.claim(limit=3):
        steps.expire_lease(claim.item_id)
    steps.sweep()
    steps.make_due()
    fresh = steps.save(user)
    first = steps.claim(limit=5)
    assert sorted(claim.losses for claim in first) == [0, 1]
    assert fresh in {claim.item_id for claim in first}
    assert steps.claim(limit=5) == []
    for claim in first:
        steps.succeed(claim)
    assert [claim.losses for claim in steps.claim(limit=5)] == [1]
    assert steps.row("SELECT sum(losses) FROM items WHERE status = 'succeeded'") == (0,)


def test_released_claim_does_not_count(steps: LifecycleSteps) -> None:
    item = steps.save(steps.user())
    claim = steps.claim_one()
    with steps.session() as session:
        assert lifecycle.release(session, [claim], worker_id=steps.worker_id) == 1
    assert steps.state(item) == ("queued", "pending")
    assert steps.row("SELECT attempts, processing_attempts FROM items JOIN media ON media.id = media_id") == (0, 0)
    again = steps.claim_one()
    assert steps.succeed(claim) == "lost_lease"
    assert steps.succeed(again) == "won"


def test_postponed_item_waits_without_an_attempt(steps: LifecycleSteps) -> None:
    item_id = steps.save(steps.user())
    claim = steps.claim_one()
    with steps.session() as session:
        outcome = Postponed(claim, 300, "The site is busy.")
        assert lifecycle.settle(session, [outcome], min_chars=1) == {claim: "postponed"}
    assert steps.state(item_id) == ("queued", "pending")
    waits, detail, attempts = steps.row(
        "SELECT due_at - updated_at >= interval '300 s', status_detail, attempts FROM items WHERE id = :p0", item_id
    )
    assert (waits, detail, attempts) == (True, "The site is busy.", 0)
    assert steps.row("SELECT processing_attempts FROM media")[0] == 0
    assert steps.row("SELECT count(*) FROM extraction_attempts")[0] == 0
    with steps.session() as session:
        assert lifecycle.settle(session, [Postponed(claim, 300, "Late.")], min_chars=1) == {claim: "lost_lease"}


def test_claims_are_fair_between_users_and_oldest_first(steps: LifecycleSteps) -> None:
    busy, late = steps.user(), steps.user()
    items = [steps.save(busy) for _ in range(10)]
    other = steps.save(late)
    claimed = [claim.item_id for claim in steps.claim(limit=3)]
    assert set(claimed) == {items[0], other, items[1]}


def test_single_slot_serves_users_in_turn(steps: LifecycleSteps) -> None:
    busy, late = steps.user(), steps.user()
    for _ in range(3):
        steps.save(busy)
    other = steps.save(late)
    first = steps.claim_one()
    steps.fail(first)
    (second,) = steps.claim(served=[first.user_id])
    assert second.item_id == other


def test_other_workers_skip_what_one_is_claiming(steps: LifecycleSteps) -> None:
    user = steps.user()
    items = {steps.save(user) for _ in range(3)}
    with steps.session() as session:
        (first,) = lifecycle.claim(session, worker_id=uuid4(), limit=1, lease_seconds=30)
        others = {claim.item_id for claim in steps.claim(limit=5)}
    assert others == items - {first.item_id}


def test_claim_by_media_takes_it_once(steps: LifecycleSteps) -> None:
    media_id = steps.media_of(steps.save(steps.user()))
    with steps.session() as session:
        claim = lifecycle.claim_media(session, media_id, worker_id=uuid4(), lease_seconds=30)
    assert claim is not None
    with steps.session() as session:
        assert lifecycle.claim_media(session, media_id, worker_id=uuid4(), lease_seconds=30) is None
        assert lifecycle.claim_media(session, uuid4(), worker_id=uuid4(), lease_seconds=30) is None
    assert steps.succeed(claim) == "won"


def test_paste_is_private_and_replaces_the_failed_media(steps: LifecycleSteps) -> None:
    user = steps.user()
    item = steps.save(user)
    failed = steps.media_of(item)
    steps.fail(steps.claim_one())
    steps.paste(user, item, "First\n\nSecond <b>")
    assert steps.state(item) == ("succeeded", "ready_for_reading")
    row = steps.row(
        "SELECT kind, owner_user_id, canonical_url, canonical_text, html_sanitized FROM media JOIN fragments"
        " ON media_id = media.id"
    )
    assert row == ("pasted_text", user.user_id, None, "First\nSecond <b>", "<p>First</p><p>Second &lt;b&gt;</p>")
    assert steps.row("SELECT alias_id, user_id, media_id FROM media_aliases") == (
        failed, user.user_id, steps.media_of(item),
    )  # fmt: skip
    assert steps.row("SELECT final_text_source, canonical_text FROM items JOIN item_content ON item_id = id") == (
        "user_pasted_text", "First\n\nSecond <b>",
    )  # fmt: skip
    assert steps.row("SELECT count(*), max(library_id::text) FROM library_media") == (1, str(user.default_library_id))
    with pytest.raises(NotWaitingForTextError):
        steps.paste(user, item)


def test_paste_over_a_short_shared_media_leaves_it_to_the_others(steps: LifecycleSteps) -> None:
    one, other = steps.user(), steps.user()
    mine, theirs = steps.save(one), steps.save(other)
    for claim in steps.claim(limit=2):
        steps.succeed(claim, article(words="Short"))
    shared = steps.media_of(theirs)
    steps.paste(one, mine)
    assert steps.media_of(mine) != shared
    assert steps.state(theirs) == ("needs_user_text", "ready_for_reading")
    libraries = steps.row("SELECT array_agg(library_id) FROM library_media WHERE media_id = :p0", shared)
    assert libraries == ([other.default_library_id],)
    assert steps.row("SELECT user_id, media_id FROM media_aliases WHERE alias_id = :p0", shared) == (
        one.user_id, steps.media_of(mine),
    ), "its id leads only this one to the paste"  # fmt: skip


def test_retry_gives_one_more_attempt_and_three_in_all(steps: LifecycleSteps) -> None:
    user = steps.user()
    item = steps.save(user, max_attempts=1)
    media_id = steps.media_of(item)
    with pytest.raises(RetryInvalidStateError):
        steps.retry(user, media_id)
    for _ in range(2):
        steps.fail(steps.claim_one(), "timeout", retryable=True)
        assert "retry" in steps.actions(user, item)
        steps.retry(user, media_id)
        assert steps.state(item) == ("queued", "pending")
    steps.fail(steps.claim_one(), "timeout", retryable=True)
    assert "retry" not in steps.actions(user, item), "only what works is offered"
    with pytest.raises(RetryExhaustedError):
        steps.retry(user, media_id)
    assert steps.row("SELECT count(*), max(attempt_no) FROM extraction_attempts") == (3, 3)


def test_other_users_can_do_nothing(steps: LifecycleSteps) -> None:
    user, other_user = steps.user(), steps.user()
    item = steps.save(user)
    steps.fail(steps.claim_one())
    for action in (steps.paste, steps.remove):
        with pytest.raises(NotFoundError):
            action(other_user, item)
    with pytest.raises(NotFoundError):
        steps.retry(other_user, steps.media_of(item))
    assert steps.state(item) == ("needs_user_text", "failed")


def test_removed_item_is_gone_and_its_worker_writes_nothing(steps: LifecycleSteps) -> None:
    user = steps.user()
    item = steps.save(user)
    claim = steps.claim_one()
    steps.remove(user, item)
    assert steps.succeed(claim) == "lost_lease"
    for table in ("items", "media", "library_media", "fragments", "extraction_attempts"):
        assert steps.row(f"SELECT count(*) FROM {table}") == (0,)


def test_removing_deletes_all_items_of_that_media_but_not_those_of_other_users(steps: LifecycleSteps) -> None:
    one, other = steps.user(), steps.user()
    first, theirs = steps.save(one), steps.save(other)
    steps.save(one)
    for claim in steps.claim(limit=3):
        steps.succeed(claim)
    steps.remove(one, first)
    assert steps.row("SELECT count(*) FROM items WHERE user_id = :p0", one.user_id) == (0,)
    assert steps.row("SELECT count(*) FROM library_media") == (1,)
    assert steps.state(theirs) == ("succeeded", "ready_for_reading")
    steps.remove(other, theirs)
    assert steps.row("SELECT count(*) FROM media") == (0,)
