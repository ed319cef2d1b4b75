"""Searching one's own library: what is found, in which order, where, and what is refused."""

from typing import Any
from uuid import UUID

import httpx2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import Connection

from nexus.db.session import Database
from nexus.schemas.search import SearchResults
from nexus.services.cursors import write_key_cursor
from nexus.services.library.tags import tags_by_key
from nexus.services.lifecycle.episodes import correct_episode
from nexus.services.search import filter_conditions
from nexus.services.search.search import CURSOR
from tests.api.saving import ALICE, BOB, as_user, save
from tests.episodes import episode_media, fragments_of, save_episode
from tests.lifecycle_steps import LifecycleSteps


def ask(client: httpx2.Client, q: str, user: UUID = ALICE, **more: Any) -> dict[str, Any]:
    response = client.get("/api/search", params={"q": q, **more}, headers=as_user(user))
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    # The route writes what was found as it is.
    assert SearchResults.model_validate(found).model_dump(mode="json") == found
    return found


def titles(client: httpx2.Client, q: str, user: UUID = ALICE, **more: Any) -> list[str]:
    return [hit["entry"]["title"] for hit in ask(client, q, user, **more)["hits"]]


def marked(pieces: list[dict[str, Any]]) -> str:
    return "".join(f"[{piece['text']}]" if piece["hit"] else piece["text"] for piece in pieces)


def note(client: httpx2.Client, text: str, user: UUID = ALICE) -> str:
    return save(client, user, pasted_text=text)


def test_a_hit_shows_where_it_stands(client: httpx2.Client) -> None:
    text = "About links\nThey rot, as we know.\nA Café keeps its links “for good” & ever."
    note(client, text)
    (hit,) = ask(client, "cafe keep")["hits"]
    assert set(hit) == {"entry", "title", "snippet", "place"}
    assert hit["entry"]["kind"] == "pasted_text"
    assert marked(hit["title"]) == "About links"
    assert "A [Café] [keeps] its links “for good” & ever." in marked(hit["snippet"])
    assert (hit["place"]["fragment_idx"], hit["place"]["start_ms"]) == (0, None)
    words = client.get(f"/media/{hit['entry']['media_id']}/fragments", headers=as_user(ALICE)).json()["data"][0]
    assert words["canonical_text"][hit["place"]["offset"] :].startswith("Café")


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
    assert titles(client, "zebra", sort="newest") == ["New zebra", "Grass", "Old zebra"]
    assert titles(client, "zebra stands") == ["Grass", "New zebra", "Old zebra"]
    assert titles(client, "zebra -new") == ["Old zebra", "Grass"]
    assert titles(client, '"zebra stands"') == ["Grass"]
    assert titles(client, '"stands zebra"') == []
    assert titles(client, "zebra", kind="web_article") == []


@pytest.mark.parametrize("sort", ["relevance", "newest"])
def test_pages_hold_everything_once_whatever_is_saved_meanwhile(client: httpx2.Client, sort: str) -> None:
    expected = [f"Zebra {number}" for number in range(7)]
    for title in expected:
        note(client, f"{title}\n\nzebra")
    found = ask(client, "zebra", limit=2, sort=sort)
    assert (found["total"], found["total_is_about"]) == (7, False)
    seen = [hit["entry"]["title"] for hit in found["hits"]]
    while found["next_cursor"]:
        note(client, f"Later zebra {len(seen)}\n\nzebra")
        found = ask(client, "zebra", limit=2, sort=sort, cursor=found["next_cursor"])
        assert (found["total"], found["facets"]) == (None, None)
        seen += [hit["entry"]["title"] for hit in found["hits"]]
    assert sorted(seen) == expected
    refused = client.get("/api/search", params={"q": "a", "cursor": cursor_of_other_order(client, sort), "sort": sort})
    assert refused.json()["detail"]["error"] == "invalid_cursor"


def cursor_of_other_order(client: httpx2.Client, sort: str) -> str:
    other = "newest" if sort == "relevance" else "relevance"
    return str(ask(client, "zebra", limit=1, sort=other)["next_cursor"])


