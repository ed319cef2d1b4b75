"""A page as its user sees it: private to them, readable at once, never fetched and nobody's canonical URL."""

from typing import Any

import httpx2
import psycopg
import pytest

from tests.api.saving import ALICE, BOB, as_user
from tests.api.test_errors import problem
from tests.captures.capturing import PAGE, SENTENCE, capture, captured, compressed, get, library, page, text_of


def test_it_is_readable_at_once_and_private(client: httpx2.Client, connection: psycopg.Connection) -> None:
    saved = captured(client, headers={"X-Request-Id": "capture-one"})
    assert set(saved) == {"item_id", "media_id", "status"}
    assert saved["status"] == "succeeded"
    media = get(client, f"/media/{saved['media_id']}")["data"]
    assert (media["kind"], media["title"], media["canonical_url"]) == ("web_article", "The ferry", None)
    assert "Day 7. The bridge was closed" in text_of(client, saved["media_id"])
    item = get(client, f"/items/{saved['item_id']}?include_content=true")
    assert (item["status"], item["requested_url"], item["final_text_source"]) == (
        "succeeded", PAGE, "extracted_from_url",
    )  # fmt: skip
    assert item["content"]["canonical_text"] == text_of(client, saved["media_id"])
    for path in (f"/media/{saved['media_id']}", f"/items/{saved['item_id']}"):
        problem(client.get(path, headers=as_user(BOB)), 404, "not_found")
    row = connection.execute(
        "SELECT owner_user_id, requested_url, canonical_url, origin, queued.count FROM media"
        " JOIN media_versions ON media_id = media.id,"
        " (SELECT count(*) FROM items WHERE status IN ('queued', 'processing')) AS queued"
    ).fetchone()
    assert row == (ALICE, PAGE, None, "captured", 0)


def test_the_receipt_says_where_it_came_from(client: httpx2.Client) -> None:
    html = page()
    saved = captured(client, html=html)
    receipt = get(client, f"/api/items/{saved['item_id']}/receipt")
    (attempt,) = receipt["attempts"]
    assert (attempt["number"], attempt["rung"], attempt["result"]) == (1, "captured", "success")
    assert (attempt["bytes"], attempt["http_status"], attempt["final_url"]) == (len(html), None, None)
    assert receipt["actions"] == ["open_original", "delete"]
    again = client.post(f"/media/{saved['media_id']}/fetch-again", headers=as_user(ALICE))
    problem(again, 409, "not_fetched_from_web")


def test_the_html_is_kept_for_its_user(client: httpx2.Client) -> None:
    html = page("Überall fährt die Fähre. " + SENTENCE, head="<meta charset=iso-8859-1>")
    saved = captured(client, html=html)
    original = client.get(f"/media/{saved['media_id']}/original", headers=as_user(ALICE))
    assert original.content.decode() == html
    assert "Überall fährt die Fähre" in text_of(client, saved["media_id"])
    problem(client.get(f"/media/{saved['media_id']}/original", headers=as_user(BOB)), 404, "not_found")


def test_it_is_sanitized_and_its_pictures_are_queued(client: httpx2.Client) -> None:
    html = page(f"<img src='/ferry.png' alt='x'>{SENTENCE * 4}<a href='more'>more</a>", "<script>alert(1)</script>")
    saved = captured(client, html=html)
    (fragment,) = get(client, f"/media/{saved['media_id']}/fragments")["data"]
    assert "script" not in fragment["html_sanitized"]
    assert 'href="https://paper.example/members/more"' in fragment["html_sanitized"]
    (picture,) = get(client, f"/media/{saved['media_id']}/pictures")["data"]
    assert (picture["url"], picture["state"]) == ("https://paper.example/ferry.png", "pending")


@pytest.mark.parametrize(
    "words",
    ["Short.", "Please sign in to continue reading this article. Subscribe now."],
)
def test_what_the_user_saw_is_kept_as_they_saw_it(client: httpx2.Client, words: str) -> None:
    saved = captured(client, html=page(words))
    assert (saved["status"], text_of(client, saved["media_id"])) == ("succeeded", words)


def test_title_and_language_only_where_the_page_has_none(client: httpx2.Client) -> None:
    bare = captured(client, html=f"<p>{SENTENCE * 3}</p>", title="From\nthe\x1b  tab\0", lang="de")
    media = get(client, f"/media/{bare['media_id']}")["data"]
    assert (media["title"], media["lang"]) == ("From the tab", "de")
    own = captured(client, url=f"{PAGE}/own", title="From the tab")
    assert get(client, f"/media/{own['media_id']}")["data"]["title"] == "The ferry"


def test_tags_and_a_note(client: httpx2.Client) -> None:
    captured(client, tags=["Travel", "a/b"], note="  For Ann ")
    (entry,) = library(client)
    assert (entry["tags"], entry["note"], entry["site"]) == (["a/b", "Travel"], "For Ann", "paper.example")


