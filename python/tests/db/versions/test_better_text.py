"""More text than a short first reading is a new version of it, for everybody who waits for it."""

import threading
from contextlib import suppress

import pytest

from nexus.errors import NotWaitingForTextError
from nexus.services import lifecycle
from nexus.services.library.read_state import mark_read
from nexus.services.lifecycle import Succeeded
from nexus.services.media import get_media
from tests.blocked_statements import wait_until_blocked
from tests.lifecycle_steps import LONG, URL, LifecycleSteps, article, attempt_record

SHORT = "A cookie banner and nothing else."
LONGER = "Still only a teaser, but more of it than the first time."
SUCCEEDED, TOO_SHORT = ("succeeded", "ready_for_reading"), ("needs_user_text", "ready_for_reading")


def test_better_text_reaches_everybody_who_waits(steps: LifecycleSteps) -> None:
    users = [steps.user() for _ in range(3)]
    waiting = [steps.save(user) for user in users[:2]]
    for claim in steps.claim(limit=2):
        steps.succeed(claim, article(words=SHORT))
    assert {steps.state(item) for item in waiting} == {TOO_SHORT}
    short = steps.media_of(waiting[0])
    with steps.session() as session:
        mark_read(session, users[0], short)
    late = steps.save(users[2])
    merged = steps.media_of(late)
    assert steps.succeed(steps.claim_one(), article(words=LONG)) == "new_version"
    for item in (*waiting, late):
        assert steps.state(item) == SUCCEEDED
        assert steps.text_of(item) == LONG
        assert steps.row("SELECT status_detail, final_text_source FROM items WHERE id = :p0", item) == (
            None, "extracted_from_url",
        )  # fmt: skip
    assert steps.row("SELECT array_agg(id), array_agg(canonical_url) FROM media") == ([short], [URL])
    assert steps.row("SELECT DISTINCT media_id FROM media_aliases WHERE alias_id = :p0", merged) == (short,)
    assert steps.row("SELECT count(*), count(read_at) FROM library_media WHERE media_id = :p0", short) == (3, 0)


def test_ids_that_were_merged_into_the_short_text_lead_to_the_better_one(steps: LifecycleSteps) -> None:
    first, second = steps.user(), steps.user()
    steps.save(first)
    steps.succeed(steps.claim_one(), article(words=SHORT))
    item = steps.save(second)
    merged = steps.media_of(item)
    assert steps.succeed(steps.claim_one(), article(words=SHORT)) == "merged"
    steps.save(steps.user())
    assert steps.succeed(steps.claim_one(), article(words=LONG)) == "new_version"
    with steps.session() as session:
        assert get_media(session, second, merged).id == steps.media_of(item)


def test_later_saves_of_the_page_are_no_longer_short(steps: LifecycleSteps) -> None:
    steps.save(steps.user())
    steps.succeed(steps.claim_one(), article(words=SHORT))
    for _ in range(2):
        item = steps.save(steps.user())
        steps.succeed(steps.claim_one(), article(words=LONG))
        assert (steps.state(item), steps.text_of(item)) == (SUCCEEDED, LONG)
    assert steps.row("SELECT count(*) FROM media") == (1,)


def test_more_text_wins_even_if_it_is_short_too(steps: LifecycleSteps) -> None:
    first = steps.save(steps.user())
    steps.succeed(steps.claim_one(), article(words=SHORT))
    second = steps.save(steps.user())
    assert steps.succeed(steps.claim_one(), article(words=LONGER)) == "new_version"
    assert {steps.state(first), steps.state(second)} == {TOO_SHORT}
    assert steps.text_of(first) == LONGER
    assert steps.row("SELECT DISTINCT status_detail FROM items")[0].startswith(f"Only {len(LONGER)} characters")