def test_a_misspelt_word_is_corrected_and_said_so(client: httpx2.Client) -> None:
    note(client, "The lighthouse\n\nIts keeper wrote letters.")
    found = ask(client, "ligthouse keeper")
    assert found["corrected"] == {"ligthouse": "lighthouse"}
    (hit,) = found["hits"]
    assert marked(hit["title"]) == "The [lighthouse]"
    assert ask(client, "lighthouse")["corrected"] == {}


def test_operators_filters_and_facets(client: httpx2.Client, steps: LifecycleSteps) -> None:
    article = steps.succeed_item(
        save(client, url="https://news.example.net/a"), title="Comets", canonical_url="https://news.example.net/a",
        words="Tails of comets", byline="Zoë Lee", lang="en",
    )  # fmt: skip
    mine = steps.media_of(note(client, "My comets\n\nNothing else"))
    change = {"tags": ["Sky/Night"], "starred": True, "note": "Ask about perihelion", "title": "Haley's own"}
    assert client.patch(f"/api/library/{mine}", json=change, headers=as_user(ALICE)).status_code == 200
    for q in (
        "tag:sky", 'tag:"sky/night"', "is:starred", "perihelion", "in:notes perihelion", "haley", "my comets -tails",
        "kind:paste", "kind:pasted_text", "-site:example.net", "night", "in:title comets is:starred",
    ):  # fmt: skip
        assert titles(client, q) == ["Haley's own"], q
    for q in ("site:example.net", "site:news.example.net", "author:zoe", "comets lang:en", "-tag:sky", "kind:article"):
        assert titles(client, q) == ["Comets"], q
    for q in ("comets is:archived", "is:highlighted", "comets before:2001", "in:highlights comets", "tag:nowhere"):
        assert titles(client, q) == [], q
    assert titles(client, "comets after:2001 is:unread") == ["Comets", "Haley's own"]
    facets = ask(client, "comets")["facets"]
    assert facets["kind"] == [{"value": "pasted_text", "count": 1}, {"value": "web_article", "count": 1}]
    assert facets["site"] == [{"value": "news.example.net", "count": 1}]
    assert facets["tag"] == [{"value": "Sky", "count": 1}, {"value": "Sky/Night", "count": 1}]
    assert [facet["count"] for facet in facets["year"]] == [2]
    assert article != mine


def test_an_operator_that_is_none_is_text(client: httpx2.Client) -> None:
    note(client, "Namespaces\n\nWrite foo:bar there, then std::move it.")
    note(client, "Bars\n\nNot a foo, but a bar.")
    assert titles(client, "foo:bar") == titles(client, "std::move") == ["Namespaces"]


def test_a_note_is_shown_where_it_was_found(client: httpx2.Client, steps: LifecycleSteps) -> None:
    mine = steps.media_of(note(client, "Comets\n\nNothing else"))
    client.patch(f"/api/library/{mine}", json={"note": "Ask about perihelion"}, headers=as_user(ALICE))
    (hit,) = ask(client, "perihelion")["hits"]
    assert (marked(hit["snippet"]), hit["place"]) == ("Ask about [perihelion]", None)


def test_what_is_like_a_text(client: httpx2.Client, steps: LifecycleSteps) -> None:
    about = ["Lighthouses guide ships past cliffs.", "Ships sail past lighthouses on cliffs.", "Bread needs flour."]
    first, second, _ = [steps.media_of(note(client, text)) for text in about]
    note(client, about[0], BOB)
    found = client.get(f"/api/library/{first}/related", headers=as_user(ALICE)).json()["entries"]
    assert [entry["media_id"] for entry in found] == [str(second)]
    assert client.get(f"/api/library/{first}/related", headers=as_user(BOB)).status_code == 404


