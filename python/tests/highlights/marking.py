"""Highlights as a client makes them."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import httpx2

from tests.api.saving import ALICE, LINK, as_user, save
from tests.lifecycle_steps import LifecycleSteps, article

TEXT = (
    "The lighthouse was built in a single summer. Its keeper counted the ships that passed, and wrote each of them "
    "down in a ledger.\n\nNobody read the ledger until the tower was sold. Then a schoolteacher found in it the names "
    "of forty vessels that no other record knows.\n\nThe ledger is now kept in the town's library, behind glass, where "
    "children come to look for the ship of their grandparents."
)
KEYS = {
    "id", "media_id", "version", "start", "end", "quote", "prefix", "suffix", "start_ms", "color", "note", "tags",
    "state", "created_at", "updated_at", "seen_at",
}  # fmt: skip


def ready(client: httpx2.Client, steps: LifecycleSteps, words: str = TEXT, user: UUID = ALICE, **facts: Any) -> UUID:
    return steps.succeed_item(save(client, user), words, **{"canonical_url": LINK} | facts)


def new_version(client: httpx2.Client, steps: LifecycleSteps, words: str, user: UUID = ALICE) -> None:
    """The same page is saved again, and has another text by now."""
    save(client, user)
    assert steps.succeed(steps.claim_one(), article(LINK, words), min_chars=0) == "new_version"


def at(quote: str, words: str = TEXT, version: int = 1, fragment_idx: int = 0) -> dict[str, Any]:
    """The anchor of the first occurrence of the quote."""
    start = words.index(quote)
    return {
        "version": version,
        "start": {"fragment_idx": fragment_idx, "offset": start},
        "end": {"fragment_idx": fragment_idx, "offset": start + len(quote)},
    }


def post(client: httpx2.Client, media: object, user: UUID = ALICE, **body: Any) -> httpx2.Response:
    return client.post(f"/media/{media}/highlights", json=body, headers=as_user(user))


def mark(client: httpx2.Client, media: object, quote: str, user: UUID = ALICE, **body: Any) -> dict[str, Any]:
    response = post(client, media, user, **(at(quote, body.pop("words", TEXT)) | {"quote": quote} | body))
    assert response.status_code == 201, response.text
    made: dict[str, Any] = response.json()["data"]
    assert set(made) == KEYS
    return made


def of_text(client: httpx2.Client, media: object, user: UUID = ALICE) -> list[dict[str, Any]]:
    response = client.get(f"/media/{media}/highlights", headers=as_user(user))
    assert response.status_code == 200, response.text
    found: list[dict[str, Any]] = response.json()["data"]
    return found


def change(client: httpx2.Client, highlight: dict[str, Any], user: UUID = ALICE, **body: Any) -> dict[str, Any]:
    response = client.patch(f"/highlights/{highlight['id']}", json=body, headers=as_user(user))
    assert response.status_code == 200, response.text
    changed: dict[str, Any] = response.json()["data"]
    return changed


def ago(minutes: float) -> str:
    return (datetime.now(UTC) - timedelta(minutes=minutes)).isoformat()
