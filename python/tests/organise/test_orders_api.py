"""Every order and every filter of the library, against plain Python over the same entries."""

import random
from base64 import urlsafe_b64decode
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest
from psycopg import Connection
from sqlalchemy.orm import Session

from nexus.services.cursors import write_key_cursor
from nexus.services.library import query_plan, sorting
from nexus.services.library.sorting import Sort
from tests.api.saving import ALICE, BOB, as_user, save
from tests.api.test_errors import problem
from tests.api.test_library_api import library
from tests.lifecycle_steps import LifecycleSteps, article
from tests.organise.test_entry_state_api import change

Entry = dict[str, Any]
TITLES = ("Éclair", "apple", "“Zebra”", "Ärger", "echo", "1984", "ωμέγα", "中文", "The end")
ORDERS: dict[str, Callable[[Entry], Any]] = {
    "newest": lambda one: (one["created_at"], one["media_id"]),
    "oldest": lambda one: (one["created_at"], one["media_id"]),
    "longest": lambda one: (-1 if one["word_count"] is None else seconds(one), one["media_id"]),
    "shortest": lambda one: (one["word_count"] is None, seconds(one), one["media_id"]),
    "title": lambda one: (key_of_title(one["title"]), one["media_id"]),
    "recently_read": lambda one: (one["last_read_at"] or "", one["created_at"], one["media_id"]),
}
DESCENDING = ("newest", "longest", "recently_read")
FILTERS: list[tuple[dict[str, Any], Callable[[Entry], bool]]] = [
    ({}, lambda _: True),
    ({"starred": True}, lambda one: bool(one["starred_at"])),
    ({"unread": True}, lambda one: one["status"] == "succeeded" and one["read_at"] is None),
    ({"tag": "a"}, lambda one: any(tag.split("/")[0] == "a" for tag in one["tags"])),
    ({"tag": ["a", "b"], "starred": True}, lambda one: {"a/x", "b"} <= set(one["tags"]) and bool(one["starred_at"])),
    ({"untagged": True}, lambda one: not one["tags"]),
    ({"site": "https://www.One.example/x"}, lambda one: one["site"] == "one.example"),
    ({"site": "one.example", "unread": True, "untagged": True}, lambda one: one["site"] == "one.example"
     and one["status"] == "succeeded" and one["read_at"] is None and not one["tags"]),
    ({"min_minutes": 2}, lambda one: (one["reading_minutes"] or 0) >= 2),
    ({"max_minutes": 2}, lambda one: one["reading_minutes"] is not None and one["reading_minutes"] <= 2),
    ({"min_minutes": 2, "max_minutes": 3, "kind": "web_article"}, lambda one: one["reading_minutes"] in (2, 3)),
    ({"status": "queued"}, lambda one: one["status"] == "queued"),
]  # fmt: skip


