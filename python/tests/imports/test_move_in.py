"""A whole move: a Pocket ZIP over HTTP to a real server, whose worker is killed, with a real site."""

import csv
import io
from typing import Any

import httpx2

from tests.imports.killed_imports import SETTINGS, KilledImport, import_site, new_client
from tests.imports.uploading import again, change
from tests.processes import Nexus, eventually

ROWS = 60


def entries(client: httpx2.Client) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    asked: dict[str, Any] = {"limit": 100, "archived": "any", "sort": "oldest"}
    while True:
        page = client.get("/api/library", params=asked).json()
        found += page["entries"]
        if page["next_cursor"] is None:
            return found
        asked["cursor"] = page["next_cursor"]


def settled(client: httpx2.Client, made: dict[str, Any], status: str) -> dict[str, Any]:
    eventually(lambda: again(client, made)["status"] == status, f"the import does not become {status}")
    return again(client, made)


def test_the_whole_way(nexus_on_copy: Nexus) -> None:
    nexus_on_copy.environment |= SETTINGS
    with import_site(ROWS) as site, new_client() as client:
        moving = KilledImport(nexus_on_copy, site, client)
        report = moving.run(rows=ROWS, kills=1, saves=1)
        assert (report.lost, report.doubled, report.kills) == (0, 0, 1)
        assert report.outcomes == {"added": ROWS, "merged": 0, "unchanged": 0, "failed": 0, "waiting": 0}
        assert report.fetching["succeeded"] == ROWS
        check_library(client)
        check_report(client, moving.path)
        before = entries(client)

        second = moving.upload(ROWS)
        change(client, second, "start")
        assert settled(client, second, "finished")["outcomes"]["unchanged"] == ROWS
        assert entries(client) == before, "twice is not once"

        change(client, {"id": moving.path.rpartition("/")[2]}, "undo")
        settled(client, {"id": moving.path.rpartition("/")[2]}, "undone")
        assert {entry["site"] for entry in entries(client)} == {"127.0.0.1"}
        assert len(entries(client)) == 2, "what was saved by hand stays, and nothing else"


def check_library(client: httpx2.Client) -> None:
    """Dates, tags and state come from the export, titles and texts from the pages."""
    imported = [entry for entry in entries(client) if entry["title"].startswith("Page ")]
    assert len(imported) == ROWS
    first = imported[0]
    assert (first["title"], first["created_at"][:10]) == ("Page 0", "2020-09-13")
    assert sorted(first["tags"]) == ["all", "tag 0"]
    assert first["archived_at"] is not None
    assert imported[1]["archived_at"] is None


def check_report(client: httpx2.Client, path: str) -> None:
    rows = list(csv.DictReader(io.StringIO(client.get(f"{path}/report.csv").content.decode("utf-8-sig"), newline="")))
    assert {(row["outcome"], row["status"]) for row in rows} == {("added", "succeeded")}
    assert [row["file"] for row in rows] == ["pocket.zip/part_000000.csv"] * ROWS
    assert [int(row["line"]) for row in rows] == list(range(2, ROWS + 2))
