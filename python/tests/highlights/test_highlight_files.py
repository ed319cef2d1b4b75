"""Highlights as files, opened and parsed again, and as a feed."""

import csv
import io
import re
import zipfile
from datetime import datetime
from typing import Any
from uuid import UUID
from xml.etree import ElementTree as ET

import httpx2
import pytest
from bs4 import BeautifulSoup
from markdown_it import MarkdownIt
from psycopg import Connection
from ruamel.yaml import YAML

from nexus.logging import redact
from tests.api.saving import ALICE, BOB, as_user, save
from tests.api.test_errors import problem
from tests.highlights.marking import mark
from tests.lifecycle_steps import LifecycleSteps

HARD = (
    "# Not a heading <b>or bold</b> & so\n1. no *list* at [all](https://example.com)\n> nor `code` | or ~~gone~~ \\ "
    "here. "
    '=1+1, "quoted", שלום 🙂, and the end of it.'
)
QUOTES = [HARD[:80], "and the end of it"]
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def texts(client: httpx2.Client, steps: LifecycleSteps) -> list[UUID]:
    """Two media of the same title."""
    made = []
    for number in range(2):
        url = f"https://example.com/{number}"
        item = save(client, url=url)
        made.append(steps.succeed_item(item, HARD, title='A: "title" / #1', canonical_url=url, byline="Ada"))
    return made


@pytest.fixture
def made(client: httpx2.Client, texts: list[UUID]) -> list[dict[str, Any]]:
    return [
        mark(client, text, quote, words=HARD, note="My *own*\nwords", tags=["two words", "x"], color="pink")
        for text in texts
        for quote in QUOTES
    ]


def download(client: httpx2.Client, user: UUID = ALICE, **asked: Any) -> httpx2.Response:
    response = client.get("/highlights/export", params=asked, headers=as_user(user))
    assert response.status_code == 200, response.text
    assert response.headers["content-disposition"].startswith("attachment;")
    return response


def test_json(client: httpx2.Client, made: list[dict[str, Any]]) -> None:
    found = download(client, format="json").json()["highlights"]
    listed = client.get("/highlights", params={"sort": "text"}, headers=as_user(ALICE)).json()["data"]["highlights"]
    for each in found:
        assert each.pop("nexus").endswith(f"/read/{each['media_id']}?highlight={each['id']}")
        assert datetime.fromisoformat(each.pop("created_at")) <= datetime.fromisoformat(each.pop("updated_at"))
    assert found == [{key: each[key] for key in each if key not in ("created_at", "updated_at")} for each in listed]


