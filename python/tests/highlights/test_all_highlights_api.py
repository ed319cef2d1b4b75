"""All highlights of a user: by text, tag and colour, searched, in pages; and the daily review."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import httpx2
import pytest
from psycopg import Connection

from nexus.services.cursors import write_key_cursor
from nexus.services.highlights.listing import TEXT_LIST
from tests.api.saving import ALICE, BOB, as_user, save
from tests.api.test_errors import problem
from tests.highlights.marking import change, mark, of_text
from tests.lifecycle_steps import LifecycleSteps

WORDS = "Apples fall in autumn. Bread is baked in winter. Cherries blossom in spring. Dates ripen in summer."
SENTENCES = [f"{sentence}." for sentence in WORDS.rstrip(".").split(". ")]


@pytest.fixture
def texts(client: httpx2.Client, steps: LifecycleSteps) -> list[UUID]:
    """The media “Alpha” and “Beta”."""
    return [text_with(client, steps, title) for title in ("Beta", "Alpha")][::-1]


def text_with(client: httpx2.Client, steps: LifecycleSteps, title: str, user: UUID = ALICE) -> UUID:
    item = save(client, user, url=f"https://example.com/{title}")
    facts = {"canonical_url": f"https://example.com/{title}", "byline": "Ada", "site_name": "Garden"}
    return steps.succeed_item(item, WORDS, title=title, **facts)


def page(client: httpx2.Client, user: UUID = ALICE, **asked: Any) -> dict[str, Any]:
    response = client.get("/highlights", params=asked, headers=as_user(user))
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()["data"]
    return found


def pages(client: httpx2.Client, **asked: Any) -> Iterator[dict[str, Any]]:
    cursor = None
    while True:
        found = page(client, **asked | ({"cursor": cursor} if cursor else {}))
        assert len(found["highlights"]) <= asked["limit"]
        yield from found["highlights"]
        cursor = found["next_cursor"]
        if cursor is None:
            return


def ids(highlights: Any) -> list[str]:
    return [each["id"] for each in highlights]


def review(client: httpx2.Client, user: UUID = ALICE, **asked: Any) -> list[dict[str, Any]]:
    response = client.get("/highlights/review", params=asked, headers=as_user(user))
    assert response.status_code == 200, response.text
    found: list[dict[str, Any]] = response.json()["data"]["highlights"]
    return found


def next_day(connection: Connection) -> None:
    """Makes all highlights and their tags a day older."""
    for table, columns in {
        "highlights": ("created_at", "seen_at"),
        "highlight_tags": ("created_at",),
    }.items():
        moved = ", ".join(f"{column} = {column} - interval '1 day'" for column in columns)
        connection.execute(f"UPDATE {table} SET {moved}".encode())
    connection.execute("UPDATE highlight_reviews SET day = day - 1")
    connection.commit()


def test_each_with_what_it_was_marked_in(client: httpx2.Client, texts: list[UUID]) -> None:
    made = mark(client, texts[0], SENTENCES[1], words=WORDS, note="Yes")
    (found,) = page(client)["highlights"]
    media = {"kind": "web_article", "title": "Alpha", "byline": "Ada", "site_name": "Garden"}
    assert found == made | {"media": media | {"url": "https://example.com/Alpha"}}
    client.patch(f"/api/library/{texts[0]}", json={"title": "My own"}, headers=as_user(ALICE))
    assert page(client)["highlights"][0]["media"]["title"] == "My own"
    assert page(client, BOB) == {"highlights": [], "next_cursor": None}


def test_in_two_orders_and_in_pages(client: httpx2.Client, texts: list[UUID]) -> None:
    alpha, beta = texts
    made = [mark(client, text, each, words=WORDS)["id"] for each in SENTENCES for text in (beta, alpha)]
    for limit in (1, 3, 8, 100):
        assert ids(pages(client, limit=limit)) == made[::-1]
        assert ids(pages(client, limit=limit, sort="text")) == made[1::2] + made[::2]
    deleted = made.pop(3)
    client.delete(f"/highlights/{deleted}", headers=as_user(ALICE))
    assert deleted not in ids(pages(client, limit=2))
    assert deleted not in ids(pages(client, limit=2, sort="text"))


def test_two_texts_of_one_title(client: httpx2.Client, steps: LifecycleSteps, connection: Connection) -> None:
    media = [text_with(client, steps, f"Same-{number}") for number in range(3)]
    for each in media:
        client.patch(f"/api/library/{each}", json={"title": "Same"}, headers=as_user(ALICE))
    made = {str(each): [mark(client, each, sentence, words=WORDS)["id"] for sentence in SENTENCES] for each in media}
    assert ids(pages(client, limit=2, sort="text")) == [each for name in sorted(made) for each in made[name]]


def test_by_colour_tag_and_words(client: httpx2.Client, texts: list[UUID]) -> None:
    alpha, beta = texts
    apples = mark(client, alpha, SENTENCES[0], words=WORDS, color="green", tags=["fruit/apple"], note="Keep cool")
    bread = mark(client, alpha, SENTENCES[1], words=WORDS, tags=["Food", "winter"])
    cherries = mark(client, beta, SENTENCES[2], words=WORDS, color="green", tags=["fruit", "Fruit/Stone"])
    for asked, expected in (
        ({"color": "green"}, [cherries, apples]),
        ({"color": "pink"}, []),
        ({"tag": "FRUIT"}, [cherries, apples]),
        ({"tag": "fruit/apple"}, [apples]),
        ({"tag": ["food", "winter"]}, [bread]),
        ({"tag": ["food", "fruit"]}, []),
        ({"tag": "nobody has it"}, []),
        ({"q": "bread"}, [bread]),
        ({"q": "BAK"}, [bread]),
        ({"q": "in"}, [cherries, bread, apples]),
        ({"q": '"baked in winter"'}, [bread]),
        ({"q": '"winter in baked"'}, []),
        ({"q": "in -bread"}, [cherries, apples]),
        ({"q": "cool"}, [apples]),
        ({"q": "in", "color": "green", "tag": "fruit"}, [cherries, apples]),
        ({"q": "in", "tag": "fruit", "color": "yellow"}, []),
    ):
        for limit in (1, 50):
            assert ids(pages(client, limit=limit, **asked)) == ids(expected), asked
            by_text = sorted(expected, key=lambda each: each["start"]["offset"])
            assert ids(pages(client, limit=limit, sort="text", **asked)) == ids(by_text), asked
    change(client, apples, note="Warm", tags=["other"])
    assert page(client, q="cool")["highlights"] == []
    assert ids(page(client, q="warm", tag="other")["highlights"]) == [apples["id"]]
    assert ids(page(client, tag="fruit")["highlights"]) == [cherries["id"]]


def test_marks_without_a_letter_are_no_words(client: httpx2.Client, texts: list[UUID]) -> None:
    lone = "\u0301"  # an accent
    bread = mark(client, texts[0], SENTENCES[1], words=WORDS, note=f"warm {lone} crust")
    for asked in (f"bread {lone}", f"{lone} OR bread", f'"warm {lone} crust"', '"warm crust"', f"bread -{lone}"):
        assert ids(page(client, q=asked)["highlights"]) == [bread["id"]], asked
    for asked in (lone, f'"{lone} {lone}"', f"-{lone}"):
        problem(client.get("/highlights", params={"q": asked}, headers=as_user(ALICE)), 400, "invalid_query")


def test_the_note_of_a_long_quote_is_searched(client: httpx2.Client, steps: LifecycleSteps) -> None:
    words = "so it goes on " * 1200 + "until here."
    url = "https://example.com/long"
    text = steps.succeed_item(save(client, url=url), words, title="Long", canonical_url=url)
    made = mark(client, text, words, words=words, note="Tiresome")
    assert ids(page(client, q="tiresome")["highlights"]) == [made["id"]]


@pytest.mark.parametrize(
    ("asked", "status", "code"),
    [
        ({"cursor": "nonsense"}, 400, "invalid_cursor"),
        ({"q": ""}, 400, "invalid_query"),
        ({"color": "red"}, 422, "invalid_request"),
        ({"sort": "luck"}, 422, "invalid_request"),
        ({"limit": 0}, 422, "invalid_request"),
        ({"colour": "green"}, 422, "invalid_request"),
        ({"tag": "a//b"}, 422, "invalid_tag"),
    ],
)
def test_what_cannot_be_listed(client: httpx2.Client, asked: dict[str, Any], status: int, code: str) -> None:
    problem(client.get("/highlights", params=asked, headers=as_user(ALICE)), status, code)


def test_a_cursor_belongs_to_its_order(client: httpx2.Client, texts: list[UUID]) -> None:
    for sentence in SENTENCES:
        mark(client, texts[0], sentence, words=WORDS)
    for sort, other in (("newest", "text"), ("text", "newest")):
        cursor = page(client, sort=sort, limit=1)["next_cursor"]
        asked = {"sort": other, "cursor": cursor}
        problem(client.get("/highlights", params=asked, headers=as_user(ALICE)), 400, "invalid_cursor")


@pytest.mark.parametrize(
    "key",
    [
        ["a\0", str(ALICE), 0, 0],
        ["\ud800", str(ALICE), 0, 0],
        [["a"], str(ALICE), 0, 0],
        ["a", str(ALICE), float("inf"), 0],
        ["a", 1, 0, 0],
        ["a", str(ALICE), 0],
        {"a": 1},
    ],
)
def test_a_cursor_that_was_made_up(client: httpx2.Client, texts: list[UUID], key: Any) -> None:
    asked = {"sort": "text", "cursor": write_key_cursor(TEXT_LIST, json.dumps(key), ALICE)}
    problem(client.get("/highlights", params=asked, headers=as_user(ALICE)), 400, "invalid_cursor")


def test_a_cursor_too_deep_to_read(client: httpx2.Client) -> None:
    asked = {"sort": "text", "cursor": write_key_cursor(TEXT_LIST, "[" * 20_000, ALICE)}
    response = client.get("/highlights", params=asked, headers=as_user(ALICE))
    assert response.status_code == 400, response.text


def test_a_review_is_the_same_all_day_and_repeats_nothing(
    client: httpx2.Client, texts: list[UUID], connection: Connection
) -> None:
    today = datetime.now(UTC).date()  # given with what must be of one day: midnight may come at any time
    made = [mark(client, text, words, words=WORDS)["id"] for text in texts for words in (*SENTENCES, "autumn", "baked")]
    assert review(client, day=today) == [], "only older ones"
    next_day(connection)
    today = datetime.now(UTC).date()
    first = review(client, day=today)
    assert len(first) == 5
    assert review(client, day=today) == first
    assert {"media", "quote"} <= set(first[0])
    shown = [ids(first)]
    for _ in range(2):
        next_day(connection)
        shown.append(ids(review(client)))
    assert len({each for day in shown[:2] for each in day}) == 10, "none twice"
    assert {each for day in shown for each in day} == set(made), "and all of them, before one comes again"


def test_what_was_seen_comes_after_all_others(client: httpx2.Client, texts: list[UUID], connection: Connection) -> None:
    made = {mark(client, texts[0], words, words=WORDS)["id"] for words in (*SENTENCES, "autumn", "baked", "ripen")}
    next_day(connection)
    today = datetime.now(UTC).date()
    seen = ids(review(client, day=today))[:3]
    for each in seen * 2:
        response = client.post(f"/highlights/{each}/seen", headers=as_user(ALICE))
        assert response.status_code == 200, response.text
        assert response.json()["data"]["seen_at"] is not None
    assert {each["id"] for each in review(client, day=today) if each["seen_at"]} == set(seen), "still today's"
    late = mark(client, texts[0], "winter", words=WORDS)["id"]
    next_day(connection)
    assert set(ids(review(client))) == made - set(seen) | {late}
    rounds = connection.execute("SELECT id::text, review_round FROM highlights").fetchall()
    assert dict(rounds) == dict.fromkeys(made - set(seen) | {late}, 0) | dict.fromkeys(seen, 1)


def test_reviews_of_others_and_of_other_days(client: httpx2.Client, texts: list[UUID], connection: Connection) -> None:
    made = mark(client, texts[0], SENTENCES[0], words=WORDS)
    next_day(connection)
    assert ids(review(client, day=datetime.now(UTC).date())) == [made["id"]]
    assert review(client, BOB) == []
    problem(client.post(f"/highlights/{made['id']}/seen", headers=as_user(BOB)), 404, "not_found")
    other = {"day": str(datetime.now(UTC).date() + timedelta(days=3))}
    problem(client.get("/highlights/review", params=other, headers=as_user(ALICE)), 422, "invalid_day")
    client.delete(f"/highlights/{made['id']}", headers=as_user(ALICE))
    assert review(client) == []
    problem(client.post(f"/highlights/{made['id']}/seen", headers=as_user(ALICE)), 404, "not_found")
    assert of_text(client, texts[0]) == []
