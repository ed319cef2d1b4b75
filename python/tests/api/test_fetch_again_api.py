"""Fetching a page again and saving a failed link again, through the API."""

from typing import Any
from uuid import UUID

import httpx2
from psycopg import Connection

from tests.api.saving import ALICE, BOB, LINK, as_user, save
from tests.api.test_errors import problem
from tests.lifecycle_steps import LifecycleSteps, article

MINUTE_AGO = "UPDATE items SET fetched_again_at = now() - interval '1 minute' WHERE fetched_again_at IS NOT NULL"


def fetch_again(client: httpx2.Client, media_id: UUID, user: UUID = ALICE) -> httpx2.Response:
    return client.post(f"/media/{media_id}/fetch-again", headers=as_user(user))


def receipt(client: httpx2.Client, item: str) -> dict[str, Any]:
    found: dict[str, Any] = client.get(f"/api/items/{item}/receipt", headers=as_user(ALICE)).json()
    return found


def test_failed_page(client: httpx2.Client, connection: Connection, steps: LifecycleSteps) -> None:
    item = save(client)
    media_id = steps.media_of(item)
    for _ in range(5):
        steps.fail_item(item)
        response = fetch_again(client, media_id)
        assert response.status_code == 202
        assert response.json() == {
            "data": {"media_id": str(media_id), "processing_status": "pending", "fetch_enqueued": True}
        }  # fmt: skip
        assert client.get(f"/items/{item}", headers=as_user(ALICE)).json()["status"] == "queued"
        connection.execute(MINUTE_AGO)
        connection.commit()


def test_second_click_is_told_when_to_come_back(client: httpx2.Client, steps: LifecycleSteps) -> None:
    item = save(client)
    steps.fail_item(item)
    assert fetch_again(client, steps.media_of(item)).status_code == 202
    refused = fetch_again(client, steps.media_of(item))
    detail = problem(refused, 429, "fetched_moments_ago")
    assert 1 <= int(refused.headers["Retry-After"]) == detail["retry_after"] <= 60


def test_readable_page(client: httpx2.Client, connection: Connection, steps: LifecycleSteps) -> None:
    item = save(client)
    steps.succeed_item(item, words="What it said. " * 50, canonical_url=LINK)
    media_id = steps.media_of(item)
    response = fetch_again(client, media_id)
    assert response.status_code == 202
    assert response.json() == {
        "data": {"media_id": str(media_id), "processing_status": "ready_for_reading", "fetch_enqueued": True}
    }  # fmt: skip
    found = receipt(client, item)
    assert (found["status"], found["fetching_again"]) == ("succeeded", True)
    media = client.get(f"/media/{media_id}", headers=as_user(ALICE)).json()["data"]
    assert (media["item_id"], media["fetching_again"]) == (item, True)
    listed = client.get("/items", headers=as_user(ALICE)).json()["items"]
    assert [(each["id"], each["status"]) for each in listed] == [(item, "succeeded")]
    assert client.get("/api/library", headers=as_user(ALICE)).json()["counts"]["all"] == 1
    stats = client.get("/api/stats", headers=as_user(ALICE)).json()
    assert (stats["saves_per_day"][-1]["count"], stats["queue_depth"]) == (1, 0)
    hidden = connection.execute("SELECT id FROM items WHERE fetch_again_of IS NOT NULL").fetchone()
    connection.commit()
    assert hidden is not None
    problem(client.get(f"/items/{hidden[0]}", headers=as_user(ALICE)), 404, "not_found")
    problem(client.get(f"/api/items/{hidden[0]}/receipt", headers=as_user(ALICE)), 404, "not_found")
    steps.succeed(steps.claim_one(), article(LINK, "What it says now. " * 50))
    found = receipt(client, item)
    assert (found["status"], found["fetching_again"], len(found["attempts"])) == ("succeeded", False, 2)
    assert client.get(f"/media/{media_id}", headers=as_user(ALICE)).json()["data"]["fetching_again"] is False
    assert "its text has changed" in found["status_detail"]
    for query, words in (("", "What it says now. " * 50), ("?version=1", "What it said. " * 50)):
        fragments = client.get(f"/media/{media_id}/fragments{query}", headers=as_user(ALICE)).json()["data"]
        assert [fragment["canonical_text"] for fragment in fragments] == [words]


