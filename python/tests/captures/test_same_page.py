"""Captures of a page that the user has already: their entry gets the captured text, other users keep theirs."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID, uuid4

import httpx2
import psycopg
import pytest

from tests.api.saving import ALICE, BOB, as_user, save
from tests.api.test_errors import problem
from tests.captures.capturing import PAGE, SENTENCE, capture, captured, get, library, page, text_of
from tests.db.invariants import violations
from tests.lifecycle_steps import LifecycleSteps

PUBLIC = ("What everybody gets at this address. " * 30).strip()


@pytest.fixture(autouse=True)
def no_violations(connection: psycopg.Connection) -> Any:
    yield
    assert violations(connection) == set()


def public(client: httpx2.Client, steps: LifecycleSteps, *users: UUID, url: str = PAGE) -> tuple[list[str], str]:
    """The users' items of a page that was fetched, and its media."""
    items = [save(client, user, url=url) for user in users]
    media_id = steps.succeed_item(items[0], PUBLIC, canonical_url=PAGE, title="Public")
    for item in items[1:]:
        steps.merge_item(item, media_id)
    return items, str(media_id)


def patch(client: httpx2.Client, media_id: str, **body: Any) -> None:
    response = client.patch(f"/api/library/{media_id}", json=body, headers=as_user(ALICE))
    assert response.status_code == 200, response.text


def test_captured_again_with_the_same_text(client: httpx2.Client) -> None:
    first = captured(client, tags=["a"], note="One", selection="Day 2. The bridge was closed")
    again = captured(client, url=f"{PAGE}#part", html=page(head="<!-- new -->"), tags=["b"], note="One",
                     selection="Day 2. The bridge was closed")  # fmt: skip
    assert again == first | {"status": "unchanged"}
    (entry,) = library(client)
    assert (entry["tags"], entry["note"], entry["highlight_count"]) == (["a", "b"], "One", 1)
    assert len(get(client, f"/media/{first['media_id']}/versions")["data"]) == 1
    assert len(get(client, f"/api/items/{first['item_id']}/receipt")["attempts"]) == 2


def test_captured_again_with_another_text(client: httpx2.Client) -> None:
    first = captured(client)
    shorter = captured(client, html=page("Now it says this only.", title="New title"))
    assert shorter == first
    media = get(client, f"/media/{first['media_id']}")["data"]
    assert (media["version"], media["versions"], media["title"]) == (2, 2, "New title")
    assert text_of(client, first["media_id"]) == "Now it says this only."
    assert get(client, f"/items/{first['item_id']}")["title"] == "New title"
    versions = get(client, f"/media/{first['media_id']}/versions")["data"]
    assert [(each["origin"], each["original"]) for each in versions] == [("captured", "kept")] * 2


def test_it_comes_back_to_the_inbox(client: httpx2.Client) -> None:
    first = captured(client)
    patch(client, first["media_id"], archived=True)
    captured(client)
    assert library(client)[0]["archived_at"] is None


def test_a_public_page_becomes_the_users_own(client: httpx2.Client, steps: LifecycleSteps) -> None:
    (mine, theirs), media_id = public(client, steps, ALICE, BOB)
    patch(client, media_id, starred=True, tags=["kept"], note="Before", title="My name for it")
    marked = {"version": 1, "start": {"fragment_idx": 0, "offset": 0}, "end": {"fragment_idx": 0, "offset": 20}}
    client.post(f"/media/{media_id}/highlights", json=marked, headers=as_user(ALICE)).raise_for_status()
    saved = captured(client, note="After", html=page("What everybody gets at this address.", SENTENCE * 9))
    assert (saved["item_id"], saved["status"]) == (mine, "succeeded")
    assert saved["media_id"] != media_id
    (entry,) = library(client)
    assert (entry["media_id"], entry["title"], entry["tags"]) == (saved["media_id"], "My name for it", ["kept"])
    assert (entry["note"], entry["highlight_count"]) == ("Before\n\nAfter", 1)
    assert entry["starred_at"]
    by_old_id = client.get(f"/media/{media_id}", headers=as_user(ALICE))
    assert (by_old_id.json()["data"]["id"], by_old_id.json()["data"]["duplicate"]) == (saved["media_id"], True)
    # Of the other user nothing is different.
    assert text_of(client, media_id, BOB) == PUBLIC
    assert get(client, f"/media/{media_id}", BOB)["data"]["canonical_url"] == PAGE
    assert [entry["media_id"] for entry in library(client, BOB)] == [media_id]
    assert get(client, f"/items/{theirs}", BOB)["title"] == "Public"
    problem(client.get(f"/media/{saved['media_id']}", headers=as_user(BOB)), 404, "not_found")