def test_what_was_selected_is_a_highlight(client: httpx2.Client) -> None:
    saved = captured(client, selection="Day 1.  The bridge\n was closed in March")
    (made,) = get(client, f"/media/{saved['media_id']}/highlights")["data"]
    assert (made["quote"], made["state"], made["version"]) == ("Day 1. The bridge was closed in March", "attached", 1)


def test_a_selection_over_paragraphs(client: httpx2.Client) -> None:
    saved = captured(client, selection=f"{SENTENCE}\n\nDay 2. The bridge was closed")
    (made,) = get(client, f"/media/{saved['media_id']}/highlights")["data"]
    assert made["quote"].endswith("on the island.\nDay 2. The bridge was closed")


def test_what_is_not_in_the_text_becomes_a_note(client: httpx2.Client) -> None:
    saved = captured(client, selection="Words of the menu,\nwhich is no article", note="Mine")
    assert get(client, f"/media/{saved['media_id']}/highlights")["data"] == []
    assert library(client)[0]["note"] == "Mine\n\n> Words of the menu,\n> which is no article"


@pytest.mark.parametrize("html", ["<p></p>", "   ", "<script>var words = 1</script>", "<img src=a.png>"])
def test_no_text(client: httpx2.Client, html: str) -> None:
    problem(capture(client, html=html), 422, "empty_capture")
    assert library(client) == []


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("ftp://paper.example/", "invalid_url"),
        ("about:blank", "invalid_url"),
        ("https://me:secret@paper.example/", "invalid_url"),
        ("http://127.0.0.1/", "blocked_address"),
        ("http://intranet.local/", "blocked_address"),
        ("https://paper.example/" + "x" * 4096, "invalid_request"),
    ],
)
def test_the_link_follows_the_rules_of_saves(client: httpx2.Client, url: str, code: str) -> None:
    problem(capture(client, url=url), 422, code)


@pytest.mark.parametrize(
    "body",
    [{"url": PAGE}, {"html": "<p>a</p>"}, {"url": PAGE, "html": ""}, {"url": PAGE, "html": "<p>a", "item_id": "1"},
     {"url": PAGE, "html": "<p>a", "other": 1}, []],
)  # fmt: skip
def test_the_form_of_the_body(client: httpx2.Client, body: Any) -> None:
    problem(client.post("/api/captures", json=body, headers=as_user(ALICE)), 422, "invalid_request")


def test_gzip(client: httpx2.Client) -> None:
    content, headers = compressed({"url": PAGE, "html": page()})
    response = client.post("/api/captures", content=content, headers=as_user(ALICE) | headers)
    assert response.status_code == 201, response.text
    assert "Day 7." in text_of(client, response.json()["media_id"])
    for broken in (content[:-9], content + b"more", b"no gzip"):
        response = client.post("/api/captures", content=broken, headers=as_user(ALICE) | headers)
        problem(response, 400, "malformed_request")
    other = headers | {"Content-Encoding": "br"}
    problem(client.post("/api/captures", content=content, headers=as_user(ALICE) | other), 415, "unsupported_body")
    plain = {"Content-Type": "text/html"}
    problem(client.post("/api/captures", content=b"<p>", headers=as_user(ALICE) | plain), 415, "unsupported_body")


def test_multipart(client: httpx2.Client) -> None:
    html = page("Überall. " + SENTENCE * 3)
    fields = {"url": PAGE, "note": "Zwei\r\nZeilen", "tags": ["one", "two"]}
    files = {"html": ("page.html", html.encode(), "text/html")}
    response = client.post("/api/captures", data=fields, files=files, headers=as_user(ALICE))
    assert response.status_code == 201, response.text
    (entry,) = library(client)
    assert (entry["tags"], entry["note"]) == (["one", "two"], "Zwei\r\nZeilen")
    assert "Überall." in text_of(client, response.json()["media_id"])
    as_field = client.post("/api/captures", files={"url": (None, PAGE), "html": (None, html)}, headers=as_user(ALICE))
    assert as_field.json() == response.json() | {"status": "unchanged"}


@pytest.mark.parametrize(
    ("body", "kind"),
    [(b"--x\r\n", "x"), (b"", "x"), (b"--x\r\n\r\nno name\r\n--x--\r\n", "x"), (b"--x--", "")],
)
def test_a_broken_form(client: httpx2.Client, body: bytes, kind: str) -> None:
    boundary = f"; boundary={kind}" if kind else ""
    headers = as_user(ALICE) | {"Content-Type": f"multipart/form-data{boundary}"}
    problem(client.post("/api/captures", content=body, headers=headers), 400, "malformed_request")
