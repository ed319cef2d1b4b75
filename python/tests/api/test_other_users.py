"""Requests with another user's ids get the same response as those with ids that never were."""

from uuid import uuid4

import httpx2
import pytest

from tests.api.saving import ALICE, BOB, as_user, save
from tests.lifecycle_steps import LifecycleSteps

ITEM_ROUTES = [
    ("GET", "/items/{}"),
    ("GET", "/items/{}?include_content=true"),
    ("DELETE", "/items/{}"),
    ("PATCH", "/items/{}/text"),
    ("POST", "/items/{}/keep"),
    ("GET", "/api/items/{}/receipt"),
]
MEDIA_ROUTES = [
    ("GET", "/media/{}"),
    ("DELETE", "/media/{}"),
    ("GET", "/media/{}/fragments"),
    ("GET", "/media/{}/fragments?version=1"),
    ("GET", "/media/{}/versions"),
    ("GET", "/media/{}/original"),
    ("GET", "/media/{}/original?version=1"),
    ("GET", "/media/{}/audio"),
    ("POST", "/media/{}/retry"),
    ("POST", "/media/{}/fetch-again"),
    ("GET", "/api/library/{}"),
    ("GET", "/api/library/{}/hits?q=mine"),
    ("GET", "/api/library/{}/related"),
    ("PATCH", "/api/library/{}"),
    ("GET", "/api/library/{}/read"),
    ("PUT", "/api/library/{}/read"),
    ("DELETE", "/api/library/{}/read"),
    ("GET", "/api/library/{}/position"),
    ("PUT", "/api/library/{}/position"),
    ("GET", "/media/{}/highlights"),
    ("POST", "/media/{}/highlights"),
    ("GET", "/highlights/export?format=json&media_id={}"),
]
HIGHLIGHT = {"version": 1, "start": {"fragment_idx": 0, "offset": 0}, "end": {"fragment_idx": 0, "offset": 4}}
POSITION = {"fragment_idx": 0, "offset": 0, "fraction": 0.5, "audio_ms": 1, "client_time": "2026-01-01T00:00:00Z"}


def request(client: httpx2.Client, method: str, path: str) -> tuple[int, dict[str, str]]:
    body: dict[str, object] | None = None
    if method == "PATCH":
        body = {"starred": True} if path.startswith("/api/library") else {"pasted_text": "Not mine"}
    if (method, path.rpartition("/")[2]) == ("PUT", "position"):
        body = POSITION
    if (method, path.rpartition("/")[2]) == ("POST", "highlights"):
        body = HIGHLIGHT
    response = client.request(method, path, json=body, headers=as_user(BOB))
    detail = response.json()["detail"]
    detail.pop("request_id")
    return response.status_code, detail


@pytest.mark.parametrize(("method", "path"), ITEM_ROUTES)
def test_items(client: httpx2.Client, steps: LifecycleSteps, method: str, path: str) -> None:
    never = request(client, method, path.format(uuid4()))
    assert never[0] == 404
    theirs = [save(client), save(client), save(client, pasted_text="Mine")]
    steps.fail_item(theirs[1])
    for item in theirs:
        assert request(client, method, path.format(item)) == never
        assert client.get(f"/items/{item}", headers=as_user(ALICE)).status_code == 200


@pytest.mark.parametrize(("method", "path"), MEDIA_ROUTES)
def test_media(client: httpx2.Client, steps: LifecycleSteps, method: str, path: str) -> None:
    never = request(client, method, path.format(uuid4()))
    assert never[0] == 404
    pending, failed, pasted = save(client), save(client), save(client, pasted_text="Mine")
    steps.fail_item(failed)
    ready = steps.succeed_item(save(client, url="https://example.com/ready"))
    duplicate = steps.merge_item(save(client, url="https://example.com/duplicate"), ready)
    for media in (*(steps.media_of(item) for item in (pending, failed, pasted)), ready, duplicate):
        assert request(client, method, path.format(media)) == never
        assert client.get(f"/media/{media}", headers=as_user(ALICE)).status_code == 200


def test_lists(client: httpx2.Client) -> None:
    save(client)
    assert client.get("/items", headers=as_user(BOB)).json()["items"] == []
    assert client.get("/api/library", headers=as_user(BOB)).json()["counts"]["all"] == 0
    assert client.get("/api/stats", headers=as_user(BOB)).json()["queue_depth"] == 0
    save(client, pasted_text="A zebra of mine")
    assert client.get("/api/search?q=zebra", headers=as_user(BOB)).json()["hits"] == []
    assert client.get("/api/search?q=zebra", headers=as_user(ALICE)).json()["total"] == 1


def test_cursor_of_another_user_lists_only_ones_own(client: httpx2.Client) -> None:
    mine = save(client, BOB)
    for _ in range(3):
        save(client)
    cursor = client.get("/items?limit=1", headers=as_user(ALICE)).json()["next_cursor"]
    found = client.get("/items", params={"cursor": cursor}, headers=as_user(BOB)).json()["items"]
    assert [item["id"] for item in found] == [mine]


@pytest.mark.parametrize(
    "path",
    [
        *("/items", "/api/library", "/api/stats", "/api/events", f"/media/{ALICE}", "/api/search?q=a"),
        *(f"/media/{ALICE}/highlights", "/highlights", "/highlights/review", "/highlights/feed"),
        *("/highlights/export?format=json", "/api/search/suggestions?q=a"),
    ],
)
def test_without_a_token_there_is_nothing_in_token_mode(token_client: httpx2.Client, path: str) -> None:
    assert token_client.get(path).status_code == 401
