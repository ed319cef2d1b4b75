"""How long a change of a thousand entries takes, and to take it back."""

import time
from collections.abc import Callable
from typing import Any

import httpx2
import psycopg

from bench.library.pages import Target

BULK = 1000
CHANGES: dict[str, dict[str, Any]] = {
    "archive": {"set": {"archived": True}},
    "star": {"set": {"starred": True}},
    "tag": {"add_tags": ["new"]},
    "all of these back": {"set": {"archived": False, "starred": False}, "remove_tags": ["new"]},
    "take away a tag that few have": {"remove_tags": ["few"]},
}


def change_many(target: Target, connection: psycopg.Connection) -> dict[str, list[float]]:
    """Seconds of processor time, and by the clock."""
    rows = connection.execute("SELECT media_id FROM library_media WHERE NOT is_archived LIMIT %s", [BULK]).fetchall()
    chosen = {"media_ids": [str(media_id) for (media_id,) in rows]}
    figures = {}

    def timed(ask: Callable[[], httpx2.Response]) -> tuple[Any, list[float]]:
        target.cpu.refresh()
        spent, begin = target.cpu.milliseconds(), time.perf_counter()
        answer = ask().raise_for_status().json()
        took = (target.cpu.milliseconds() - spent) / 1000, time.perf_counter() - begin
        return answer, [round(one, 3) for one in took]

    for name, change in CHANGES.items():
        body = chosen | change
        done, took = timed(lambda body=body: target.client.post("/api/library/bulk", json=body))  # type: ignore[misc]
        figures[f"{name}, {done['matched']} entries, {done['changed']} changed"] = took
        if name == "tag":
            undo = {"undo": done["undo"]}
            _, figures["undo"] = timed(lambda undo=undo: target.client.post("/api/library/undo", json=undo))  # type: ignore[misc]
    return figures
