"""/media: every rule of its contract but the image proxy's."""

from datetime import UTC, datetime
from typing import Any

import httpx2
import pytest
from psycopg import Connection

from nexus.db.session import Database
from tests.api.saving import ALICE, BOB, LINK, as_user, save
from tests.api.test_errors import problem
from tests.episodes import fragments_of, save_episode
from tests.lifecycle_steps import LifecycleSteps

KEYS = {
    "id", "kind", "title", "canonical_url", "byline", "site_name", "published_at", "lang", "excerpt", "word_count",
    "processing_status", "failure_stage", "last_error_code", "processing_attempts", "capabilities", "duplicate",
    "version", "versions", "text_changed_at", "highlight_count", "item_id", "fetching_again", "created_at",
    "updated_at",
}  # fmt: skip
CAN_READ = {"can_read": True, "can_highlight": True, "can_quote": True, "can_search": True, "can_play": False}


def test_link_is_accepted_for_later(client: httpx2.Client, connection: Connection) -> None:
    response = client.post("/media/from_url", json={"url": LINK}, headers=as_user(ALICE))
    assert response.status_code == 202
    data = response.json()["data"]
    assert data == {
        "media_id": data["media_id"], "duplicate": False, "processing_status": "pending", "ingest_enqueued": True,
    }  # fmt: skip
    row = connection.execute("SELECT status, requested_url, max_attempts FROM items").fetchone()
    assert row == ("queued", LINK, 1), "one attempt, then it is the user's turn"
    assert [item["status"] for item in client.get("/items", headers=as_user(ALICE)).json()["items"]] == ["queued"]


def test_link_of_2048_characters_and_not_one_more(client: httpx2.Client) -> None:
    longest = "https://example.com/" + "a" * (2048 - 20)
    assert client.post("/media/from_url", json={"url": longest}).status_code == 202
    problem(client.post("/media/from_url", json={"url": longest + "a"}), 400, "invalid_url")


@pytest.mark.parametrize("body", [{}, {"url": None}, {"url": 3}, [], {"link": LINK}])
def test_body_without_a_link(client: httpx2.Client, body: object) -> None:
    problem(client.post("/media/from_url", json=body), 422, "invalid_request")


def test_pending_media(client: httpx2.Client, steps: LifecycleSteps) -> None:
    media = steps.media_of(save(client))
    response = client.get(f"/media/{media}", headers=as_user(ALICE))
    data = response.json()["data"]
    assert set(data) == KEYS
    assert data["processing_status"] == "pending"
    assert not any(data["capabilities"].values())
    assert data["duplicate"] is False
    assert response.headers["content-location"] == f"/media/{media}"
    problem(client.get(f"/media/{media}/fragments", headers=as_user(ALICE)), 409, "media_not_ready")


def test_media_that_can_be_read(client: httpx2.Client, steps: LifecycleSteps) -> None:
    media = steps.succeed_item(save(client), "Words", byline="A. Author", site_name="Example", lang="en", excerpt="Wo…",
        word_count=1, published_at=datetime(2026, 1, 2, tzinfo=UTC),
    )  # fmt: skip
    data = client.get(f"/media/{media}", headers=as_user(ALICE)).json()["data"]
    assert data["capabilities"] == CAN_READ
    assert (data["byline"], data["site_name"], data["lang"], data["word_count"]) == ("A. Author", "Example", "en", 1)
    fragments = client.get(f"/media/{media}/fragments", headers=as_user(ALICE)).json()["data"]
    assert [set(fragment) for fragment in fragments] == [
        {"id", "media_id", "idx", "html_sanitized", "canonical_text", "start_ms", "end_ms", "created_at"}
    ]
    assert fragments[0]["canonical_text"] == "Words"


def test_failed_media_says_why_without_details_of_the_site(client: httpx2.Client, steps: LifecycleSteps) -> None:
    item = save(client, url="https://example.com/?token=secret-of-mine")
    steps.fail_item(item, detail="A secret of the site.")
    response = client.get(f"/media/{steps.media_of(item)}", headers=as_user(ALICE))
    data = response.json()["data"]
    assert (data["processing_status"], data["failure_stage"], data["last_error_code"]) == (
        "failed", "extract", "E_INGEST_FAILED",
    )  # fmt: skip
    assert "secret" not in response.text


