"""A new reading of a page that somebody has: the current version for everybody, the versions before stay."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import event

from nexus.services import lifecycle
from nexus.services.library.read_state import mark_read
from nexus.services.lifecycle import Claim, Result, Succeeded
from nexus.services.search.entry_texts import entry_texts
from tests.blocked_statements import wait_until_blocked
from tests.lifecycle_steps import LONG, URL, LifecycleSteps, article, attempt_record

SHORT = "A cookie banner and nothing else."
CHANGED = LONG.replace("worth keeping", "worth quoting", 1)
LONGER = CHANGED + "And so it goes on with many more words than it had at first. " * 10
VERSIONS = "SELECT array_agg(canonical_text ORDER BY version) FROM fragments WHERE media_id = :p0"


def succeeded(claim: Claim, words: str, **facts: Any) -> Succeeded:
    return Succeeded(claim, article(words=words, **facts), (attempt_record(),))


def texts_of(steps: LifecycleSteps, media_id: UUID) -> list[str]:
    found: list[str] = steps.row(VERSIONS, media_id)[0]
    return found


@pytest.mark.parametrize(
    ("words", "result"), [(LONG, "merged"), (CHANGED, "new_version"), (LONGER, "new_version"), (LONG[:800], "merged")]
)
def test_another_save_of_the_same_page(steps: LifecycleSteps, words: str, result: Result) -> None:
    first = steps.save(steps.user())
    steps.succeed(steps.claim_one())
    media_id = steps.media_of(first)
    second = steps.save(steps.user())
    assert steps.succeed(steps.claim_one(), article(words=words)) == result
    assert steps.media_of(second) == media_id
    current = words if result == "new_version" else LONG
    assert steps.text_of(first) == steps.text_of(second) == current
    assert texts_of(steps, media_id) == ([LONG, words] if result == "new_version" else [LONG])
    assert steps.row("SELECT count(*) FROM media") == (1,)


def test_what_is_known_about_the_article_follows_its_current_version(steps: LifecycleSteps) -> None:
    user = steps.user()
    item = steps.save(user)
    steps.succeed(steps.claim_one(), article(title="Old", byline="A", word_count=3, lead_image_url="https://a.test/1"))
    steps.save(steps.user())
    facts: dict[str, Any] = {"title": "New", "byline": "B", "word_count": 4, "lead_image_url": "https://a.test/2"}
    steps.succeed(steps.claim_one(), article(words=CHANGED, origin="rendered", **facts))
    assert steps.row("SELECT title, byline, word_count, lead_image_url, canonical_url FROM media") == (
        "New", "B", 4, "https://a.test/2", URL,
    )  # fmt: skip
    assert steps.row("SELECT title FROM items WHERE id = :p0", item) == ("New",)
    rows = "SELECT array_agg(CAST((version, origin, title, word_count) AS text) ORDER BY version) FROM media_versions"
    assert steps.row(rows) == (["(1,fetched,Old,3)", "(2,rendered,New,4)"],)
    content = steps.row("SELECT extracted_text, canonical_text FROM item_content WHERE item_id = :p0", item)
    assert content == (CHANGED, CHANGED)


def test_only_the_current_version_is_searched(steps: LifecycleSteps) -> None:
    steps.save(steps.user())
    steps.succeed(steps.claim_one(), article(words=LONG + "Xylophone."))
    steps.save(steps.user())
    steps.succeed(steps.claim_one(), article(words=LONG + "Marimba."))
    library_id, media_id = steps.row("SELECT library_id, media_id FROM library_media LIMIT 1")
    with steps.session() as session:
        (entry,) = entry_texts(session, library_id, [media_id])
    assert ("Xylophone" in entry.text, "Marimba" in entry.text) == (False, True)


@pytest.mark.parametrize(("first", "is_read"), [(SHORT, False), (LONG, True)])
def test_an_article_stays_read_unless_its_text_was_short(steps: LifecycleSteps, first: str, is_read: bool) -> None:
    user = steps.user()
    item = steps.save(user)
    steps.succeed(steps.claim_one(), article(words=first))
    with steps.session() as session:
        mark_read(session, user, steps.media_of(item))
    steps.save(steps.user())
    steps.succeed(steps.claim_one(), article(words=CHANGED))
    own = "SELECT read_at IS NOT NULL FROM library_media WHERE library_id = :p0"
    assert steps.row(own, user.default_library_id) == (is_read,)


def test_readings_of_one_batch_add_one_version(steps: LifecycleSteps) -> None:
    first = steps.save(steps.user())
    steps.succeed(steps.claim_one())
    items = [steps.save(steps.user()) for _ in range(3)]
    claims = {claim.item_id: claim for claim in steps.claim(limit=3)}
    readings = [succeeded(claims[item], words) for item, words in zip(items, (CHANGED, LONGER, LONG), strict=True)]
    with steps.session() as session:
        results = lifecycle.settle(session, readings, min_chars=600)
    assert list(results.values()) == ["merged", "new_version", "merged"]
    assert texts_of(steps, steps.media_of(first)) == [LONG, LONGER]
    assert {steps.text_of(item) for item in (first, *items)} == {LONGER}


def test_two_workers_settle_two_readings_of_one_page_at_once(steps: LifecycleSteps) -> None:
    """The second waits for the first, and then compares its text with that."""
    items = [steps.save(steps.user()) for _ in range(2)]
    claims = {claim.item_id: claim for claim in steps.claim(limit=2)}
    one, two = (claims[item] for item in items)
    with ThreadPoolExecutor(1) as threads:
        with steps.session() as session:
            assert lifecycle.settle(session, [succeeded(one, LONG)], min_chars=600) == {one: "won"}
            settling = threads.submit(steps.succeed, two, article(words=CHANGED))
            wait_until_blocked(steps.database)
        assert settling.result() == "new_version"
    assert steps.media_of(items[0]) == steps.media_of(items[1])
    assert texts_of(steps, steps.media_of(items[0])) == [LONG, CHANGED]


def test_a_save_and_a_fetch_again_of_one_page_are_settled_at_once(steps: LifecycleSteps) -> None:
    user = steps.user()
    item = steps.save(user)
    steps.succeed(steps.claim_one())
    steps.fetch_again(user, steps.media_of(item))
    steps.save(steps.user())
    again, other = sorted(steps.claim(limit=2), key=lambda claim: claim.user_id != user.user_id)
    with ThreadPoolExecutor(1) as threads:
        with steps.session() as session:
            lifecycle.settle(session, [succeeded(other, CHANGED)], min_chars=600)
            settling = threads.submit(steps.succeed, again, article(words=CHANGED))
            wait_until_blocked(steps.database)
        assert settling.result() == "unchanged", "the other one was there first, with the same text"
    assert texts_of(steps, steps.media_of(item)) == [LONG, CHANGED]


def test_retry_finds_what_somebody_else_read_meanwhile(steps: LifecycleSteps) -> None:
    user = steps.user()
    failed = steps.save(user)
    steps.fail(steps.claim_one())
    other = steps.save(steps.user())
    steps.succeed(steps.claim_one())
    steps.retry(user, steps.media_of(failed))
    assert steps.succeed(steps.claim_one(), article(words=CHANGED)) == "new_version"
    assert steps.text_of(failed) == steps.text_of(other) == CHANGED


def test_pasted_and_kept_texts_are_never_versions_of_what_others_have(steps: LifecycleSteps) -> None:
    pasting, keeping, other = steps.user(), steps.user(), steps.user()
    pasted, kept, waiting = (steps.save(user) for user in (pasting, keeping, other))
    for claim in steps.claim(limit=3):
        steps.succeed(claim, article(words=SHORT))
    shared = steps.media_of(waiting)
    steps.paste(pasting, pasted, "My own words. " * 90)
    steps.keep(keeping, kept)
    assert texts_of(steps, shared) == [SHORT]
    steps.save(steps.user())
    steps.succeed(steps.claim_one(), article(words=LONG))
    assert texts_of(steps, shared) == [SHORT, LONG]
    assert [len(texts_of(steps, steps.media_of(item))) for item in (pasted, kept)] == [1, 1]
    owners = "SELECT count(*) FROM media JOIN media_versions ON media_id = id WHERE owner_user_id IS NULL"
    assert steps.row(f"{owners} AND origin NOT IN ('fetched', 'rendered')") == (0,)


def test_a_batch_of_new_versions_costs_as_many_statements_as_one(steps: LifecycleSteps) -> None:
    """A batch of unchanged readings needs as many statements as one, as a batch of first texts does."""

    def statements(pages: range, words: str) -> int:
        for page in pages:
            steps.save(steps.user(), f"https://example.org/{page}")
        claims = steps.claim(limit=len(pages))
        readings = [Succeeded(each, article(each.url, words), (attempt_record(),)) for each in claims]
        executed: list[str] = []
        with steps.session() as session:
            connection = session.connection()
            event.listen(connection, "before_cursor_execute", lambda *args: executed.append(args[2]))
            lifecycle.settle(session, readings, min_chars=600)
        return len(executed)

    first = [statements(pages, LONG) for pages in (range(1), range(1, 11))]
    assert first[0] == first[1]
    versions = [statements(pages, CHANGED) for pages in (range(1), range(1, 11))]
    assert versions[0] == versions[1]
    same = [statements(pages, CHANGED) for pages in (range(1), range(1, 11))]
    assert same[0] == same[1] < versions[0]


def test_reread_by_a_better_extractor(steps: LifecycleSteps) -> None:
    user = steps.user()
    item = steps.save(user)
    steps.succeed(steps.claim_one())
    media_id = steps.media_of(item)

    def reread(words: str, version: int) -> str | None:
        return steps.reread(media_id, article(words=words, origin="reread"), version)

    assert reread(LONG, 1) == "same"
    assert reread(LONG[:700], 1) == "worse"
    assert reread(LONGER, 1) == "better"
    assert reread(CHANGED, 1) is None, "there is another version by now"
    assert texts_of(steps, media_id) == [LONG, LONGER]
    steps.remove(user, item)
    assert reread(CHANGED, 2) is None, "it was removed"
