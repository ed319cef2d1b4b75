"""What each event of the lifecycle does to a save, its work, its receipt and its shelf."""

import re
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import text

from nexus.errors import NotFoundError, NotWaitingForTextError, RetryExhaustedError, RetryInvalidStateError
from nexus.services import lifecycle
from nexus.services.library.read_state import mark_read
from nexus.services.lifecycle import Postponed
from nexus.services.lifecycle.transitions import TRANSITIONS
from nexus.services.search.passages import passages_of
from tests.db.lifecycle_steps import LONG, URL, World, article

DOCS = Path(__file__).parents[3] / "docs/reference/lifecycle.md"


def test_documented_transitions_are_those_of_the_code() -> None:
    rows = re.findall(r"^\| ([^|]+) \| (\w+), (\w+) \| (\w+), (\w+) \|$", DOCS.read_text(), re.MULTILINE)
    assert rows == [(event, *before, *after) for event, before, after in TRANSITIONS]


def test_article_is_written_whole(world: World) -> None:
    viewer = world.viewer()
    saved = world.save(viewer)
    claim = world.claim_one()
    assert world.state(saved) == ("processing", "extracting")
    assert world.succeed(claim, article(byline="Ann", word_count=5)) == "won"
    assert world.state(saved) == ("succeeded", "ready_for_reading")
    assert world.one("SELECT final_text_source, status_detail, title, lease_until, claimed_by FROM items") == (
        "extracted_from_url", None, "Story", None, None,
    )  # fmt: skip
    row = world.one(
        "SELECT canonical_url, byline, processing_attempts, last_error_code, canonical_text FROM media"
        " JOIN fragments ON media_id = media.id"
    )
    assert row == (URL, "Ann", 1, None, LONG)
    assert world.one("SELECT attempt_no, result, error_code FROM extraction_attempts") == (1, "success", None)


def test_short_text_is_readable_but_the_save_asks_for_more(world: World) -> None:
    saved = world.save(world.viewer())
    assert world.succeed(world.claim_one(), article(words="Too little")) == "won"
    assert world.state(saved) == ("needs_user_text", "ready_for_reading")
    assert "10 characters" in world.one("SELECT status_detail FROM items")[0]


def test_same_page_is_one_work_on_every_shelf(world: World) -> None:
    people = [world.viewer() for _ in range(3)]
    saves = [world.save(person) for person in people for _ in range(2)]
    losers = [world.media_of(saved) for saved in saves]
    assert [world.succeed(claim) for claim in world.claim(limit=6)].count("won") == 1
    assert world.one("SELECT count(*) FROM media")[0] == 1
    winner = world.media_of(saves[0])
    assert {world.media_of(saved) for saved in saves} == {winner}
    assert {world.state(saved) for saved in saves} == {("succeeded", "ready_for_reading")}
    assert world.one("SELECT count(*), count(DISTINCT library_id) FROM library_media") == (3, 3)
    aliased = world.one("SELECT array_agg(alias_id ORDER BY alias_id), array_agg(DISTINCT media_id) FROM media_aliases")
    assert aliased == (sorted(set(losers) - {winner}), [winner])


def test_batch_settles_duplicates_failures_and_lost_claims_at_once(world: World) -> None:
    viewer = world.viewer()
    saves = [world.save(viewer) for _ in range(4)]
    first, second, third, fourth = world.claim(limit=4)
    world.lose(fourth)
    world.sweep()
    outcomes: list[lifecycle.Outcome] = [
        lifecycle.Succeeded(first, article(), ()),
        lifecycle.Succeeded(second, article(), ()),
        lifecycle.Failed(third, lifecycle.Failure("non_html", "That is a picture."), ()),
        lifecycle.Succeeded(fourth, article("https://example.org/other"), ()),
    ]
    with world.session() as session:
        results = lifecycle.settle(session, outcomes, min_chars=0)
    assert list(results.values()) == ["won", "merged", "failed", "lost_lease"]
    states = sorted(world.state(saved) for saved in saves)
    assert [item for item, _ in states] == ["needs_user_text", "queued", "succeeded", "succeeded"]


def test_merge_keeps_what_each_person_has_read(world: World) -> None:
    reader, newcomer = world.viewer(), world.viewer()
    first = world.save(reader)
    assert world.succeed(world.claim_one()) == "won"
    with world.session() as session:
        mark_read(session, reader, world.media_of(first))
    world.save(reader)
    world.save(newcomer)
    assert [world.succeed(world.claim_one()) for _ in range(2)] == ["merged", "merged"]
    read = "SELECT read_at IS NOT NULL FROM library_media WHERE library_id = :p0"
    assert (world.one(read, reader.default_library_id), world.one(read, newcomer.default_library_id)) == (
        (True,), (False,),
    )  # fmt: skip


