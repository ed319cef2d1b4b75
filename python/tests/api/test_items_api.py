"""/items: every rule of its contract."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest
from psycopg import Connection

from tests.api.saving import ALICE, BOB, LINK, as_user, save
from tests.api.test_errors import problem
from tests.lifecycle_steps import LifecycleSteps, article

KEYS = {
    "id", "status", "status_detail", "source_type", "requested_url", "final_text_source", "title", "created_at",
    "updated_at",
}  # fmt: skip
CONTENT_KEYS = {"user_pasted_text", "extracted_text", "canonical_text", "updated_at"}


def read(client: httpx2.Client, item: str, user: UUID = ALICE, content: bool = True) -> dict[str, Any]:
    response = client.get(f"/items/{item}", params={"include_content": content}, headers=as_user(user))
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def test_link_is_queued(client: httpx2.Client, connection: Connection) -> None:
    response = client.post("/items", json={"url": LINK}, headers=as_user(ALICE) | {"X-Request-Id": "from-a-test-01"})
    assert response.status_code == 200
    assert response.json() == {"id": response.json()["id"], "status": "queued"}
    row = connection.execute(
        "SELECT items.status, source_type, items.requested_url, final_text_source, request_id, attempts, max_attempts,"
        " media.kind, processing_status, canonical_url, created_by_user_id, count(library_media) FROM items"
        " JOIN media ON media.id = media_id JOIN library_media USING (media_id) GROUP BY items.id, media.id"
    ).fetchone()
    assert row == (
        "queued", "url", LINK, None, "from-a-test-01", 0, 2, "web_article", "pending", None, ALICE, 1,
    )  # fmt: skip


def test_text_succeeds_at_once(client: httpx2.Client) -> None:
    text = " First line\n\nA second  paragraph <b>&amp; all</b>\n"
    item = read(client, save(client, pasted_text=text))
    assert set(item) == KEYS | {"content"}
    assert set(item["content"]) == CONTENT_KEYS
    assert item["status"] == "succeeded"
    assert item["source_type"] == "pasted_text"
    assert item["final_text_source"] == "user_pasted_text"
    assert item["requested_url"] is None
    assert item["title"] == "First line"
    assert item["content"]["canonical_text"] == item["content"]["user_pasted_text"] == text
    assert item["content"]["extracted_text"] is None


def test_markdown_is_read_as_such_and_kept_as_it_was_pasted(client: httpx2.Client) -> None:
    text = "# Tides\r\n\r\nThe **moon** pulls, as [they](https://a.example/) say.\n"
    item = read(client, save(client, pasted_text=text))
    assert item["content"]["user_pasted_text"] == text
    assert item["title"] == "Tides"
    media = client.get("/api/library", headers=as_user(ALICE)).json()["entries"][0]["media_id"]
    fragment = client.get(f"/media/{media}/fragments", headers=as_user(ALICE)).json()["data"][0]
    assert fragment["html_sanitized"].startswith("<h1>Tides</h1>\n<p>The <strong>moon</strong> pulls, as <a ")
    assert fragment["canonical_text"] == "Tides\nThe moon pulls, as they say."


def test_preferred_text_wins_and_keeps_the_link(client: httpx2.Client) -> None:
    item = read(client, save(client, url=LINK, pasted_text="Mine", prefer_pasted_text=True))
    assert (item["status"], item["requested_url"]) == ("succeeded", LINK)
    assert item["content"]["canonical_text"] == "Mine"


def test_text_beside_a_link_waits(client: httpx2.Client) -> None:
    item = read(client, save(client, url=LINK, pasted_text="Mine"))
    assert (item["status"], item["source_type"], item["final_text_source"]) == ("queued", "url", None)
    assert item["content"]["user_pasted_text"] == "Mine"
    assert item["content"]["canonical_text"] is None


def test_pasted_text_can_be_read_like_anything_else(client: httpx2.Client, connection: Connection) -> None:
    save(client, pasted_text="One\n\nTwo <script>")
    row = connection.execute("SELECT media_id FROM items").fetchone()
    assert row is not None
    response = client.get(f"/media/{row[0]}/fragments", headers=as_user(ALICE))
    (fragment,) = response.json()["data"]
    assert fragment["html_sanitized"] == "<p>One</p><p>Two &lt;script&gt;</p>"
    assert fragment["canonical_text"] == "One\nTwo <script>"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"url": None, "pasted_text": None},
        {"prefer_pasted_text": True},
        {"url": ""},
        {"pasted_text": ""},
        {"url": "https://example.com/" + "a" * 4096},
        {"pasted_text": "a" * 200_001},
        {"url": 7},
        {"url": [LINK]},
        {"url": LINK, "prefer_pasted_text": "perhaps"},
        [],
        "https://example.com",
        None,
    ],
)
def test_what_cannot_be_saved(client: httpx2.Client, connection: Connection, body: Any) -> None:
    detail = problem(client.post("/items", json=body), 422, "invalid_request")
    assert "Value error" not in detail["message"]
    assert connection.execute("SELECT count(*) FROM items").fetchone() == (0,)


@pytest.mark.parametrize("blank", [" ", "\n\t\r\n", "\u3000\u2003", "\u0000", "\u0000 \u0001"])
def test_blank_text(client: httpx2.Client, blank: str) -> None:
    problem(client.post("/items", json={"pasted_text": blank}), 422, "blank_text")
    problem(client.post("/items", json={"url": LINK, "pasted_text": blank}), 422, "blank_text")


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("ftp://example.com/a", "invalid_url"),
        ("javascript:alert(1)", "invalid_url"),
        ("file:///etc/passwd", "invalid_url"),
        ("example.com/a", "invalid_url"),
        ("https://", "invalid_url"),
        ("https://me:secret@example.com/", "invalid_url"),
        ("https://exa mple.com/", "invalid_url"),
        ("https://example.com/\u0000", "invalid_url"),
        ("http://127.0.0.1/", "blocked_address"),
        ("http://2130706433/", "blocked_address"),
        ("http://[::1]/", "blocked_address"),
        ("http://[::ffff:10.0.0.1]/", "blocked_address"),
        ("http://169.254.169.254/latest/meta-data", "blocked_address"),
        ("http://localhost:8000/", "blocked_address"),
        ("http://printer.local/", "blocked_address"),
        ("http://db.internal/", "blocked_address"),
    ],
)
def test_refused_links_say_why(client: httpx2.Client, connection: Connection, url: str, code: str) -> None:
    problem(client.post("/items", json={"url": url}), 422, code)
    problem(client.post("/items", json={"url": url, "pasted_text": "x", "prefer_pasted_text": True}), 422, code)
    problem(client.post("/media/from_url", json={"url": url}), 400, code)
    assert connection.execute("SELECT count(*) FROM media").fetchone() == (0,)


def test_longest_link_and_text_are_kept_whole(client: httpx2.Client) -> None:
    url = "https://example.com/" + "a" * (4096 - 20)
    text = "漢" * 200_000
    assert read(client, save(client, url=url))["requested_url"] == url
    assert read(client, save(client, pasted_text=text))["content"]["canonical_text"] == text


def test_white_space_around_a_link_is_not_part_of_it(client: httpx2.Client) -> None:
    assert read(client, save(client, url=f" {LINK}\n"))["requested_url"] == LINK


def test_nul_in_a_text_is_dropped(client: httpx2.Client) -> None:
    assert read(client, save(client, pasted_text="a\0b"))["content"]["canonical_text"] == "ab"


def test_content_only_on_demand(client: httpx2.Client) -> None:
    item = save(client, pasted_text="Mine")
    assert set(read(client, item, content=False)) == KEYS
    assert set(client.get(f"/items/{item}", headers=as_user(ALICE)).json()) == KEYS
    problem(client.get(f"/items/{item}?include_content=maybe", headers=as_user(ALICE)), 422, "invalid_request")


def test_fetched_item_has_its_text(client: httpx2.Client, steps: LifecycleSteps) -> None:
    item = save(client)
    steps.succeed_item(item, "The article")
    found = read(client, item)
    assert (found["status"], found["final_text_source"], found["title"]) == (
        "succeeded", "extracted_from_url", "A title",
    )  # fmt: skip
    assert found["content"]["extracted_text"] == found["content"]["canonical_text"] == "The article"


def test_list_is_newest_first_and_ones_own(client: httpx2.Client) -> None:
    mine = [save(client) for _ in range(3)]
    save(client, BOB)
    page = client.get("/items", headers=as_user(ALICE)).json()
    assert set(page) == {"items", "next_cursor"}
    assert [item["id"] for item in page["items"]] == mine[::-1]
    assert all(set(item) == KEYS for item in page["items"])
    assert page["next_cursor"] is None
    assert client.get("/items", headers=as_user(uuid4())).json() == {"items": [], "next_cursor": None}


def test_pages_meet_each_item_once_while_others_come_in(client: httpx2.Client, connection: Connection) -> None:
    made = {save(client) for _ in range(25)}
    # The same moment for many: then the id decides.
    connection.execute("UPDATE items SET created_at = date_trunc('minute', created_at)")
    connection.commit()
    seen: list[str] = []
    cursor = None
    while True:
        asked: dict[str, Any] = {"limit": 4} | ({"cursor": cursor} if cursor else {})
        page = client.get("/items", params=asked, headers=as_user(ALICE))
        seen += [item["id"] for item in page.json()["items"]]
        cursor = page.json()["next_cursor"]
        save(client)
        if cursor is None:
            break
        assert cursor.isascii()
        assert all(character.isalnum() or character in "-_" for character in cursor)
    assert len(seen) == len(set(seen)) == 25
    assert set(seen) == made


def test_last_page_that_is_just_full_has_no_next(client: httpx2.Client) -> None:
    for _ in range(4):
        save(client)
    assert client.get("/items?limit=4", headers=as_user(ALICE)).json()["next_cursor"] is None
    assert client.get("/items?limit=3", headers=as_user(ALICE)).json()["next_cursor"] is not None


@pytest.mark.parametrize("limit", ["0", "101", "-1", "x", "1.5", ""])
def test_limit_is_1_to_100(client: httpx2.Client, limit: str) -> None:
    problem(client.get("/items", params={"limit": limit}), 422, "invalid_request")
    problem(client.get("/api/library", params={"limit": limit}), 422, "invalid_request")


def test_bad_cursors(client: httpx2.Client) -> None:
    for _ in range(3):
        save(client)
    good = client.get("/items?limit=1", headers=as_user(ALICE)).json()["next_cursor"]
    other = client.get("/api/library?limit=1", headers=as_user(ALICE)).json()["next_cursor"]
    swapped = ("B" if good[0] == "A" else "A") + good[1:]
    longest = "_" * len(good)
    damaged = [good[:-1], good + "A", good + "=", swapped, good.lower(), longest]
    for bad in ("", "x", "ünïcode", *damaged, other, "A" * 9999):
        problem(client.get("/items", params={"cursor": bad}), 400, "invalid_cursor")
    problem(client.get("/api/library", params={"cursor": good}), 400, "invalid_cursor")


def test_paste_makes_an_unreadable_item_succeed(client: httpx2.Client, steps: LifecycleSteps) -> None:
    item = save(client)
    steps.fail_item(item)
    response = client.patch(f"/items/{item}/text", json={"pasted_text": "Typed by hand"}, headers=as_user(ALICE))
    assert response.status_code == 200
    changed = response.json()
    assert set(changed) == KEYS | {"content"}
    assert (changed["status"], changed["final_text_source"]) == ("succeeded", "user_pasted_text")
    assert changed["requested_url"] == LINK
    assert changed["content"]["canonical_text"] == "Typed by hand"
    assert changed == read(client, item)


@pytest.mark.parametrize("state", ["queued", "succeeded", "failed"])
def test_paste_only_where_it_is_needed(client: httpx2.Client, steps: LifecycleSteps, state: str) -> None:
    item = save(client)
    if state == "succeeded":
        steps.succeed_item(item)
    elif state == "failed":
        steps.fail_item(item, "internal_error")
    before = read(client, item)
    response = client.patch(f"/items/{item}/text", json={"pasted_text": "Too late"}, headers=as_user(ALICE))
    problem(response, 409, "not_waiting_for_text")
    assert read(client, item) == before


def test_of_racing_pastes_one_wins(client: httpx2.Client, steps: LifecycleSteps) -> None:
    for _ in range(5):
        item = save(client)
        steps.fail_item(item)

        def paste(text: str, item: str = item) -> httpx2.Response:
            return client.patch(f"/items/{item}/text", json={"pasted_text": text}, headers=as_user(ALICE))

        with ThreadPoolExecutor(4) as pool:
            responses = list(pool.map(paste, ["one", "two", "three", "four"]))
        won = [response for response in responses if response.status_code == 200]
        assert sorted(response.status_code for response in responses) == [200, 409, 409, 409]
        assert read(client, item)["content"]["canonical_text"] == won[0].json()["content"]["canonical_text"]


@pytest.mark.parametrize("text", ["", "a" * 200_001, None, 3])
def test_paste_is_checked(client: httpx2.Client, steps: LifecycleSteps, text: Any) -> None:
    item = save(client)
    steps.fail_item(item)
    response = client.patch(f"/items/{item}/text", json={"pasted_text": text}, headers=as_user(ALICE))
    problem(response, 422, "invalid_request")
    blank = client.patch(f"/items/{item}/text", json={"pasted_text": " \n"}, headers=as_user(ALICE))
    problem(blank, 422, "blank_text")
    assert read(client, item)["status"] == "needs_user_text"


def test_delete_removes_it_from_the_library(client: httpx2.Client) -> None:
    item, kept = save(client), save(client)
    assert client.delete(f"/items/{item}", headers=as_user(ALICE)).status_code == 204
    problem(client.get(f"/items/{item}", headers=as_user(ALICE)), 404, "not_found")
    problem(client.delete(f"/items/{item}", headers=as_user(ALICE)), 404, "not_found")
    assert [found["id"] for found in client.get("/items", headers=as_user(ALICE)).json()["items"]] == [kept]
    library = client.get("/api/library", headers=as_user(ALICE)).json()
    assert [entry["item_id"] for entry in library["entries"]] == [kept]
    assert library["counts"]["all"] == 1


def test_many_saves_at_once(client: httpx2.Client, connection: Connection) -> None:
    user = uuid4()
    with ThreadPoolExecutor(20) as pool:
        made = list(pool.map(lambda _: save(client, user), range(20)))
    assert len(set(made)) == 20
    counted = connection.execute(
        "SELECT count(DISTINCT items.id), count(DISTINCT media.id), count(DISTINCT library_media.media_id)"
        " FROM items JOIN media ON media.id = media_id JOIN library_media USING (media_id)"
    ).fetchone()
    assert counted == (20, 20, 20)
    assert client.get("/api/library", headers=as_user(user)).json()["counts"]["all"] == 20


def test_times_are_utc_with_an_offset(client: httpx2.Client) -> None:
    item = read(client, save(client))
    for name in ("created_at", "updated_at"):
        assert datetime.fromisoformat(item[name]).utcoffset() is not None


def test_short_text_is_kept(client: httpx2.Client, steps: LifecycleSteps) -> None:
    item = save(client)
    steps.succeed(steps.claim_one(), article(words="A short poem."))
    receipt = client.get(f"/api/items/{item}/receipt", headers=as_user(ALICE)).json()
    assert receipt["actions"] == ["fetch_again", "keep", "paste", "open_original", "delete"]
    kept = client.post(f"/items/{item}/keep", headers=as_user(ALICE))
    assert kept.status_code == 200
    assert set(kept.json()) == KEYS | {"content"}
    assert (kept.json()["status"], kept.json()["final_text_source"]) == ("succeeded", "extracted_from_url")
    assert kept.json()["content"]["canonical_text"] == "A short poem."
    problem(client.post(f"/items/{item}/keep", headers=as_user(ALICE)), 409, "not_waiting_for_text")
    problem(
        client.patch(f"/items/{item}/text", json={"pasted_text": "No"}, headers=as_user(ALICE)),
        409,
        "not_waiting_for_text",
    )
    found = client.get("/api/search", params={"q": "poem"}, headers=as_user(ALICE)).json()
    assert [hit["entry"]["item_id"] for hit in found["hits"]] == [item]
    (entry,) = client.get("/api/library", headers=as_user(ALICE)).json()["entries"]
    assert (entry["item_id"], entry["can_read"], entry["status"]) == (item, True, "succeeded")


def test_nothing_is_kept_where_nothing_was_read(client: httpx2.Client, steps: LifecycleSteps) -> None:
    item = save(client)
    problem(client.post(f"/items/{item}/keep", headers=as_user(ALICE)), 409, "not_waiting_for_text")
    steps.fail_item(item)
    problem(client.post(f"/items/{item}/keep", headers=as_user(ALICE)), 409, "nothing_to_keep")
