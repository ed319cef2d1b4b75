"""A short text is kept as it is, for the user who keeps it and for nobody else."""

import pytest

from nexus.errors import NotFoundError, NothingToKeepError, NotWaitingForTextError
from tests.lifecycle_steps import LONG, URL, LifecycleSteps, article

SHORT = "A poem of eight words, and that is all."
SUCCEEDED, TOO_SHORT = ("succeeded", "ready_for_reading"), ("needs_user_text", "ready_for_reading")


def test_short_text_is_kept_with_all_that_is_known_about_it(steps: LifecycleSteps) -> None:
    user = steps.user()
    item = steps.save(user)
    short = steps.media_of(item)
    steps.succeed(steps.claim_one(), article(words=SHORT, byline="Ann", site_name="Poems", word_count=9))
    steps.keep(user, item)
    assert (steps.state(item), steps.text_of(item)) == (SUCCEEDED, SHORT)
    assert steps.row("SELECT status_detail, final_text_source FROM items") == (None, "extracted_from_url")
    row = steps.row("SELECT kind, title, byline, site_name, word_count, canonical_url, owner_user_id FROM media")
    assert row == ("web_article", "Story", "Ann", "Poems", 9, None, user.user_id)
    assert steps.row("SELECT media_id FROM media_aliases WHERE alias_id = :p0", short) == (steps.media_of(item),)
    content = steps.row("SELECT extracted_text, canonical_text FROM item_content WHERE item_id = :p0", item)
    assert content == (SHORT, SHORT)
    with pytest.raises(NotWaitingForTextError):
        steps.keep(user, item)


def test_others_still_wait_and_a_better_text_still_wins(steps: LifecycleSteps) -> None:
    keeping, other = steps.user(), steps.user()
    kept, waiting = steps.save(keeping), steps.save(other)
    for claim in steps.claim(limit=2):
        steps.succeed(claim, article(words=SHORT))
    steps.keep(keeping, kept)
    assert steps.state(waiting) == TOO_SHORT
    late = steps.save(steps.user())
    assert steps.succeed(steps.claim_one(), article(words=LONG)) == "new_version"
    assert {steps.state(item) for item in (kept, waiting, late)} == {SUCCEEDED}
    assert [steps.text_of(item) for item in (kept, waiting, late)] == [SHORT, LONG, LONG]
    assert steps.row("SELECT media_id = :p0 FROM items WHERE id = :p1", steps.media_of(late), waiting) == (True,)
    again = steps.save(keeping)
    assert steps.succeed(steps.claim_one(), article(words=LONG)) == "merged"
    assert (steps.text_of(again), steps.text_of(kept)) == (LONG, SHORT)
    assert steps.row("SELECT count(*) FROM media WHERE canonical_url = :p0", URL) == (1,)


def test_two_may_keep_the_same_short_text_and_remove_it_alone(steps: LifecycleSteps) -> None:
    users = [steps.user() for _ in range(2)]
    items = [steps.save(user) for user in users]
    for claim in steps.claim(limit=2):
        steps.succeed(claim, article(words=SHORT))
    for user, item in zip(users, items, strict=True):
        steps.keep(user, item)
    assert steps.media_of(items[0]) != steps.media_of(items[1])
    steps.remove(users[0], items[0])
    assert (steps.state(items[1]), steps.text_of(items[1])) == (SUCCEEDED, SHORT)


def test_kept_text_that_is_fetched_again_gets_a_version_of_its_own(steps: LifecycleSteps) -> None:
    """It stays private: other users of the page have another media."""
    user, other = steps.user(), steps.user()
    item, theirs = steps.save(user), steps.save(other)
    for claim in steps.claim(limit=2):
        steps.succeed(claim, article(words=SHORT))
    steps.keep(user, item)
    kept = steps.media_of(item)
    assert steps.fetch_again(user, kept).is_new
    assert steps.succeed(steps.claim_one(), article(words=LONG)) == "new_version"
    assert (steps.media_of(item), steps.text_of(item)) == (kept, LONG)
    assert "more text now" in steps.row("SELECT status_detail FROM items WHERE id = :p0", item)[0]
    assert (steps.text_of(theirs), steps.state(theirs)) == (LONG, SUCCEEDED), "who waited for the page gets it too"
    row = steps.row("SELECT owner_user_id, canonical_url, current_version FROM media WHERE id = :p0", kept)
    assert row == (user.user_id, None, 2)


def test_kept_text_stays_when_its_link_leads_to_another_page(steps: LifecycleSteps) -> None:
    user = steps.user()
    item = steps.save(user)
    steps.succeed(steps.claim_one(), article(words=SHORT))
    steps.keep(user, item)
    steps.fetch_again(user, steps.media_of(item))
    assert steps.succeed(steps.claim_one(), article("https://example.org/start", LONG)) == "unchanged"
    assert steps.text_of(item) == SHORT
    detail = steps.row("SELECT status_detail FROM items WHERE id = :p0", item)[0]
    assert detail == "The link now leads to another page. The text you have was kept."
    assert steps.row("SELECT count(*) FROM media") == (1,)


def test_nothing_is_kept_of_a_wall(steps: LifecycleSteps) -> None:
    user, other_user = steps.user(), steps.user()
    item = steps.save(user)
    steps.fail(steps.claim_one(), "blocked_page")
    with pytest.raises(NothingToKeepError):
        steps.keep(user, item)
    with pytest.raises(NotFoundError):
        steps.keep(other_user, item)
    assert steps.state(item) == ("needs_user_text", "failed")