def test_retryable_failure_waits_and_comes_back(world: World) -> None:
    saved = world.save(world.viewer())
    assert world.fail(world.claim_one(), "http_503", retryable=True, retry_after=100.0) == "requeued"
    assert world.state(saved) == ("queued", "pending")
    wait, detail = world.one("SELECT extract(epoch FROM due_at - now()), status_detail FROM items")
    assert 95 <= wait <= 121
    assert detail == "It did not work. We will try again."
    assert world.claim() == []
    world.make_due()
    assert world.fail(world.claim_one(), "http_503", retryable=True) == "failed"
    assert world.state(saved) == ("needs_user_text", "failed")
    assert world.one("SELECT status_detail FROM items") == ("It did not work. You can paste the text instead.",)
    row = world.one("SELECT last_error_code, last_error_message, failure_stage, processing_attempts FROM media")
    assert row == ("E_INGEST_FAILED", "http_503: It did not work.", "extract", 2)
    assert world.one("SELECT array_agg(attempt_no ORDER BY attempt_no) FROM extraction_attempts") == ([1, 2],)


def test_nobody_waits_longer_than_an_hour(world: World) -> None:
    world.save(world.viewer())
    world.fail(world.claim_one(), "http_429", retryable=True, retry_after=1e6)
    assert world.one("SELECT due_at - now() < interval '73 minutes' FROM items") == (True,)


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
def test_final_failure_by_code(world: World, code: str, item: str, media_code: str) -> None:
    saved = world.save(world.viewer(), max_attempts=1)
    world.fail(world.claim_one(), code, retryable=True)
    assert world.state(saved) == (item, "failed")
    assert world.one("SELECT last_error_code FROM media") == (media_code,)


def test_lost_worker_leaves_a_line_and_a_poison_page_comes_to_an_end(world: World) -> None:
    saved = world.save(world.viewer())
    late = world.claim_one()
    claim = late
    for _ in range(2):
        world.lose(claim)
        assert world.sweep() == 1
        assert world.state(saved) == ("queued", "pending")
        world.make_due()
        claim = world.claim_one()
        assert claim.attempt_no == 1
    world.lose(claim)
    world.sweep()
    assert world.state(saved) == ("failed", "failed")
    rows = world.one("SELECT array_agg(attempt_no ORDER BY attempt_no), array_agg(error_code) FROM extraction_attempts")
    assert rows == ([1, 2, 3], ["worker_lost"] * 3)
    assert world.succeed(late) == "lost_lease"
    assert world.fail(late) == "lost_lease"
    assert world.state(saved) == ("failed", "failed")


def test_worker_that_wakes_up_late_changes_nothing(world: World) -> None:
    saved = world.save(world.viewer())
    late = world.claim_one()
    world.lose(late)
    world.sweep()
    world.make_due()
    current = world.claim_one()  # the same worker, even
    assert world.succeed(late, article("https://example.org/late")) == "lost_lease"
    assert world.succeed(current) == "won"
    assert world.one("SELECT canonical_url FROM media") == (URL,)
    assert world.succeed(late) == "lost_lease"
    assert world.state(saved) == ("succeeded", "ready_for_reading")


def test_worker_has_one_suspect_at_a_time(world: World) -> None:
    viewer = world.viewer()
    for _ in range(3):
        world.save(viewer)
    for claim in world.claim(limit=3):
        world.lose(claim)
    world.sweep()
    world.make_due()
    fresh = world.save(viewer)
    first = world.claim(limit=5)
    assert sorted(claim.losses for claim in first) == [0, 1]
    assert fresh in {claim.item_id for claim in first}
    assert world.claim(limit=5) == []
    for claim in first:
        world.succeed(claim)
    assert [claim.losses for claim in world.claim(limit=5)] == [1]
    assert world.one("SELECT sum(losses) FROM items WHERE status = 'succeeded'") == (0,)


def test_handed_back_claim_does_not_count(world: World) -> None:
    saved = world.save(world.viewer())
    claim = world.claim_one()
    with world.session() as session:
        assert lifecycle.hand_back(session, [claim], worker_id=world.worker_id) == 1
    assert world.state(saved) == ("queued", "pending")
    assert world.one("SELECT attempts, processing_attempts FROM items JOIN media ON media.id = media_id") == (0, 0)
    again = world.claim_one()
    assert world.succeed(claim) == "lost_lease"
    assert world.succeed(again) == "won"


