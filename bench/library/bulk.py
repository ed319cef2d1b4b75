"""How long a change of a thousand entries takes, and to take it back."""

import time
from typing import Any

import httpx2
import psycopg

BULK = 1000
CHANGES: dict[str, dict[str, Any]] = {
    "archive": {"set": {"archived": True}},
    "star": {"set": {"starred": True}},
    "tag": {"add_tags": ["new"]},
    "all of these back": {"set": {"archived": False, "starred": False}, "remove_tags": ["new"]},
    "take away a tag that few have": {"remove_tags": ["few"]},
}


def change_many(client: httpx2.Client, connection: psycopg.Connection) -> dict[str, float]:
    """Seconds."""
    rows = connection.execute("SELECT media_id FROM library_media WHERE NOT is_archived LIMIT %s", [BULK]).fetchall()
    chosen = {"media_ids": [str(media_id) for (media_id,) in rows]}
    figures = {}
    for name, change in CHANGES.items():
        begin = time.perf_counter()
        done = client.post("/api/library/bulk", json=chosen | change).raise_for_status().json()
        figures[f"{name}, {done['matched']} entries, {done['changed']} changed"] = round(time.perf_counter() - begin, 3)
        if name == "tag":
            begin = time.perf_counter()
            client.post("/api/library/undo", json={"undo": done["undo"]}).raise_for_status()
            figures["undo"] = round(time.perf_counter() - begin, 3)
    return figures
