"""Captures as a browser sends them."""

import gzip
import json
from typing import Any
from uuid import UUID

import httpx2

from tests.api.saving import ALICE, as_user

PAGE = "https://paper.example/members/ferry"
SENTENCE = "The bridge was closed in March, and since then the ferry carries everybody who works on the island. "


def page(*paragraphs: str, title: str = "The ferry", head: str = "") -> str:
    body = "".join(f"<p>{words}</p>" for words in paragraphs or [f"Day {day}. {SENTENCE}" for day in range(8)])
    return f"<!doctype html><html><head><title>{title}</title>{head}</head><body><article>{body}</article></html>"


def capture(
    client: httpx2.Client, user: UUID = ALICE, *, headers: dict[str, str] | None = None, **body: Any
) -> httpx2.Response:
    return client.post(
        "/api/captures", json={"url": PAGE, "html": page()} | body, headers=as_user(user) | (headers or {})
    )


def captured(client: httpx2.Client, user: UUID = ALICE, **body: Any) -> dict[str, str]:
    response = capture(client, user, **body)
    assert response.status_code == 201, response.text
    saved: dict[str, str] = response.json()
    return saved


def compressed(body: dict[str, Any]) -> tuple[bytes, dict[str, str]]:
    return gzip.compress(json.dumps(body).encode()), {"Content-Type": "application/json", "Content-Encoding": "gzip"}


def get(client: httpx2.Client, path: str, user: UUID = ALICE) -> Any:
    response = client.get(path, headers=as_user(user))
    assert response.status_code == 200, response.text
    return response.json()


def text_of(client: httpx2.Client, media_id: str, user: UUID = ALICE) -> str:
    fragments = get(client, f"/media/{media_id}/fragments", user)["data"]
    return "\n".join(each["canonical_text"] for each in fragments)


def library(client: httpx2.Client, user: UUID = ALICE) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = get(client, "/api/library?archived=any", user)["entries"]
    return entries
