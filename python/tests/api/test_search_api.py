"""Searching one's own library: what is found, in which order, where, and what is refused."""

import threading
from typing import Any
from uuid import UUID

import httpx2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import Connection

from nexus.db.session import Database
from nexus.services.lifecycle.episodes import correct_episode
from nexus.services.search.index import index_waiting
from tests import factories as make
from tests.api.saving import ALICE, BOB, as_user, save
from tests.episodes import episode_media, fragments_of, save_episode
from tests.lifecycle_steps import LifecycleSteps


def ask(client: httpx2.Client, q: str, user: UUID = ALICE, **more: Any) -> dict[str, Any]:
    response = client.get("/api/search", params={"q": q, **more}, headers=as_user(user))
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def titles(client: httpx2.Client, q: str, user: UUID = ALICE, **more: Any) -> list[str]:
    return [hit["entry"]["title"] for hit in ask(client, q, user, **more)["hits"]]


def marked(pieces: list[dict[str, Any]]) -> str:
    return "".join(f"[{piece['text']}]" if piece["hit"] else piece["text"] for piece in pieces)


def note(client: httpx2.Client, text: str, user: UUID = ALICE) -> str:
    return save(client, user, pasted_text=text)


def index(database: Database) -> None:
    """What a worker does with texts that others wrote."""
    with database.transaction() as session:
        assert index_waiting(session) is False


def test_a_hit_shows_where_it_stands(client: httpx2.Client) -> None:
    text = "About links\nThey rot, as we know.\nA Café keeps its links “for good” & ever."
    note(client, text)
    (hit,) = ask(client, "cafe link")["hits"]
    assert set(hit) == {"entry", "title", "snippet", "place"}
    assert hit["entry"]["kind"] == "pasted_text"
    assert marked(hit["title"]) == "About [links]"
    assert "A [Café] keeps its [links] “for good” & ever." in marked(hit["snippet"])
    assert (hit["place"]["fragment_idx"], hit["place"]["start_ms"]) == (0, None)
    words = client.get(f"/media/{hit['entry']['media_id']}/fragments", headers=as_user(ALICE)).json()["data"][0]
    assert words["canonical_text"][hit["place"]["offset"] :].startswith("links")


def test_titles_before_texts_then_the_newest(client: httpx2.Client) -> None:
    for title, text in (
        ("Old zebra", "x"),
        ("Grass", "where a zebra stands"),
        ("New zebra", "y"),
        ("Sky", "no animal"),
    ):
        note(client, f"{title}\n\n{text}")
    assert titles(client, "zebra") == ["New zebra", "Old zebra", "Grass"]
    assert titles(client, "zeb") == ["New zebra", "Old zebra", "Grass"]
    assert titles(client, "zeb ") == []
    assert titles(client, "zebra -new") == ["Old zebra", "Grass"]
    assert titles(client, '"zebra stands"') == ["Grass"]
    assert titles(client, '"stands zebra"') == []
    assert titles(client, "zebra", kind="web_article") == []
    found = ask(client, "zebra", limit=1)
    assert found["total"] == 3
    seen = [found["hits"][0]["entry"]["title"]]
    while found["next_cursor"]:
        found = ask(client, "zebra", limit=1, cursor=found["next_cursor"])
        assert found["total"] is None
        seen += [hit["entry"]["title"] for hit in found["hits"]]
    assert seen == ["New zebra", "Old zebra", "Grass"]


def test_words_may_stand_far_apart_and_deep_in_a_long_text(client: httpx2.Client) -> None:
    """Beyond what PostgreSQL keeps of one text: 16 383 places, 255 of a word."""
    filling = "the quick brown fox\n" * 4500
    note(client, f"A long one\nalbatross\n{filling}a zebra of the savannah\n{filling}")
    assert titles(client, "albatross zebra") == ["A long one"]
    (hit,) = ask(client, '"zebra of the savannah"')["hits"]
    assert marked(hit["snippet"]).startswith("… a [zebra of the savannah] the quick")
    assert hit["place"]["offset"] == len(f"A long one\nalbatross\n{filling}a ")
    assert titles(client, '"zebra of the quick"') == []


def test_scripts_without_spaces(client: httpx2.Client) -> None:
    note(client, "旅行\n私は東京都に住んでいます")
    note(client, "Другое\nПривет, ёлка")  # noqa: RUF001
    assert titles(client, "東京") == ["旅行"]
    assert titles(client, "京東") == []
    assert titles(client, "ПРИВЕТ елк") == ["Другое"]


def test_articles_by_site_author_and_address_but_never_by_what_is_not_theirs(
    client: httpx2.Client, steps: LifecycleSteps, database: Database
) -> None:
    """Not by markup, error texts, or the link of whoever saved it first: that may carry a secret."""
    item = save(client, url="https://example.com/a?token=hunter2")
    steps.succeed_item(
        item, title="Read me", html_sanitized='<p title="attribute">Hello there</p>', site_name="The Gazette",
        byline="Ada Reader", canonical_url="https://news.example.net/a",
    )  # fmt: skip
    steps.fail_item(save(client), detail="A secret of the site.")
    for q in ("gazette", "ada reader", "news.example.net", "hello", "gazette hello"):
        assert titles(client, q) == ["Read me"], q
    for q in ("attribute", "hunter2", "secret", "paragraph"):
        assert titles(client, q) == [], q
    (hit,) = ask(client, "gazette")["hits"]
    assert (hit["snippet"], hit["place"], marked(hit["title"])) == ([], None, "Read me")


