"""Imports over HTTP, as a client makes them."""

from dataclasses import dataclass
from typing import Any

import httpx2

from nexus.worker.importer import Importer

LINKS = "https://example.org/one\nhttps://example.org/two\n"
Files = dict[str, str | bytes]


def form(files: Files) -> list[tuple[str, tuple[str, str | bytes]]]:
    return [("files", (name, content)) for name, content in files.items()]


def send(
    client: httpx2.Client, files: Files, *, source: str | None = None, headers: dict[str, str] | None = None
) -> httpx2.Response:
    data = {"source": source} if source else {}
    return client.post("/api/imports", files=form(files), data=data, headers=headers or {})


def preview(client: httpx2.Client, files: Files, **options: Any) -> dict[str, Any]:
    answer = send(client, files, **options)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


@dataclass
class ImportWorker:
    importer: Importer

    def step(self) -> bool:
        return self.importer.step()

    def all(self) -> None:
        """Works until nothing is due."""
        while self.importer.step():
            pass


def change(client: httpx2.Client, made: dict[str, Any], verb: str, **body: Any) -> dict[str, Any]:
    answer = client.post(f"/api/imports/{made['id']}/{verb}", json=body or None)
    assert answer.status_code == 200, answer.text
    changed: dict[str, Any] = answer.json()
    return changed


def again(client: httpx2.Client, made: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = client.get(f"/api/imports/{made['id']}").json()
    return found


def all_rows(client: httpx2.Client, made: dict[str, Any], **asked: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while True:
        page = client.get(f"/api/imports/{made['id']}/rows", params=asked).json()
        found += page["rows"]
        if page["next_cursor"] is None:
            return found
        asked["cursor"] = page["next_cursor"]


def links(count: int, site: str = "https://example.org") -> str:
    return "".join(f"{site}/{number}\n" for number in range(count))