@pytest.mark.parametrize(("first", "second"), [(LONGER, SHORT), (LONG, SHORT)])
def test_less_text_is_merged_and_noted(steps: LifecycleSteps, first: str, second: str) -> None:
    one = steps.save(steps.user())
    steps.succeed(steps.claim_one(), article(words=first))
    other = steps.save(steps.user())
    assert steps.succeed(steps.claim_one(), article(words=second)) == "merged"
    assert steps.text_of(other) == steps.text_of(one) == first
    note = "The page gave less text this time, so the text of an earlier fetch was kept."
    detail = steps.row("SELECT status_detail FROM items WHERE id = :p0", other)[0]
    assert detail == note if first == LONG else detail.startswith(f"Only {len(first)} characters")


def test_text_that_somebody_reads_gets_the_better_version_too(steps: LifecycleSteps) -> None:
    """The text was long enough when WORKER_MIN_CHARS was lower."""
    reader = steps.save(steps.user())
    steps.succeed(steps.claim_one(), article(words=SHORT), min_chars=5)
    late = steps.save(steps.user())
    assert steps.succeed(steps.claim_one(), article(words=LONG), min_chars=600) == "new_version"
    assert steps.media_of(reader) == steps.media_of(late)
    for item in (reader, late):
        assert (steps.text_of(item), steps.state(item)) == (LONG, SUCCEEDED)
    query = "SELECT canonical_text FROM fragments WHERE media_id = :p0 AND version = 1"
    assert steps.row(query, steps.media_of(reader)) == (SHORT,)


def test_longest_text_of_a_batch_wins(steps: LifecycleSteps) -> None:
    items = [steps.save(steps.user()) for _ in range(3)]
    claims = {claim.item_id: claim for claim in steps.claim(limit=3)}
    texts = (SHORT, LONG, LONGER)
    batch = [
        Succeeded(claims[item], article(words=words), (attempt_record(),))
        for item, words in zip(items, texts, strict=True)
    ]
    with steps.session() as session:
        assert list(lifecycle.settle(session, batch, min_chars=600).values()) == ["merged", "won", "merged"]
    assert {steps.state(item) for item in items} == {SUCCEEDED}
    assert {steps.text_of(item) for item in items} == {LONG}


def test_a_paste_over_the_short_text_stays(steps: LifecycleSteps) -> None:
    writer, other = steps.user(), steps.user()
    pasted, waiting = steps.save(writer), steps.save(other)
    for claim in steps.claim(limit=2):
        steps.succeed(claim, article(words=SHORT))
    steps.paste(writer, pasted, "What I copied from the page.")
    steps.save(steps.user())
    steps.succeed(steps.claim_one(), article(words=LONG))
    assert steps.text_of(pasted) == "What I copied from the page."
    assert steps.text_of(waiting) == LONG


def test_paste_that_waits_for_the_better_text_finds_that_it_is_there(steps: LifecycleSteps) -> None:
    """A paste comes in while the better text is being settled."""
    user = steps.user()
    waiting = steps.save(user)
    steps.succeed(steps.claim_one(), article(words=SHORT))
    steps.save(steps.user())
    claim = steps.claim_one()
    refused: list[BaseException] = []

    def paste() -> None:
        try:
            steps.paste(user, waiting)
        except NotWaitingForTextError as error:
            refused.append(error)

    with steps.session() as session:
        lifecycle.settle(session, [lifecycle.Succeeded(claim, article(words=LONG), (attempt_record(),))], min_chars=600)
        thread = threading.Thread(target=paste)
        thread.start()
        wait_until_blocked(steps.database)
    thread.join()
    assert len(refused) == 1
    assert steps.text_of(waiting) == LONG


def test_killed_before_the_commit_nothing_has_changed(steps: LifecycleSteps) -> None:
    waiting = steps.save(steps.user())
    steps.succeed(steps.claim_one(), article(words=SHORT))
    steps.save(steps.user())
    claim = steps.claim_one()
    with suppress(KeyboardInterrupt), steps.session() as session:
        lifecycle.settle(session, [lifecycle.Succeeded(claim, article(words=LONG), (attempt_record(),))], min_chars=600)
        raise KeyboardInterrupt
    assert (steps.state(waiting), steps.text_of(waiting)) == (TOO_SHORT, SHORT)
    assert steps.succeed(claim, article(words=LONG)) == "new_version"
    assert steps.text_of(waiting) == LONG