def test_postponed_save_waits_without_an_attempt_or_a_line(world: World) -> None:
    item_id = world.save(world.viewer())
    claim = world.claim_one()
    with world.session() as session:
        outcome = Postponed(claim, 300, "The site is busy.")
        assert lifecycle.settle(session, [outcome], min_chars=1) == {claim: "postponed"}
    assert world.state(item_id) == ("queued", "pending")
    waits, detail, attempts = world.one(
        "SELECT due_at > now() + interval '290 s', status_detail, attempts FROM items WHERE id = :p0", item_id
    )
    assert (waits, detail, attempts) == (True, "The site is busy.", 0)
    assert world.one("SELECT processing_attempts FROM media")[0] == 0
    assert world.one("SELECT count(*) FROM extraction_attempts")[0] == 0
    with world.session() as session:
        assert lifecycle.settle(session, [Postponed(claim, 300, "Late.")], min_chars=1) == {claim: "lost_lease"}


def test_heartbeat_renews_what_is_ours_and_names_what_is_not(world: World) -> None:
    for _ in range(2):
        world.save(world.viewer())
    kept, lost = world.claim(limit=2)
    world.lose(lost)
    world.sweep()
    with world.session() as session:
        mine = lifecycle.heartbeat(session, [kept, lost], worker_id=world.worker_id, lease_seconds=300)
    assert mine == {kept.item_id}
    assert world.one("SELECT lease_until > now() + interval '200 s' FROM items WHERE status = 'processing'") == (True,)


def test_heartbeat_does_not_wait_for_a_row_that_is_being_settled(world: World) -> None:
    world.save(world.viewer())
    claim = world.claim_one()
    world.connection.execute("SELECT FROM items FOR UPDATE")
    with world.session() as session:
        session.execute(text("SET LOCAL lock_timeout = '1ms'"))
        mine = lifecycle.heartbeat(session, [claim], worker_id=world.worker_id, lease_seconds=30)
    assert mine == {claim.item_id}


def test_claims_are_fair_between_users_and_oldest_first(world: World) -> None:
    busy, late = world.viewer(), world.viewer()
    saves = [world.save(busy) for _ in range(10)]
    other = world.save(late)
    claimed = [claim.item_id for claim in world.claim(limit=3)]
    assert set(claimed) == {saves[0], other, saves[1]}


def test_single_slot_serves_users_in_turn(world: World) -> None:
    busy, late = world.viewer(), world.viewer()
    for _ in range(3):
        world.save(busy)
    other = world.save(late)
    first = world.claim_one()
    world.fail(first)
    (second,) = world.claim(served=[first.user_id])
    assert second.item_id == other


def test_other_workers_skip_what_one_is_claiming(world: World) -> None:
    viewer = world.viewer()
    saves = {world.save(viewer) for _ in range(3)}
    with world.session() as session:
        (first,) = lifecycle.claim(session, worker_id=uuid4(), limit=1, lease_seconds=30)
        others = {claim.item_id for claim in world.claim(limit=5)}
    assert others == saves - {first.item_id}


def test_claim_by_media_takes_it_once(world: World) -> None:
    media_id = world.media_of(world.save(world.viewer()))
    with world.session() as session:
        claim = lifecycle.claim_media(session, media_id, worker_id=uuid4(), lease_seconds=30)
    assert claim is not None
    with world.session() as session:
        assert lifecycle.claim_media(session, media_id, worker_id=uuid4(), lease_seconds=30) is None
        assert lifecycle.claim_media(session, uuid4(), worker_id=uuid4(), lease_seconds=30) is None
    assert world.succeed(claim) == "won"


def test_paste_is_private_and_takes_the_place_of_the_failed_work(world: World) -> None:
    viewer = world.viewer()
    saved = world.save(viewer)
    failed = world.media_of(saved)
    world.fail(world.claim_one())
    world.paste(viewer, saved, "First\n\nSecond <b>")
    assert world.state(saved) == ("succeeded", "ready_for_reading")
    row = world.one(
        "SELECT kind, owner_user_id, canonical_url, canonical_text, html_sanitized FROM media JOIN fragments"
        " ON media_id = media.id"
    )
    assert row == ("pasted_text", viewer.user_id, None, "First\nSecond <b>", "<p>First</p><p>Second &lt;b&gt;</p>")
    assert world.one("SELECT alias_id, user_id, media_id FROM media_aliases") == (
        failed, viewer.user_id, world.media_of(saved),
    )  # fmt: skip
    assert world.one("SELECT final_text_source, canonical_text FROM items JOIN item_content ON item_id = id") == (
        "user_pasted_text", "First\n\nSecond <b>",
    )  # fmt: skip
    assert world.one("SELECT count(*), max(library_id::text) FROM library_media") == (1, str(viewer.default_library_id))
    with pytest.raises(NotWaitingForTextError):
        world.paste(viewer, saved)


