"""A short first reading does not keep a URL: more text takes its place, for everybody who waits for it."""

import threading
from contextlib import suppress

import pytest

from nexus.errors import NotWaitingForTextError
from nexus.services import lifecycle
from nexus.services.library.read_state import mark_read
from nexus.services.lifecycle import Succeeded
from tests.db.lifecycle_steps import LONG, URL, World, article, line
from tests.processes import eventually

SHORT = "A cookie banner and nothing else."
LONGER = "Still only a teaser, but more of it than the first time."
SUCCEEDED, TOO_SHORT = ("succeeded", "ready_for_reading"), ("needs_user_text", "ready_for_reading")


def test_better_text_wins_the_url_and_reaches_everybody_who_waits(world: World) -> None:
    people = [world.viewer() for _ in range(3)]
    waiting = [world.save(person) for person in people[:2]]
    for claim in world.claim(limit=2):
        world.succeed(claim, article(words=SHORT))
    assert {world.state(saved) for saved in waiting} == {TOO_SHORT}
    short = world.media_of(waiting[0])
    with world.session() as session:
        mark_read(session, people[0], short)
    late = world.save(people[2])
    better = world.media_of(late)
    assert world.succeed(world.claim_one(), article(words=LONG)) == "won"
    for saved in (*waiting, late):
        assert world.state(saved) == SUCCEEDED
        assert world.text_of(saved) == LONG
        assert world.one("SELECT status_detail, final_text_source FROM items WHERE id = :p0", saved) == (
            None, "extracted_from_url",
        )  # fmt: skip
    assert world.one("SELECT array_agg(id), array_agg(canonical_url) FROM media") == ([better], [URL])
    assert world.one("SELECT DISTINCT media_id FROM media_aliases WHERE alias_id = :p0", short) == (better,)
    assert world.one("SELECT count(*), count(read_at) FROM library_media WHERE media_id = :p0", better) == (3, 0)


def test_later_saves_of_the_page_are_no_longer_short(world: World) -> None:
    world.save(world.viewer())
    world.succeed(world.claim_one(), article(words=SHORT))
    for _ in range(2):
        saved = world.save(world.viewer())
        world.succeed(world.claim_one(), article(words=LONG))
        assert (world.state(saved), world.text_of(saved)) == (SUCCEEDED, LONG)
    assert world.one("SELECT count(*) FROM media") == (1,)


def test_more_text_wins_even_if_it_is_short_too(world: World) -> None:
    first = world.save(world.viewer())
    world.succeed(world.claim_one(), article(words=SHORT))
    second = world.save(world.viewer())
    assert world.succeed(world.claim_one(), article(words=LONGER)) == "won"
    assert {world.state(first), world.state(second)} == {TOO_SHORT}
    assert world.text_of(first) == LONGER
    assert world.one("SELECT DISTINCT status_detail FROM items")[0].startswith(f"Only {len(LONGER)} characters")


@pytest.mark.parametrize(("first", "second"), [(LONGER, SHORT), (LONG, LONG + LONG), (LONG, SHORT)])
def test_what_is_not_better_is_merged_as_before(world: World, first: str, second: str) -> None:
    """A text that is long enough stays: people read it and quote from it."""
    one = world.save(world.viewer())
    world.succeed(world.claim_one(), article(words=first))
    other = world.save(world.viewer())
    assert world.succeed(world.claim_one(), article(words=second)) == "merged"
    assert world.text_of(other) == world.text_of(one) == first


def test_text_that_somebody_reads_stays_theirs(world: World) -> None:
    """It was long enough when WORKER_MIN_CHARS was lower: it keeps its readers, but not the URL."""
    reader = world.save(world.viewer())
    world.succeed(world.claim_one(), article(words=SHORT), min_chars=5)
    kept = world.media_of(reader)
    late = world.save(world.viewer())
    assert world.succeed(world.claim_one(), article(words=LONG), min_chars=600) == "won"
    assert (world.media_of(reader), world.text_of(reader), world.state(reader)) == (kept, SHORT, SUCCEEDED)
    assert (world.text_of(late), world.state(late)) == (LONG, SUCCEEDED)
    assert world.one("SELECT id FROM media WHERE canonical_url = :p0", URL) == (world.media_of(late),)


def test_longest_text_of_a_batch_wins(world: World) -> None:
    saves = [world.save(world.viewer()) for _ in range(3)]
    claims = {claim.item_id: claim for claim in world.claim(limit=3)}
    texts = (SHORT, LONG, LONGER)
    batch = [
        Succeeded(claims[saved], article(words=words), (line(),)) for saved, words in zip(saves, texts, strict=True)
    ]
    with world.session() as session:
        assert list(lifecycle.settle(session, batch, min_chars=600).values()) == ["merged", "won", "merged"]
    assert {world.state(saved) for saved in saves} == {SUCCEEDED}
    assert {world.text_of(saved) for saved in saves} == {LONG}


def test_a_paste_over_the_short_text_stays(world: World) -> None:
    writer, other = world.viewer(), world.viewer()
    pasted, waiting = world.save(writer), world.save(other)
    for claim in world.claim(limit=2):
        world.succeed(claim, article(words=SHORT))
    world.paste(writer, pasted, "What I copied from the page.")
    world.save(world.viewer())
    world.succeed(world.claim_one(), article(words=LONG))
    assert world.text_of(pasted) == "What I copied from the page."
    assert world.text_of(waiting) == LONG


def test_paste_that_waits_for_the_better_text_finds_that_it_is_there(world: World) -> None:
    """A paste comes in while the closing transaction of the better text is open."""
    viewer = world.viewer()
    waiting = world.save(viewer)
    world.succeed(world.claim_one(), article(words=SHORT))
    world.save(world.viewer())
    claim = world.claim_one()
    refused: list[BaseException] = []

    def paste() -> None:
        try:
            world.paste(viewer, waiting)
        except NotWaitingForTextError as error:
            refused.append(error)

    with world.session() as session:
        lifecycle.settle_success(session, claim, article(words=LONG), [line()], min_chars=600)
        thread = threading.Thread(target=paste)
        thread.start()
        blocked = (
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        )
        eventually(lambda: world.one(blocked) == (1,), "the paste does not wait")
    thread.join()
    assert len(refused) == 1
    assert world.text_of(waiting) == LONG


def test_killed_before_the_commit_nothing_has_changed(world: World) -> None:
    waiting = world.save(world.viewer())
    world.succeed(world.claim_one(), article(words=SHORT))
    world.save(world.viewer())
    claim = world.claim_one()
    with suppress(KeyboardInterrupt), world.session() as session:
        lifecycle.settle_success(session, claim, article(words=LONG), [line()], min_chars=600)
        raise KeyboardInterrupt
    assert (world.state(waiting), world.text_of(waiting)) == (TOO_SHORT, SHORT)
    assert world.succeed(claim, article(words=LONG)) == "won"
    assert world.text_of(waiting) == LONG
