"""The versions of a text: what is current, what was before, and what each user may know of them."""

from typing import Any

import httpx2
import pytest

from nexus.db.session import Database
from tests.api.saving import ALICE, LINK, as_user, save
from tests.api.test_errors import problem
from tests.episodes import fragments_of, save_episode
from tests.lifecycle_steps import LONG, LifecycleSteps, article

CHANGED = LONG + "And a correction at its end."
VERSION_KEYS = {"version", "origin", "extractor", "title", "word_count", "created_at", "is_current"}


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