def test_words_may_stand_far_apart_and_deep_in_a_long_text(client: httpx2.Client) -> None:
    """More words than a tsvector of PostgreSQL holds: 16 383 positions, 255 of one word."""
    filling = "the quick brown fox\n" * 4500
    note(client, f"A long one\nalbatross\n{filling}a zebra of the savannah\n{filling}")
    assert titles(client, "albatross zebra") == ["A long one"]
    (hit,) = ask(client, '"zebra of the savannah"')["hits"]
    assert "a [zebra of the savannah] the quick" in marked(hit["snippet"])
    assert hit["place"]["offset"] == len(f"A long one\nalbatross\n{filling}a ")
    assert titles(client, '"zebra of the quick"') == []


def test_the_index_is_behind_but_shows_nothing_that_is_gone(
    client: httpx2.Client, steps: LifecycleSteps, dev_server: str
) -> None:
    """The index is not brought up to date in between."""
    gone, archived, stays = (note(client, f"Zebra {name}\n\nstripes") for name in ("gone", "archived", "stays"))
    assert ask(client, "stripes")["total"] == 3
    client.delete(f"/items/{gone}", headers=as_user(ALICE)).raise_for_status()
    change = {"archived": True}
    client.patch(f"/api/library/{steps.media_of(archived)}", json=change, headers=as_user(ALICE)).raise_for_status()
    with httpx2.Client(base_url=dev_server, timeout=60) as unindexed:
        found = ask(unindexed, "stripes -is:archived")
        assert [hit["entry"]["item_id"] for hit in found["hits"]] == [stays]
        assert found["total_is_about"]
        assert titles(unindexed, "stripes", BOB) == []


def test_scripts_without_spaces(client: httpx2.Client) -> None:
    note(client, "旅行\n私は東京都に住んでいます")
    note(client, "Другое\nПривет, ёлка")  # noqa: RUF001
    assert titles(client, "東京") == titles(client, "京") == ["旅行"]
    assert titles(client, "京東") == []
    assert titles(client, "ПРИВЕТ елк") == ["Другое"]


def test_articles_by_site_author_and_address_but_never_by_what_is_not_theirs(
    client: httpx2.Client, steps: LifecycleSteps, database: Database
) -> None:
    """It is not found by markup, error texts or the link of the user who saved it first, which may hold a secret."""
    item = save(client, url="https://example.com/a?token=hunter2")
    steps.succeed_item(
        item, title="Read me", html_sanitized='<p title="attribute">Hello there</p>', site_name="The Gazette",
        byline="Ada Reader", canonical_url="https://news.example.net/a",
    )  # fmt: skip
    steps.fail_item(save(client), detail="A secret of the site.")
    for q in ("gazette", "ada reader", "news.example.net", "hello", "gazette hello"):
        assert titles(client, q) == ["Read me"], q
    for q in ("attribute", "hunter2", "secret", "paragraph "):
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