def test_readwise(client: httpx2.Client, made: list[dict[str, Any]]) -> None:
    rows = list(csv.DictReader(io.StringIO(download(client, format="readwise").text, newline="")))
    assert [row["Highlight"] for row in rows] == QUOTES * 2
    assert {row["Title"] for row in rows} == {'A: "title" / #1'}
    assert sorted({row["URL"] for row in rows}) == ["https://example.com/0", "https://example.com/1"]
    assert rows[0]["Author"] == "Ada"
    assert rows[0]["Note"] == ".two-words .x\nMy *own*\nwords"
    assert [row["Location"] for row in rows] == ["1", "2", "1", "2"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", rows[0]["Date"])


def test_readwise_gets_the_words_as_they_are(client: httpx2.Client, texts: list[UUID]) -> None:
    mark(client, texts[0], '=1+1, "quoted"', words=HARD, note="@SUM(1)")
    rows = list(csv.DictReader(io.StringIO(download(client, format="readwise").text, newline="")))
    assert [(row["Highlight"], row["Note"]) for row in rows] == [('=1+1, "quoted"', "@SUM(1)")]


def test_quotes(client: httpx2.Client, texts: list[UUID], made: list[dict[str, Any]]) -> None:
    found = download(client, format="text", media_id=texts[0]).text
    source = '\n— Ada, A: "title" / #1, https://example.com/0\n\n'
    assert found == "".join(f"“{quote}”{source}" for quote in QUOTES)


def test_markdown_of_all(client: httpx2.Client, texts: list[UUID], made: list[dict[str, Any]]) -> None:
    response = download(client, format="markdown")
    assert response.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
        assert archive.testzip() is None
        assert sorted(archive.namelist()) == ["A title #1 2.md", "A title #1.md"]
        links = {check_markdown(archive.read(name).decode(), made) for name in archive.namelist()}
    assert links == {str(text) for text in texts}


def check_markdown(file: str, made: list[dict[str, Any]]) -> str:
    """Returns the id of the highlighted text."""
    _, front, body = file.split("---\n", 2)
    facts = YAML(typ="safe").load(front)
    assert (facts["title"], facts["author"]) == ('A: "title" / #1', "Ada")
    page = BeautifulSoup(MarkdownIt().render(body), "html.parser")
    quotes = [" ".join(quote.get_text().split()) for quote in page("blockquote")]
    assert quotes == [" ".join(quote.split()) for quote in QUOTES]
    assert [heading.get_text() for heading in page("h1")] == ['A: "title" / #1']
    for name in ("b", "ol", "ul", "code", "em", "table", "h2"):
        assert page(name) == [], "what was quoted is text"
    assert body.count("My \\*own\\*\nwords\n\n#two-words #x\n") == 2
    media_id: str = facts["nexus"].rpartition("/")[2]
    expected = [f"?highlight={each['id']}" for each in made if each["media_id"] == media_id]
    assert [str(link["href"]).partition("/read/" + media_id)[2] for link in page("a")] == expected
    return media_id


def test_markdown_of_one_text(client: httpx2.Client, texts: list[UUID], made: list[dict[str, Any]]) -> None:
    response = download(client, format="markdown", media_id=texts[1])
    assert response.headers["content-type"].startswith("text/markdown")
    assert "A%20title%20%231.md" in response.headers["content-disposition"]
    assert check_markdown(response.text, made) == str(texts[1])


def test_names_that_every_system_takes(client: httpx2.Client, steps: LifecycleSteps) -> None:
    titles = ["Con", "aux.notes", "Same 2", "Same", "same", "Same", "😀" * 100, "😀" * 99 + "a", "Same 2"]
    for number, title in enumerate(titles):
        url = f"https://example.com/named/{number}"
        text = steps.succeed_item(save(client, url=url), HARD, title=title, canonical_url=url)
        mark(client, text, QUOTES[1], words=HARD)
    with zipfile.ZipFile(io.BytesIO(download(client, format="markdown").content)) as archive:
        names = [name.casefold() for name in archive.namelist()]
    faces = "😀" * 50
    assert {"_con.md", "_aux.notes.md", "same.md", f"{faces}.md", f"{faces} 2.md"} <= set(names)
    assert len(set(names)) == len(titles)
    assert max(len(name.encode()) for name in names) <= 255


def test_tags_are_text_in_markdown(client: httpx2.Client, texts: list[UUID]) -> None:
    mark(client, texts[0], QUOTES[1], words=HARD, tags=["*bold*", "<b>x</b>"])
    file = download(client, format="markdown", media_id=texts[0]).text
    page = BeautifulSoup(MarkdownIt().render(file.split("---\n", 2)[2]), "html.parser")
    assert "#*bold* #<b>x</b>" in {each.get_text() for each in page("p")}


def test_only_some_of_them(client: httpx2.Client, made: list[dict[str, Any]]) -> None:
    assert len(download(client, format="json", q="end").json()["highlights"]) == 2
    assert download(client, format="json", tag="nobody").json() == {"highlights": []}
    assert zipfile.ZipFile(io.BytesIO(download(client, format="markdown", color="blue").content)).namelist() == []


def test_others_get_nothing(client: httpx2.Client, texts: list[UUID], made: list[dict[str, Any]]) -> None:
    assert download(client, BOB, format="json").json() == {"highlights": []}
    asked = {"format": "json", "media_id": str(texts[0])}
    problem(client.get("/highlights/export", params=asked, headers=as_user(BOB)), 404, "not_found")
    for asked, status, code in (
        ({"format": "json", "tag": "a//b"}, 422, "invalid_tag"),
        ({"format": "markdown", "q": "-"}, 400, "invalid_query"),
    ):
        problem(client.get("/highlights/export", params=asked, headers=as_user(ALICE)), status, code)
    problem(client.get("/highlights/export", params={"format": "pdf"}, headers=as_user(ALICE)), 422, "invalid_request")


def test_more_than_a_page(client: httpx2.Client, texts: list[UUID], connection: Connection) -> None:
    mark(client, texts[0], QUOTES[1], words=HARD)
    connection.execute("""
        INSERT INTO highlights (library_id, media_id, version, carried_version, start_fragment, start_offset,
                                end_fragment, end_offset, quote, prefix, suffix, color, state)
        SELECT library_id, media_id, 1, 1, 0, number % 9, 0, number % 9 + 3, number::text, '', '', 'blue', 'attached'
        FROM highlights, generate_series(1, 450) AS number
    """)
    connection.commit()
    found = download(client, format="json").json()["highlights"]
    assert {each["quote"] for each in found} == {str(number) for number in range(1, 451)} | {QUOTES[1]}
    assert len(found) == 451


def feed_of(client: httpx2.Client, user: UUID = ALICE) -> Any:
    response = client.get("/highlights/feed", headers=as_user(user))
    assert response.status_code == 200, response.text
    return response.json()["data"]


def open_feed(client: httpx2.Client, user: UUID = ALICE) -> str:
    response = client.post("/highlights/feed", headers=as_user(user))
    assert response.status_code == 201, response.text
    address: str = response.json()["data"]["url"]
    return address


def test_a_feed_for_whoever_has_its_address(
    token_client: httpx2.Client, client: httpx2.Client, made: list[dict[str, Any]]
) -> None:
    assert feed_of(client) is None
    address = open_feed(client)
    assert feed_of(client)["last_used_at"] is None
    path = "/" + address.partition("://")[2].partition("/")[2]
    response = token_client.get(path)  # without a token
    assert response.status_code == 200, response.text
    assert response.headers["content-type"].startswith("application/atom+xml")
    entries = ET.fromstring(response.text).findall(f"{ATOM}entry")
    assert [entry.findtext(f"{ATOM}id") for entry in entries] == [f"urn:uuid:{each['id']}" for each in made[::-1]]
    content = BeautifulSoup(entries[0].findtext(f"{ATOM}content") or "", "html.parser")
    assert [each.get_text() for each in content("blockquote")] == [QUOTES[1]]
    assert content.p is not None
    assert content.p.get_text() == "My *own*\nwords"
    assert feed_of(client)["last_used_at"] is not None
    again = open_feed(client)
    assert again != address
    problem(token_client.get(path), 404, "not_found")
    assert client.delete("/highlights/feed", headers=as_user(ALICE)).status_code == 204
    assert client.delete("/highlights/feed", headers=as_user(ALICE)).status_code == 204
    problem(client.get("/" + again.partition("://")[2].partition("/")[2]), 404, "not_found")
    problem(client.get("/highlights/feed/nxf_guess"), 404, "not_found")
    assert feed_of(client) is None


def test_feeds_are_each_users_own(client: httpx2.Client, made: list[dict[str, Any]]) -> None:
    assert feed_of(client, BOB) is None
    theirs, mine = open_feed(client, BOB), open_feed(client)
    assert client.get("/" + theirs.partition("://")[2].partition("/")[2]).text.count("<entry>") == 0
    assert client.get("/" + mine.partition("://")[2].partition("/")[2]).text.count("<entry>") == 4


def test_the_secret_of_a_feed_is_in_no_log(client: httpx2.Client) -> None:
    address = open_feed(client)
    secret = address.rpartition("/")[2]
    assert secret not in redact(address)
