"""Two users, and what they save through the API."""

from typing import Any
from uuid import UUID

import httpx2

ALICE = UUID("11111111-1111-1111-1111-111111111111")
BOB = UUID("22222222-2222-2222-2222-222222222222")
LINK = "https://example.com/article"


def as_user(user: UUID) -> dict[str, str]:
    return {"X-User-Id": str(user)}


def save(client: httpx2.Client, user: UUID = ALICE, **body: Any) -> str:
    response = client.post("/items", json=body or {"url": LINK}, headers=as_user(user))
    assert response.status_code == 200, response.text
    made: str = response.json()["id"]
    return made


def library_of(client: httpx2.Client, user: UUID) -> UUID:
    return UUID(client.get("/api/me", headers=as_user(user)).json()["default_library_id"])
