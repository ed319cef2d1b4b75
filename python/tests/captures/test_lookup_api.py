"""Whether the open page is in the user's own library, by every address of the page."""

from uuid import UUID

import httpx2
import pytest

from tests.api.saving import ALICE, BOB, as_user, save
from tests.api.test_errors import problem
from tests.captures.capturing import PAGE, captured, get
from tests.lifecycle_steps import LifecycleSteps


def lookup(client: httpx2.Client, url: str, user: UUID = ALICE) -> httpx2.Response:
    return client.get("/api/captures/lookup", params={"url": url}, headers=as_user(user))


def found(client: httpx2.Client, url: str, user: UUID = ALICE) -> str | None:
    response = lookup(client, url, user)
    assert response.status_code == 200, response.text
    page: dict[str, str] | None = response.json()["page"]
    return page["media_id"] if page else None


def test_a_captured_page(client: httpx2.Client) -> None:
    saved = captured(client, tags=["a"], selection="Day 3. The bridge was closed")
    changed = {"archived": True, "note": "For the trip"}
    client.patch(f"/api/library/{saved['media_id']}", json=changed, headers=as_user(ALICE))
    assert lookup(client, f"{PAGE}#further").json() == {
        "page": {
            "item_id": saved["item_id"], "media_id": saved["media_id"], "status": "succeeded", "title": "The ferry",
            "highlights": 1, "tags": ["a"], "note": "For the trip", "archived": True,
        }
    }  # fmt: skip
    assert found(client, f"{PAGE}?other=1") is None
    assert found(client, PAGE, BOB) is None


def test_a_link_and_the_page_it_led_to(client: httpx2.Client, steps: LifecycleSteps) -> None:
    item = save(client, url="https://short.example/1")
    assert lookup(client, "https://short.example/1").json()["page"]["status"] == "queued"
    media_id = str(steps.succeed_item(item, canonical_url=PAGE))
    assert (found(client, "https://short.example/1"), found(client, PAGE)) == (media_id, media_id)
    assert found(client, PAGE, BOB) is None


def test_what_waits_for_text_names_its_item(client: httpx2.Client, steps: LifecycleSteps) -> None:
    item = save(client, url=PAGE)
    steps.fail_item(item)
    page = lookup(client, PAGE).json()["page"]
    assert (page["item_id"], page["status"]) == (item, "needs_user_text")


def test_after_it_was_removed(client: httpx2.Client) -> None:
    saved = captured(client)
    client.delete(f"/items/{saved['item_id']}", headers=as_user(ALICE)).raise_for_status()
    assert found(client, PAGE) is None
    assert get(client, "/items")["items"] == []


@pytest.mark.parametrize("url", ["", "about:blank", "http://127.0.0.1/", "no link"])
def test_what_cannot_be_saved(client: httpx2.Client, url: str) -> None:
    assert problem(lookup(client, url), 422, lookup(client, url).json()["detail"]["error"])["message"]