def seconds(one: Entry) -> float:
    if one["word_count"] is None:
        return -1
    words: int = one["word_count"]
    return -(-words * 60 // (500 if one["canonical_url"].endswith("zh") else 230))


def key_of_title(title: str) -> str:
    known = {"Éclair": "eclair", "“Zebra”": "zebra”", "Ärger": "arger", "ωμέγα": "ωμεγα"}
    return known.get(title, title.lower())


@pytest.fixture
def entries(client: httpx2.Client, steps: LifecycleSteps, connection: Connection) -> list[Entry]:
    chance = random.Random(4)
    made: list[UUID] = []
    for number in range(26):
        link = f"https://www.{chance.choice(['one', 'two'])}.example/{number}"
        state: dict[str, Any] = {}
        item = save(client, url=link)
        media = steps.media_of(item)
        if number % 6:
            lang = chance.choice(["en", "zh"])
            words = chance.choice([0, 1, 229, 230, 231, 460, 461, 700])
            steps.succeed_item(
                item, title=chance.choice(TITLES), word_count=words, lang=lang, canonical_url=f"{link}{lang}"
            )
            state["read"] = chance.random() < 0.5
        state["tags"] = [name for name in ("a/x", "a/y", "b") if chance.random() < 0.4]
        change(client, media, **state, starred=chance.random() < 0.5, archived=chance.random() < 0.3)
        if number % 6 and number % 4 == 1:
            change(client, media, read=True)
            change(client, media, read=False)  # when it was read stays
        made.append(media)
    save(client, BOB)
    connection.execute("UPDATE library_media SET created_at = date_trunc('second', created_at)")  # ties
    connection.commit()
    found = {one["media_id"]: one for one in library(client, ALICE, archived="any", limit=len(made))["entries"]}
    return [found[str(media)] for media in made]


def pages(client: httpx2.Client, **asked: Any) -> Iterator[str]:
    cursor: dict[str, str] = {}
    while True:
        page = library(client, ALICE, limit=9, **asked, **cursor)
        yield from (one["media_id"] for one in page["entries"])
        if page["next_cursor"] is None:
            return
        cursor = {"cursor": page["next_cursor"]}


# All that a filter finds is read and sorted; an index is scanned, though nobody knows how many there are.
@pytest.mark.parametrize(("count_limit", "risk"), [(2000, 1000.0), (2000, -1000.0), (3, 0.02)])
def test_every_order_with_every_filter(
    client: httpx2.Client, entries: list[Entry], monkeypatch: pytest.MonkeyPatch, count_limit: int, risk: float
) -> None:
    """Pages hold each entry once, in each way to find them."""
    monkeypatch.setattr(query_plan, "MAX_COUNTED", count_limit)
    monkeypatch.setattr(query_plan, "SCAN_RISK", risk)
    monkeypatch.setattr(query_plan, "SCAN_RISK_MULTIPLE_RANGES", risk)
    titles = [one["title"] for one in entries]
    assert len(set(titles)) > 5
    for (sort, key), (asked, is_matching) in product(ORDERS.items(), FILTERS):
        for archived in ("any", "false"):
            matching = [
                one for one in entries if is_matching(one) and (archived == "any" or one["archived_at"] is None)
            ]
            expected = [one["media_id"] for one in sorted(matching, key=key, reverse=sort in DESCENDING)]
            found = list(pages(client, sort=sort, archived=archived, **asked))
            assert found == expected, (sort, asked, archived)


def test_how_many_each_filter_finds(client: httpx2.Client, entries: list[Entry]) -> None:
    for number, ((asked, is_matching), archived) in enumerate(product(FILTERS, ("any", "false"))):
        query = asked | {"archived": archived}
        body = {"name": str(number), "query": query | ({"tag": [asked["tag"]]} if asked.get("tag") == "a" else {})}
        kept = client.post("/api/saved-searches", json=body, headers=as_user(ALICE)).json()
        expected = [one for one in entries if is_matching(one) and (archived == "any" or one["archived_at"] is None)]
        assert kept["count"] == len(expected), query


def test_many_tags_are_few_statements(
    client: httpx2.Client, entries: list[Entry], monkeypatch: pytest.MonkeyPatch
) -> None:
    """How many entries a tag has is kept: no index is counted, however many tags are asked for."""
    counted = list[str]()
    unchanged = Session.execute

    def execute(session: Session, statement: Any, *given: Any, **named: Any) -> Any:
        counted.append(str(statement))
        return unchanged(session, statement, *given, **named)

    monkeypatch.setattr(Session, "execute", execute)
    names = [f"t{number}" for number in range(40)]
    change(client, entries[1]["media_id"], tags=names, archived=False)
    asked = []
    for wanted in (names[:2], names):
        counted.clear()
        found = library(client, ALICE, tag=wanted)["entries"]
        assert [one["media_id"] for one in found] == [entries[1]["media_id"]]
        asked.append(len(counted))
    assert asked[0] == asked[1] > 0


def test_a_cursor_belongs_to_its_order(client: httpx2.Client, entries: list[Entry]) -> None:
    cursors = {sort: library(client, ALICE, sort=sort, limit=2)["next_cursor"] for sort in ORDERS}
    for sort, cursor in product(ORDERS, cursors.values()):
        response = client.get("/api/library", params={"sort": sort, "cursor": cursor}, headers=as_user(ALICE))
        if cursor == cursors[sort]:
            assert response.status_code == 200
        else:
            problem(response, 400, "invalid_cursor")
    for broken in ("x", "AAAA", "é", cursors["title"][:-4], cursors["title"] + "AAAA"):
        response = client.get("/api/library", params={"sort": "title", "cursor": broken}, headers=as_user(ALICE))
        problem(response, 400, "invalid_cursor")
    forgeries: list[tuple[Sort, str]] = [
        ("title", "a\0b"), ("longest", "-2"), ("shortest", str(2**31)), ("longest", "x"), ("oldest", "yesterday"),
    ]  # fmt: skip
    for sort, key in forgeries:
        forged = write_key_cursor(sorting.ORDERS[sort].cursor, key, uuid4())
        response = client.get("/api/library", params={"sort": sort, "cursor": forged}, headers=as_user(ALICE))
        problem(response, 400, "invalid_cursor")


def test_links_of_others_are_in_no_cursor(client: httpx2.Client, steps: LifecycleSteps) -> None:
    """Alice's link is a personal one; Bob has the same page, which has no title, and is shown its own URL as one."""
    page = "https://one.example/page"
    for user, link in ((ALICE, "https://one.example/r?token=secret"), (BOB, page)):
        save(client, user, url=link)
        steps.succeed(steps.claim_one(), article(page, title=None))
        save(client, user, pasted_text="Zebra")
        found = library(client, user, sort="title", limit=1)
        assert found["entries"][0]["title"] == "one.example/page"
        cursor = urlsafe_b64decode(found["next_cursor"] + "==")
        assert b"one.example/page" in cursor
        assert b"secret" not in cursor


@pytest.mark.parametrize(
    "typed",
    [
        "münchen.example",
        "www.MÜNCHEN.example",
        "xn--mnchen-3ya.example",
        "https://münchen.example:8080/x",
        "münchen.example?x",
    ],
)
def test_a_site_as_one_types_it(client: httpx2.Client, steps: LifecycleSteps, typed: str) -> None:
    item = save(client, url="https://www.münchen.example:8080/page")
    steps.succeed_item(item, canonical_url="https://www.xn--mnchen-3ya.example:8080/page")
    save(client, url="https://example.com/")
    assert [one["media_id"] for one in library(client, ALICE, site=typed)["entries"]] == [str(steps.media_of(item))]
    assert library(client, ALICE, site="https://[")["entries"] == []


def test_searches_take_the_same_filters(client: httpx2.Client, entries: list[Entry]) -> None:
    for asked, is_matching in FILTERS:
        params: dict[str, Any] = {"q": "hello", "limit": 50} | asked
        response = client.get("/api/search", params=params, headers=as_user(ALICE))
        found = {hit["entry"]["media_id"] for hit in response.json()["hits"]}
        assert found == {one["media_id"] for one in entries if is_matching(one) and one["status"] == "succeeded"}, asked


def test_a_title_of_ones_own_is_sorted_by(client: httpx2.Client, entries: list[Entry]) -> None:
    last = library(client, ALICE, sort="title", archived="any")["entries"][-1]["media_id"]
    change(client, last, title="  #Aaa")
    found = library(client, ALICE, sort="title", archived="any")["entries"]
    assert next(one for one in found if not one["title"].startswith("1984"))["media_id"] == last