def test_a_page_that_only_others_have(client: httpx2.Client, steps: LifecycleSteps) -> None:
    _, media_id = public(client, steps, BOB)
    saved = captured(client)
    assert saved["media_id"] != media_id
    problem(client.get(f"/media/{media_id}", headers=as_user(ALICE)), 404, "not_found")
    assert text_of(client, media_id, BOB) == PUBLIC


def test_each_user_has_a_capture_of_their_own(client: httpx2.Client) -> None:
    mine, theirs = captured(client), captured(client, BOB, html=page("What Bob sees there."))
    assert mine["media_id"] != theirs["media_id"]
    assert "What Bob sees" not in text_of(client, mine["media_id"])


def test_a_later_fetch_of_the_link_owns_the_url(client: httpx2.Client, steps: LifecycleSteps) -> None:
    """The capture does not hinder the fetch, and the fetch does not change the capture."""
    mine = captured(client)
    _, media_id = public(client, steps, BOB)
    assert get(client, f"/media/{media_id}", BOB)["data"]["canonical_url"] == PAGE
    assert "Day 7." in text_of(client, mine["media_id"])


def test_a_link_that_waits_in_the_queue(client: httpx2.Client, steps: LifecycleSteps) -> None:
    queued = save(client, url=f"{PAGE}#top")
    saved = captured(client)
    assert saved["item_id"] == queued
    assert [entry["status"] for entry in library(client)] == ["succeeded"]
    assert steps.claim() == []


def test_a_worker_that_reads_the_same_page_meanwhile(client: httpx2.Client, steps: LifecycleSteps) -> None:
    queued = save(client, url=PAGE)
    claim = steps.claim_one()
    saved = captured(client)
    assert steps.succeed(claim) == "lost_lease"
    assert (saved["item_id"], "Day 7." in text_of(client, saved["media_id"])) == (queued, True)
    assert len(library(client)) == 1


def test_a_fetch_again_that_is_under_way(client: httpx2.Client, steps: LifecycleSteps) -> None:
    _, media_id = public(client, steps, ALICE)
    client.post(f"/media/{media_id}/fetch-again", headers=as_user(ALICE)).raise_for_status()
    claim = steps.claim_one()
    saved = captured(client)
    assert steps.succeed(claim) == "lost_lease"
    assert "Day 7." in text_of(client, saved["media_id"])


def test_a_short_text_that_was_kept_gets_a_version(client: httpx2.Client, steps: LifecycleSteps) -> None:
    item = save(client, url=PAGE)
    steps.succeed(steps.claim_one(), None, min_chars=100_000)
    kept = client.post(f"/items/{item}/keep", headers=as_user(ALICE))
    assert kept.status_code == 200, kept.text
    (before,) = library(client)
    saved = captured(client)
    assert (saved["item_id"], saved["media_id"]) == (item, before["media_id"])
    assert get(client, f"/media/{saved['media_id']}")["data"]["versions"] == 2
    assert captured(client)["status"] == "unchanged"


def test_pasted_texts_are_left_alone(client: httpx2.Client, steps: LifecycleSteps) -> None:
    item = save(client, url=PAGE)
    steps.fail_item(item)
    pasted = client.patch(f"/items/{item}/text", json={"pasted_text": "By hand"}, headers=as_user(ALICE))
    assert pasted.status_code == 200
    saved = captured(client)
    assert saved["item_id"] != item
    assert {entry["kind"] for entry in library(client)} == {"pasted_text", "web_article"}