def test_paste_over_a_short_shared_work_leaves_it_to_the_others(world: World) -> None:
    one, other = world.viewer(), world.viewer()
    mine, theirs = world.save(one), world.save(other)
    for claim in world.claim(limit=2):
        world.succeed(claim, article(words="Short"))
    shared = world.media_of(theirs)
    world.paste(one, mine)
    assert world.media_of(mine) != shared
    assert world.state(theirs) == ("needs_user_text", "ready_for_reading")
    shelves = world.one("SELECT array_agg(library_id) FROM library_media WHERE media_id = :p0", shared)
    assert shelves == ([other.default_library_id],)
    assert world.one("SELECT user_id, media_id FROM media_aliases WHERE alias_id = :p0", shared) == (
        one.user_id, world.media_of(mine),
    ), "its id leads only this one to the paste"  # fmt: skip


def test_retry_gives_one_more_attempt_and_three_in_all(world: World) -> None:
    viewer = world.viewer()
    saved = world.save(viewer, max_attempts=1)
    media_id = world.media_of(saved)
    with pytest.raises(RetryInvalidStateError):
        world.retry(viewer, media_id)
    for _ in range(2):
        world.fail(world.claim_one(), "timeout", retryable=True)
        assert "retry" in world.actions(viewer, saved)
        world.retry(viewer, media_id)
        assert world.state(saved) == ("queued", "pending")
    world.fail(world.claim_one(), "timeout", retryable=True)
    assert "retry" not in world.actions(viewer, saved), "only what works is offered"
    with pytest.raises(RetryExhaustedError):
        world.retry(viewer, media_id)
    assert world.one("SELECT count(*), max(attempt_no) FROM extraction_attempts") == (3, 3)


def test_strangers_can_do_nothing(world: World) -> None:
    viewer, stranger = world.viewer(), world.viewer()
    saved = world.save(viewer)
    world.fail(world.claim_one())
    for deed in (world.paste, world.remove):
        with pytest.raises(NotFoundError):
            deed(stranger, saved)
    with pytest.raises(NotFoundError):
        world.retry(stranger, world.media_of(saved))
    assert world.state(saved) == ("needs_user_text", "failed")


def test_removed_save_is_gone_and_its_worker_writes_nothing(world: World) -> None:
    viewer = world.viewer()
    saved = world.save(viewer)
    claim = world.claim_one()
    world.remove(viewer, saved)
    assert world.succeed(claim) == "lost_lease"
    for table in ("items", "media", "library_media", "fragments", "extraction_attempts"):
        assert world.one(f"SELECT count(*) FROM {table}") == (0,)


def test_removing_takes_every_save_of_that_work_and_leaves_other_people_theirs(world: World) -> None:
    one, other = world.viewer(), world.viewer()
    first, theirs = world.save(one), world.save(other)
    world.save(one)
    for claim in world.claim(limit=3):
        world.succeed(claim)
    world.remove(one, first)
    assert world.one("SELECT count(*) FROM items WHERE user_id = :p0", one.user_id) == (0,)
    assert world.one("SELECT count(*) FROM library_media") == (1,)
    assert world.state(theirs) == ("succeeded", "ready_for_reading")
    world.remove(other, theirs)
    assert world.one("SELECT count(*) FROM media") == (0,)


PASSAGES = """
    SELECT array_agg(CAST((part, first_fragment, first_start, last_fragment, words) AS text) ORDER BY part)
    FROM search_passages WHERE media_id = :p0 AND part > 1
"""


def test_passages_that_came_with_the_page_are_those_of_the_stored_text(world: World) -> None:
    words = "Tides turn twice a day.\n\n" + LONG
    kept = []
    for number, passages in enumerate((None, tuple(passages_of([(0, words)])))):
        saved = world.save(world.viewer())
        page = article(f"https://example.org/{number}", words, passages=passages)
        assert world.succeed(world.claim_one(), page) == "won"
        kept.append(world.one(PASSAGES, world.media_of(saved)))
    assert kept[0] == kept[1]
    assert "'tides':1" in kept[1][0][0]