def test_what_leaves_the_library_is_not_found(
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


def test_a_pasted_text_takes_the_place_of_what_could_not_be_read(client: httpx2.Client, steps: LifecycleSteps) -> None:
    item = save(client)
    steps.fail_item(item)
    body = {"pasted_text": "What I copied\nabout a zebra"}
    assert client.patch(f"/items/{item}/text", json=body, headers=as_user(ALICE)).status_code == 200
    assert titles(client, "zebra") == ["What I copied"]


@pytest.mark.parametrize("q", ["", "   ", '"!?"', "\0zebra", "x" * 4097])
def test_queries_that_are_refused(client: httpx2.Client, q: str) -> None:
    response = client.get("/api/search", params={"q": q}, headers=as_user(ALICE))
    detail = response.json()["detail"]
    assert (response.status_code, detail["error"]) == (400, "invalid_query")
    assert detail["message"].endswith(".")


@pytest.mark.parametrize(
    "q",
    [
        " OR ".join(f"z{letter}*" for letter in "abcdefghijklmnopqrstuvwxyz" * 26),
        " ".join(f"zebrra{number}" for number in range(400)),
        " ".join(f'"zebra {number}"' for number in range(300)),
        " ".join(f"-zebra{number}" for number in range(300)),
        " ".join(f"-tag:t{number} is:unread" for number in range(180)),
        "(z+)+$" * 600,
        "東京" * 2000,
        "a:" * 2000,
        "site:" + "z." * 2000,
        "zebra-" * 600,
        "'; DROP TABLE items; --",
        "zebra \u202e \ufffe \U0010ffff %00 \\",
    ],
)
def test_whatever_is_typed_gets_a_response(client: httpx2.Client, q: str) -> None:
    note(client, "Zebra\n\nstripes")
    answer = client.get("/api/search", params={"q": q[:4096]}, headers=as_user(ALICE))
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("cursor", ["", "x", "1", "0.x", "99.AAAA", "-1.AAAA", "0.é"])
def test_unknown_cursors(client: httpx2.Client, cursor: str) -> None:
    response = client.get("/api/search", params={"q": "a", "cursor": cursor}, headers=as_user(ALICE))
    assert (response.status_code, response.json()["detail"]["error"]) == (400, "invalid_cursor")


@pytest.mark.parametrize(
    "key",
    [
        "", "relevance", "relevance 1", "relevance 1 2 3", "relevance x 1", "relevance 1 x", "relevance -1 1",
        "relevance 10001 1", f"relevance 0 {2**62}", f"relevance 0 {2**80}", f"relevance 0 -{2**80}",
        "relevance 1 None", "newest 0 1", f"relevance {'9' * 5000} 1",
    ],
)  # fmt: skip
def test_cursors_that_were_made_by_hand(client: httpx2.Client, key: str) -> None:
    note(client, "Zebra")
    cursor = write_key_cursor(CURSOR, key, UUID(int=0))
    response = client.get("/api/search", params={"q": "zebra", "cursor": cursor}, headers=as_user(ALICE))
    assert (response.status_code, response.json()["detail"]["error"]) == (400, "invalid_cursor")


def test_the_tags_are_read_once_however_many_are_typed(client: httpx2.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    note(client, "Zebra")
    read: list[Any] = []

    def counted(*given: Any) -> Any:
        read.append(given)
        return tags_by_key(*given)

    monkeypatch.setattr(filter_conditions, "tags_by_key", counted)
    assert titles(client, "zebra " + " ".join(f"-tag:t{number}" for number in range(20)) + " ") == ["Zebra"]
    assert len(read) == 1
    assert titles(client, "zebra ") == ["Zebra"]
    assert len(read) == 1, "without a tag none are read"


@pytest.mark.parametrize("asked", [{}, {"q": "a", "limit": 0}, {"q": "a", "limit": 51}, {"q": "a", "kind": "book"}])
def test_parameters_that_are_not_as_described(client: httpx2.Client, asked: dict[str, Any]) -> None:
    assert client.get("/api/search", params=asked).status_code == 422


def test_whatever_a_text_says_it_can_be_kept_and_asked_for(client: httpx2.Client, database: Database) -> None:
    """No text may break the transaction that stores it, and no query the server."""

    @given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=300), st.integers(1, 40))
    @settings(max_examples=25, suppress_health_check=list(HealthCheck))
    def try_it(text: str, times: int) -> None:
        save_episode(database, ALICE, fragments_of(text * times), title=text)
        response = client.get("/api/search", params={"q": text[:60]}, headers=as_user(ALICE))
        assert response.status_code in (200, 400), response.text

    try_it()


def test_the_filters_of_the_library_hold_while_searching(client: httpx2.Client, steps: LifecycleSteps) -> None:
    notes = [note(client, f"Comets number {n} and their tails") for n in range(5)]
    note(client, "Comets of somebody else", BOB)
    for item in notes[:2]:
        media = steps.media_of(item)
        client.put(f"/api/library/{media}/read", headers=as_user(ALICE)).raise_for_status()
    assert ask(client, "comets")["total"] == 5
    assert ask(client, "comets", status="succeeded")["total"] == 5
    assert ask(client, "comets", status="failed")["total"] == 0
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
