"""Where the words of a search stand in a text, for the reader that marks them."""

from typing import Any
from uuid import UUID

import httpx2

from nexus.db.session import Database
from nexus.services.search import text_hits
from tests.api.saving import ALICE, BOB, as_user
from tests.api.test_search_api import ask, note
from tests.episodes import fragments_of, save_episode


def hits(client: httpx2.Client, media: str, q: str, user: UUID = ALICE) -> dict[str, Any]:
    response = client.get(f"/api/library/{media}/hits", params={"q": q}, headers=as_user(user))
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def words(client: httpx2.Client, media: str, q: str) -> list[str]:
    """The words at the offsets of the hits."""
    fragments = client.get(f"/media/{media}/fragments", headers=as_user(ALICE)).json()["data"]
    texts = {fragment["idx"]: fragment["canonical_text"] for fragment in fragments}
    return [texts[hit["fragment_idx"]][hit["start"] : hit["end"]] for hit in hits(client, media, q)["hits"]]


def media_of(client: httpx2.Client, q: str) -> str:
    (hit,) = ask(client, q)["hits"]
    return str(hit["entry"]["media_id"])


def test_every_form_of_every_word_is_told(client: httpx2.Client) -> None:
    lines = "\n".join(
        f"This is the line with the number {number}, and it says very little. 😀" for number in range(300)
    )
    note(
        client,
        f"Runs 🏃\n\nWe like running in the city, and they run with us.\n{lines}\nA runner who runs at the Café.",
    )
    media = media_of(client, "running cafe")
    assert words(client, media, "running cafe ") == ["Runs", "running", "run", "runs", "Café"]
    assert words(client, media, '"they run" -cats') == ["they run"]
    assert words(client, media, "runing ") == ["Runs", "running", "run", "runs"]  # as the search corrects it
    assert words(client, media, "is:unread") == words(client, media, "run in:title") == []


def test_lines_of_a_transcript_are_told_apart(client: httpx2.Client, database: Database) -> None:
    client.get("/api/me", headers=as_user(ALICE))
    media = str(save_episode(database, ALICE, fragments_of("A zebra.", "Nothing.", "Zebras and a zebra."), title="On"))
    found = hits(client, media, "zebra")
    assert [(hit["fragment_idx"], hit["start"]) for hit in found["hits"]] == [(0, 2), (2, 0), (2, 13)]
    assert (found["version"], found["is_complete"]) == (1, True)


def test_many_hits_and_long_texts_are_cut(client: httpx2.Client, monkeypatch: Any) -> None:
    note(client, "Zebras\n\n" + "A zebra stands here. " * 20)
    media = media_of(client, "zebra")
    monkeypatch.setattr(text_hits, "MAX_HITS", 5)
    assert (len(hits(client, media, "zebra")["hits"]), hits(client, media, "zebra")["is_complete"]) == (5, False)
    monkeypatch.setattr(text_hits, "MAX_HITS", 50)
    monkeypatch.setattr(text_hits, "MAX_CHARS", 30)
    assert (len(hits(client, media, "zebra")["hits"]), hits(client, media, "zebra")["is_complete"]) == (2, False)


def test_strangers_are_told_nothing(client: httpx2.Client) -> None:
    note(client, "A zebra of mine")
    media = media_of(client, "zebra")
    refused = client.get(f"/api/library/{media}/hits", params={"q": "zebra"}, headers=as_user(BOB))
    assert refused.status_code == 404
    empty = client.get(f"/api/library/{media}/hits", params={"q": '"'}, headers=as_user(ALICE))
    assert (empty.status_code, empty.json()["detail"]["error"]) == (400, "invalid_query")