def test_a_key_that_is_sent_twice(client: httpx2.Client) -> None:
    key = {"Idempotency-Key": uuid4().hex}
    first, again = (captured(client, headers=key, note="Once", html=page(words)) for words in ("One.", "Two."))
    assert again == first
    assert text_of(client, first["media_id"]) == "One."
    assert library(client)[0]["note"] == "Once"


def test_a_key_that_is_sent_twice_at_once_for_an_item(client: httpx2.Client, steps: LifecycleSteps) -> None:
    item = save(client, url="https://paper.example/moved")
    steps.fail_item(item)
    key = {"Idempotency-Key": uuid4().hex}
    with ThreadPoolExecutor(3) as pool:
        answers = list(pool.map(lambda _: capture(client, item_id=item, headers=key), range(3)))
    assert [each.status_code for each in answers] == [201] * 3, [each.text for each in answers]
    assert {each.json()["item_id"] for each in answers} == {item}
    assert len({each.json()["media_id"] for each in answers}) == 1


@pytest.mark.parametrize("code", ["http_404", "internal_error"])
def test_an_item_that_waits_for_its_text(client: httpx2.Client, steps: LifecycleSteps, code: str) -> None:
    item = save(client, url="https://paper.example/moved")
    steps.fail_item(item, code)
    patch(client, str(steps.media_of(item)), tags=["waiting"])
    saved = captured(client, item_id=item)
    assert (saved["item_id"], saved["status"]) == (item, "succeeded")
    (entry,) = library(client)
    assert (entry["status"], entry["tags"], entry["media_id"]) == ("succeeded", ["waiting"], saved["media_id"])
    attempts = get(client, f"/api/items/{item}/receipt")["attempts"]
    assert [(each["rung"], each["result"]) for each in attempts] == [("static", "error"), ("captured", "success")]
    # The page it is now, not the link it was: captured again it is the same.
    assert captured(client) == saved | {"status": "unchanged"}


def test_an_item_whose_page_was_captured_before(client: httpx2.Client, steps: LifecycleSteps) -> None:
    first = captured(client)
    item = save(client, url="https://paper.example/moved")
    steps.fail_item(item)
    saved = captured(client, item_id=item)
    assert saved == {"item_id": item, "media_id": first["media_id"], "status": "unchanged"}
    assert len(library(client)) == 1


def test_a_short_page_of_an_item(client: httpx2.Client, steps: LifecycleSteps) -> None:
    """Other users of the short page keep waiting for a better text."""
    mine, theirs = save(client, url=PAGE), save(client, BOB, url=PAGE)
    media_id = steps.media_of(mine)
    steps.succeed(steps.claim_one(), min_chars=100_000)
    steps.succeed(steps.claim_one(), min_chars=100_000)
    saved = captured(client, item_id=mine)
    assert saved["media_id"] != str(media_id)
    assert get(client, f"/items/{theirs}", BOB)["status"] == "needs_user_text"


@pytest.mark.parametrize("state", ["queued", "processing", "succeeded", "captured", "pasted"])
def test_an_item_that_waits_for_nothing(client: httpx2.Client, steps: LifecycleSteps, state: str) -> None:
    item = captured(client)["item_id"] if state == "captured" else save(client, url="https://paper.example/other")
    if state == "processing":
        steps.claim_one()
    elif state == "succeeded":
        steps.succeed_item(item)
    elif state == "pasted":
        steps.fail_item(item)
        client.patch(f"/items/{item}/text", json={"pasted_text": "By hand"}, headers=as_user(ALICE))
    before = library(client)
    problem(capture(client, item_id=item, url=f"{PAGE}/x"), 409, "not_waiting_for_text")
    assert library(client) == before


def test_items_of_others(client: httpx2.Client, steps: LifecycleSteps) -> None:
    theirs = save(client, BOB, url=PAGE)
    steps.fail_item(theirs)
    never = capture(client, item_id=str(uuid4())).json()["detail"]
    other = capture(client, item_id=theirs)
    assert problem(other, 404, "not_found")["message"] == never["message"]
    assert get(client, f"/items/{theirs}", BOB)["status"] == "needs_user_text"
    assert library(client) == []
