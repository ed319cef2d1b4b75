"""The versions of a text: the current one, the earlier ones, and which of them each user may see."""

from datetime import datetime
from typing import Any
from uuid import UUID

import httpx2
import pytest

from nexus.db.session import Database
from nexus.services.lifecycle import Claim
from tests.api.saving import ALICE, BOB, LINK, as_user, save
from tests.api.streams import listening
from tests.api.test_errors import problem
from tests.episodes import fragments_of, save_episode
from tests.lifecycle_steps import LONG, LifecycleSteps, article

CHANGED = LONG + "And a correction at its end."
VERSION_KEYS = {"version", "origin", "extractor", "title", "word_count", "created_at", "is_current", "original"}


def get(client: httpx2.Client, path: str, user: Any = ALICE) -> Any:
    response = client.get(path, headers=as_user(user))
    assert response.status_code == 200, response.text
    return response.json()["data"]


def text_of(client: httpx2.Client, media: object, query: str = "", user: Any = ALICE) -> str:
    (fragment,) = get(client, f"/media/{media}/fragments{query}", user)
    words: str = fragment["canonical_text"]
    return words


def test_a_text_of_one_version(client: httpx2.Client, steps: LifecycleSteps) -> None:
    item = save(client, ALICE)
    assert get(client, f"/media/{steps.media_of(item)}/versions") == []
    steps.succeed(steps.claim_one(), article(LINK, word_count=200, origin="rendered"))
    media = steps.media_of(item)
    data = get(client, f"/media/{media}")
    assert (data["version"], data["versions"], data["text_changed_at"]) == (1, 1, None)
    (version,) = get(client, f"/media/{media}/versions")
    assert set(version) == VERSION_KEYS
    assert (version["version"], version["origin"], version["is_current"]) == (1, "rendered", True)
    assert (version["title"], version["word_count"], version["extractor"]) == ("Story", 200, 1)
    assert text_of(client, media, "?version=1") == text_of(client, media) == LONG
    for unknown in (2, 2**31 - 1):
        problem(client.get(f"/media/{media}/fragments?version={unknown}", headers=as_user(ALICE)), 404, "not_found")


@pytest.mark.parametrize("number", ["0", "-1", "x", str(2**31), ""])
def test_what_is_no_number_of_a_version(client: httpx2.Client, steps: LifecycleSteps, number: str) -> None:
    media = steps.succeed_item(save(client, ALICE))
    response = client.get(f"/media/{media}/fragments?version={number}", headers=as_user(ALICE))
    problem(response, 422, "invalid_request")


def test_what_has_no_text_has_no_version(client: httpx2.Client, steps: LifecycleSteps) -> None:
    item = save(client, ALICE)
    steps.fail_item(item)
    data = get(client, f"/media/{steps.media_of(item)}")
    assert (data["version"], data["versions"], data["text_changed_at"]) == (None, 0, None)
    response = client.get(f"/media/{steps.media_of(item)}/fragments?version=1", headers=as_user(ALICE))
    problem(response, 409, "media_not_ready")


def test_pastes_and_episodes_have_one_version(client: httpx2.Client, steps: LifecycleSteps, database: Database) -> None:
    pasted = steps.media_of(save(client, ALICE, pasted_text="My own words."))
    episode = save_episode(database, ALICE, fragments_of("One", "Two"))
    origins = [get(client, f"/media/{media}/versions")[0]["origin"] for media in (pasted, episode)]
    assert origins == ["pasted", "fetched"], "the publisher's transcript"
    assert len(get(client, f"/media/{episode}/fragments?version=1")) == 2


def claim_of(steps: LifecycleSteps, item: str) -> Claim:
    claim = steps.claim_one()
    assert str(claim.item_id) == item
    return claim