def test_transcripts_are_found_at_their_second(
    client: httpx2.Client, connection: Connection, database: Database
) -> None:
    cues = [f"cue number {n}" for n in range(400)]
    cues[300:302] = ["and so the links", "rot away"]
    fragments = fragments_of(*cues)
    episode = save_episode(database, ALICE, fragments, site_name="The Show", audio_url="https://example.com/a.mp3")
    (hit,) = ask(client, '"links rot"', kind="podcast_episode")["hits"]
    assert hit["place"] == {"fragment_idx": 300, "offset": len("and so the "), "start_ms": 300_000}
    assert "and so the [links rot] away" in marked(hit["snippet"])
    assert titles(client, "show") == ["Pilot"]
    with database.transaction() as session:
        correct_episode(session, episode, episode_media(title="Renamed"))
    assert (titles(client, "renamed"), titles(client, "pilot"), titles(client, "show")) == (["Renamed"], [], [])


def test_what_leaves_the_shelf_is_not_found(
    client: httpx2.Client, connection: Connection, steps: LifecycleSteps, database: Database
) -> None:
    item = note(client, "Zebra\nmine")
    winner = steps.succeed_item(save(client), words="a zebra", title="Shared")
    twin = save(client, BOB)
    assert (titles(client, "zebra"), titles(client, "zebra", BOB)) == (["Zebra", "Shared"], [])
    steps.merge_item(twin, winner)
    assert titles(client, "zebra", BOB) == ["Shared"]
    assert client.delete(f"/items/{item}", headers=as_user(ALICE)).status_code == 204
    assert titles(client, "zebra") == ["Shared"]
    row = connection.execute("SELECT count(*) FROM search_passages WHERE words @@ 'mine'").fetchone()
    assert row == (0,)


def test_a_pasted_text_takes_the_place_of_what_could_not_be_read(client: httpx2.Client, steps: LifecycleSteps) -> None:
    item = save(client)
    steps.fail_item(item)
    body = {"pasted_text": "What I copied\nabout a zebra"}
    assert client.patch(f"/items/{item}/text", json=body, headers=as_user(ALICE)).status_code == 200
    assert titles(client, "zebra") == ["What I copied"]


@pytest.mark.parametrize("q", ["", "   ", "-zebra", '"!?"', "\0zebra", "x" * 10_000, " ".join(map(str, range(50)))])
def test_questions_that_cannot_be_answered(client: httpx2.Client, q: str) -> None:
    response = client.get("/api/search", params={"q": q}, headers=as_user(ALICE))
    detail = response.json()["detail"]
    assert (response.status_code, detail["error"]) == (400, "invalid_query")
    assert detail["message"].endswith(".")


@pytest.mark.parametrize("cursor", ["", "x", "1", "0.x", "99.AAAA", "-1.AAAA", "0.é"])
def test_cursors_that_nobody_gave_out(client: httpx2.Client, cursor: str) -> None:
    response = client.get("/api/search", params={"q": "a", "cursor": cursor}, headers=as_user(ALICE))
    assert (response.status_code, response.json()["detail"]["error"]) == (400, "invalid_cursor")


@pytest.mark.parametrize("asked", [{}, {"q": "a", "limit": 0}, {"q": "a", "limit": 51}, {"q": "a", "kind": "book"}])
def test_parameters_that_are_not_as_described(client: httpx2.Client, asked: dict[str, Any]) -> None:
    assert client.get("/api/search", params=asked).status_code == 422


def test_whatever_a_text_says_it_can_be_kept_and_asked_for(client: httpx2.Client, database: Database) -> None:
    """No text may break the transaction that keeps it, and no question the server."""

    @given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=300), st.integers(1, 40))
    @settings(max_examples=25, suppress_health_check=list(HealthCheck))
    def try_it(text: str, times: int) -> None:
        save_episode(database, ALICE, fragments_of(text * times), title=text)
        response = client.get("/api/search", params={"q": text[:60]}, headers=as_user(ALICE))
        assert response.status_code in (200, 400), response.text

    try_it()


def test_two_at_the_same_waiting_text(database: Database, connection: Connection) -> None:
    make.ready_media(connection, text="zebra")
    connection.commit()
    both = threading.Barrier(2)

    def work() -> None:
        both.wait()
        index(database)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert connection.execute("SELECT count(*) FROM search_passages").fetchone() == (1,)
    assert connection.execute("SELECT count(*) FROM search_waiting").fetchone() == (0,)


def test_the_filters_of_the_library_hold_while_searching(client: httpx2.Client, steps: LifecycleSteps) -> None:
    notes = [note(client, f"Comets number {n} and their tails") for n in range(5)]
    note(client, "Comets of somebody else", BOB)
    for item in notes[:2]:
        work = steps.media_of(item)
        client.put(f"/api/library/{work}/read", headers=as_user(ALICE)).raise_for_status()
    assert ask(client, "comets")["total"] == 5
    assert ask(client, "comets", status="succeeded")["total"] == 5
    assert ask(client, "comets", status="failed") == {"hits": [], "total": 0, "next_cursor": None}
    assert ask(client, "comets", unread=True, status="failed")["total"] == 0
    assert ask(client, "comets", unread=True, kind="web_article")["total"] == 0
    unread = [f"Comets number {n} and their tails" for n in (4, 3, 2)]
    assert titles(client, "comets", unread=True, kind="pasted_text") == unread
    first = ask(client, "comets", unread=True, limit=2)
    assert first["total"] == 3
    rest = ask(client, "comets", unread=True, limit=2, cursor=first["next_cursor"])
    assert [hit["entry"]["title"] for hit in first["hits"] + rest["hits"]] == unread
    assert rest["next_cursor"] is None
    assert titles(client, "comets", BOB, unread=True) == ["Comets of somebody else"]
    refused = client.get("/api/search", params={"q": "comets", "status": "lost"}, headers=as_user(ALICE))
    assert refused.status_code == 422
