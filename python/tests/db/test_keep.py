"""A short text is kept as it is: for the one who wants it, and for nobody else."""

import pytest

from nexus.errors import NotFoundError, NothingToKeepError, NotWaitingForTextError
from tests.db.lifecycle_steps import LONG, URL, World, article

SHORT = "A poem of eight words, and that is all."
SUCCEEDED, TOO_SHORT = ("succeeded", "ready_for_reading"), ("needs_user_text", "ready_for_reading")


def test_short_text_is_kept_with_all_that_is_known_about_it(world: World) -> None:
    viewer = world.viewer()
    saved = world.save(viewer)
    short = world.media_of(saved)
    world.succeed(world.claim_one(), article(words=SHORT, byline="Ann", site_name="Poems", word_count=9))
    world.keep(viewer, saved)
    assert (world.state(saved), world.text_of(saved)) == (SUCCEEDED, SHORT)
    assert world.one("SELECT status_detail, final_text_source FROM items") == (None, "extracted_from_url")
    row = world.one("SELECT kind, title, byline, site_name, word_count, canonical_url, owner_user_id FROM media")
    assert row == ("web_article", "Story", "Ann", "Poems", 9, None, viewer.user_id)
    assert world.one("SELECT media_id FROM media_aliases WHERE alias_id = :p0", short) == (world.media_of(saved),)
    content = world.one("SELECT extracted_text, canonical_text FROM item_content WHERE item_id = :p0", saved)
    assert content == (SHORT, SHORT)
    with pytest.raises(NotWaitingForTextError):
        world.keep(viewer, saved)


def test_others_still_wait_and_a_better_text_still_wins(world: World) -> None:
    keeper, other = world.viewer(), world.viewer()
    kept, waiting = world.save(keeper), world.save(other)
    for claim in world.claim(limit=2):
        world.succeed(claim, article(words=SHORT))
    world.keep(keeper, kept)
    assert world.state(waiting) == TOO_SHORT
    late = world.save(world.viewer())
    assert world.succeed(world.claim_one(), article(words=LONG)) == "won"
    assert {world.state(saved) for saved in (kept, waiting, late)} == {SUCCEEDED}
    assert [world.text_of(saved) for saved in (kept, waiting, late)] == [SHORT, LONG, LONG]
    assert world.one("SELECT media_id = :p0 FROM items WHERE id = :p1", world.media_of(late), waiting) == (True,)
    again = world.save(keeper)
    assert world.succeed(world.claim_one(), article(words=LONG)) == "merged"
    assert (world.text_of(again), world.text_of(kept)) == (LONG, SHORT)
    assert world.one("SELECT count(*) FROM media WHERE canonical_url = :p0", URL) == (1,)


def test_two_may_keep_the_same_short_text_and_remove_it_alone(world: World) -> None:
    people = [world.viewer() for _ in range(2)]
    saves = [world.save(person) for person in people]
    for claim in world.claim(limit=2):
        world.succeed(claim, article(words=SHORT))
    for person, saved in zip(people, saves, strict=True):
        world.keep(person, saved)
    assert world.media_of(saves[0]) != world.media_of(saves[1])
    world.remove(people[0], saves[0])
    assert (world.state(saves[1]), world.text_of(saves[1])) == (SUCCEEDED, SHORT)


def test_kept_text_can_be_fetched_again_and_stays(world: World) -> None:
    viewer = world.viewer()
    saved = world.save(viewer)
    world.succeed(world.claim_one(), article(words=SHORT))
    world.keep(viewer, saved)
    assert world.fetch_again(viewer, world.media_of(saved)).is_new
    assert world.succeed(world.claim_one(), article(words=LONG)) == "unchanged"
    assert world.text_of(saved) == SHORT
    assert "different now" in world.one("SELECT status_detail FROM items")[0]


def test_nothing_is_kept_of_a_wall(world: World) -> None:
    viewer, stranger = world.viewer(), world.viewer()
    saved = world.save(viewer)
    world.fail(world.claim_one(), "blocked_page")
    with pytest.raises(NothingToKeepError):
        world.keep(viewer, saved)
    with pytest.raises(NotFoundError):
        world.keep(stranger, saved)
    assert world.state(saved) == ("needs_user_text", "failed")