def test_bob_and_alice_have_the_same_versions_and_each_their_own_times(
    client: httpx2.Client, steps: LifecycleSteps
) -> None:
    first = save(client, ALICE)
    steps.succeed(steps.claim_one(), article(LINK))
    media = steps.media_of(first)
    steps.succeed(claim_of(steps, save(client, BOB)), article(LINK, CHANGED, origin="rendered"))
    for user in (ALICE, BOB):
        assert text_of(client, media, user=user) == text_of(client, media, "?version=2", user) == CHANGED
        assert text_of(client, media, "?version=1", user) == LONG
        assert [(each["version"], each["origin"], each["is_current"]) for each in get(
            client, f"/media/{media}/versions", user)] == [(2, "rendered", True), (1, "fetched", False)]  # fmt: skip
    hers, his = (get(client, f"/media/{media}", user) for user in (ALICE, BOB))
    assert (hers["version"], hers["versions"], his["version"], his["versions"]) == (2, 2, 2, 2)
    newest, oldest = get(client, f"/media/{media}/versions")
    assert hers["text_changed_at"] == newest["created_at"] > oldest["created_at"]
    assert his["text_changed_at"] is None, "he never had another text"
    newest, oldest = get(client, f"/media/{media}/versions", BOB)
    assert newest["created_at"] == oldest["created_at"], "not when Alice saved it"
    fragment = get(client, f"/media/{media}/fragments?version=1", BOB)[0]
    assert fragment["created_at"] == oldest["created_at"]


def test_a_change_is_told_to_everybody_who_has_the_text(
    dev_server: str, client: httpx2.Client, steps: LifecycleSteps
) -> None:
    for user in (ALICE, BOB):
        save(client, user)
        steps.succeed(steps.claim_one(), article(LINK))
    media = steps.row("SELECT id FROM media")[0]
    carol = UUID(int=7)
    with listening(dev_server, BOB) as his, listening(dev_server, carol) as theirs:
        assert client.post(f"/media/{media}/fetch-again", headers=as_user(ALICE)).status_code == 202
        steps.succeed(steps.claim_one(), article(LINK, CHANGED, title="Story"))
        assert his.next() == ("text", {"media_id": str(media), "version": 2})
        theirs.nothing_more()
    changed = get(client, f"/media/{media}", BOB)["text_changed_at"]
    assert datetime.fromisoformat(changed) >= datetime.fromisoformat(get(client, f"/media/{media}", BOB)["created_at"])


def test_old_ids_lead_to_the_versions_of_the_media(client: httpx2.Client, steps: LifecycleSteps) -> None:
    save(client, ALICE)
    steps.succeed(steps.claim_one(), article(LINK))
    item = save(client, BOB)
    known_as = steps.media_of(item)
    steps.succeed(steps.claim_one(), article(LINK, CHANGED))
    media = steps.media_of(item)
    response = client.get(f"/media/{known_as}/versions", headers=as_user(BOB))
    assert response.headers["content-location"] == f"/media/{media}/versions"
    response = client.get(f"/media/{known_as}/fragments?version=1", headers=as_user(BOB))
    assert response.headers["content-location"] == f"/media/{media}/fragments?version=1"
    assert response.json()["data"][0]["canonical_text"] == LONG
    problem(client.get(f"/media/{known_as}/versions", headers=as_user(ALICE)), 404, "not_found")


def test_the_library_and_the_search_show_the_current_version(client: httpx2.Client, steps: LifecycleSteps) -> None:
    save(client, ALICE)
    steps.succeed(steps.claim_one(), article(LINK, LONG + "Xylophone", title="Before"))
    save(client, BOB)
    steps.succeed(steps.claim_one(), article(LINK, LONG + "Marimba", title="After"))
    (entry,) = client.get("/api/library", headers=as_user(ALICE)).json()["entries"]
    assert entry["title"] == "After"
    found = {
        word: client.get(f"/api/search?q={word}", headers=as_user(ALICE)).json()["hits"]
        for word in ("xylophone", "before", "marimba", "after")
    }
    assert [len(hits) for hits in found.values()] == [0, 0, 1, 1]
    assert any(segment["hit"] for segment in found["marimba"][0]["snippet"])