def test_paste_is_not_fetched(client: httpx2.Client, steps: LifecycleSteps) -> None:
    for body in ({"pasted_text": "Mine"}, {"pasted_text": "Mine", "url": LINK, "prefer_pasted_text": True}):
        item = save(client, **body)
        problem(fetch_again(client, steps.media_of(item)), 409, "not_fetched_from_web")
        assert "fetch_again" not in receipt(client, item)["actions"]


def test_retry_that_is_exhausted_names_what_is_not(client: httpx2.Client, steps: LifecycleSteps) -> None:
    item = save(client)
    steps.fail_item(item)
    steps.exhaust_retries(item)
    media_id = steps.media_of(item)
    refused = client.post(f"/media/{media_id}/retry", headers=as_user(ALICE))
    assert f"/media/{media_id}/fetch-again" in problem(refused, 409, "retry_exhausted")["message"]
    assert fetch_again(client, media_id).status_code == 202


def test_failed_link_saved_again_is_the_same_item(client: httpx2.Client, steps: LifecycleSteps) -> None:
    item = save(client)
    media_id = steps.media_of(item)
    newer = save(client, url="https://example.com/other")
    for code in ("http_404", "internal_error"):
        steps.fail_item(item, code)
        again = client.post("/items", json={"url": f"{LINK}#top"}, headers=as_user(ALICE))
        assert (again.status_code, again.json()) == (200, {"id": item, "status": "queued"})
        steps.fail_item(item, code)
        link = client.post("/media/from_url", json={"url": LINK}, headers=as_user(ALICE))
        assert link.status_code == 202
        assert link.json()["data"] == {
            "media_id": str(media_id), "duplicate": False, "processing_status": "pending", "ingest_enqueued": True,
        }  # fmt: skip
    listed = client.get("/items", headers=as_user(ALICE)).json()["items"]
    assert [each["id"] for each in listed] == [item, newer]
    entries = client.get("/api/library", headers=as_user(ALICE)).json()["entries"]
    assert [entry["item_id"] for entry in entries] == [item, newer]
    assert save(client, BOB) != item


def test_link_whose_text_was_too_short_saved_again_is_the_same_item(
    client: httpx2.Client, steps: LifecycleSteps
) -> None:
    item = save(client)
    steps.succeed(steps.claim_one(), article(words="Too short."))
    again = client.post("/items", json={"url": LINK}, headers=as_user(ALICE))
    assert (again.status_code, again.json()) == (200, {"id": item, "status": "queued"})
    found = receipt(client, item)
    assert (found["status"], found["fetching_again"]) == ("needs_user_text", True)


def test_text_that_comes_along_waits_beside_the_link(client: httpx2.Client, steps: LifecycleSteps) -> None:
    item = save(client, url=LINK, pasted_text="The first copy.")
    steps.fail_item(item)
    assert save(client, url=LINK) == item
    steps.fail_item(item)
    assert receipt(client, item)["waiting_text"] == "The first copy."
    assert save(client, url=LINK, pasted_text="A better copy.") == item
    steps.fail_item(item)
    assert receipt(client, item)["waiting_text"] == "A better copy."


def test_attempts_start_over_with_a_new_save(client: httpx2.Client, steps: LifecycleSteps) -> None:
    """It has as many automatic attempts as a new item."""
    item = save(client)
    for _ in range(2):
        for _ in range(2):
            steps.make_due()
            claim = steps.claim_one()
            assert str(claim.item_id) == item
            steps.fail(claim, "timeout", retryable=True)
        assert receipt(client, item)["status"] == "needs_user_text"
        assert save(client) == item
    assert steps.state(UUID(item)) == ("queued", "pending")
    assert len(receipt(client, item)["attempts"]) == 4