def test_fragments_come_in_order(client: httpx2.Client, database: Database, connection: Connection) -> None:
    chapters: list[dict[str, Any]] = [
        {"start_ms": 0, "end_ms": None, "title": "Start", "url": "javascript:alert(1)", "image": "data:x"},
        {
            "start_ms": 1000,
            "end_ms": 2000,
            "title": "<b>",
            "url": "https://a.example/?q",
            "image": "http://a.example/i",
        },
    ]
    audio = "https://example.com/a.mp3"
    episode = save_episode(database, ALICE, fragments_of("One", "Two", "Three"), chapters, audio_url=audio)
    query = "DELETE FROM fragments WHERE media_id = %s AND idx = 0 RETURNING *"
    first = connection.execute(query, [episode]).fetchone() or ()
    connection.execute(f"INSERT INTO fragments VALUES ({', '.join(['%s'] * len(first))})", first)  # now the last row
    connection.commit()
    fragments = client.get(f"/media/{episode}/fragments", headers=as_user(ALICE)).json()["data"]
    assert [(fragment["idx"], fragment["start_ms"], fragment["end_ms"]) for fragment in fragments] == [
        (0, 0, 900), (1, 1000, 1900), (2, 2000, 2900),
    ]  # fmt: skip
    data = client.get(f"/media/{episode}", headers=as_user(ALICE)).json()["data"]
    assert data["capabilities"] == CAN_READ | {"can_play": True}
    assert data["audio_url"] == audio
    assert set(data) == KEYS | {"audio", "audio_url", "chapters"}
    image = "/media/image?url=http%3A%2F%2Fa.example%2Fi"
    assert data["chapters"] == [chapters[0] | {"url": None, "image": None}, chapters[1] | {"image": image}]


def test_merged_id_keeps_answering(client: httpx2.Client, steps: LifecycleSteps) -> None:
    winner = steps.succeed_item(save(client, BOB))
    item = save(client, ALICE)
    loser = steps.merge_item(item, winner)
    for path in ("", "/fragments"):
        response = client.get(f"/media/{loser}{path}", headers=as_user(ALICE))
        assert response.status_code == 200
        assert response.headers["content-location"] == f"/media/{winner}{path}"
    data = client.get(f"/media/{loser}", headers=as_user(ALICE)).json()["data"]
    assert (data["id"], data["duplicate"]) == (str(winner), True)
    assert client.get(f"/media/{winner}", headers=as_user(ALICE)).json()["data"]["duplicate"] is False
    assert client.delete(f"/items/{item}", headers=as_user(ALICE)).status_code == 204
    problem(client.get(f"/media/{loser}", headers=as_user(ALICE)), 404, "not_found")
    assert client.get(f"/media/{winner}", headers=as_user(BOB)).status_code == 200


def test_remove_by_the_id_of_a_media_or_of_one_merged_into_it(client: httpx2.Client, steps: LifecycleSteps) -> None:
    winner = steps.succeed_item(save(client, BOB))
    loser = steps.merge_item(save(client, ALICE), winner)
    waiting = steps.media_of(save(client, ALICE))
    for media in (loser, waiting):
        assert client.delete(f"/media/{media}", headers=as_user(ALICE)).status_code == 204
        problem(client.delete(f"/media/{media}", headers=as_user(ALICE)), 404, "not_found")
    assert client.get("/items", headers=as_user(ALICE)).json()["items"] == []
    assert client.get("/api/library", headers=as_user(ALICE)).json()["counts"]["all"] == 0
    assert client.get(f"/media/{winner}", headers=as_user(BOB)).status_code == 200


def test_retry(client: httpx2.Client, steps: LifecycleSteps) -> None:
    item = save(client)
    media = steps.media_of(item)
    retry = f"/media/{media}/retry"
    problem(client.post(retry, headers=as_user(ALICE)), 409, "retry_invalid_state")
    steps.fail_item(item)
    response = client.post(retry, headers=as_user(ALICE))
    assert response.status_code == 202
    assert response.json() == {
        "data": {"media_id": str(media), "processing_status": "pending", "retry_enqueued": True}
    }  # fmt: skip
    assert client.get(f"/items/{item}", headers=as_user(ALICE)).json()["status"] == "queued"
    problem(client.post(retry, headers=as_user(ALICE)), 409, "retry_invalid_state")
    steps.fail_item(item)
    steps.exhaust_retries(item)
    problem(client.post(retry, headers=as_user(ALICE)), 409, "retry_exhausted")


def test_media_of_two_users_is_one_text_and_neither_sees_the_others_link(
    client: httpx2.Client, steps: LifecycleSteps
) -> None:
    winner = steps.succeed_item(save(client, BOB, url="https://example.com/?bobs=token"))
    mine = save(client, ALICE, url="https://example.com/?alices=token")
    steps.merge_item(mine, winner)
    path_to_media = f"/media/{winner}"
    for path in (path_to_media, f"{path_to_media}/fragments", "/api/library", "/items", f"/api/items/{mine}/receipt"):
        response = client.get(path, headers=as_user(ALICE))
        assert response.status_code == 200
        assert "bobs" not in response.text
