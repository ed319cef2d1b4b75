"""How long a change of a thousand entries takes, and to take it back, each several times: the best and the median."""

import os
import statistics
import time
from collections import defaultdict
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import psycopg

from bench.library.pages import Target
from bench.saves import USER

BULK = 1000
ROUNDS = 5
# Anywhere in the Inbox, so that they are on as many pages of the tables.
SOME = "SELECT media_id FROM library_media WHERE NOT is_archived ORDER BY random() LIMIT %s"
# Texts that were just read, with all that triggers add: what was filled in has none, so it cannot have been read.
SAVE = (
    """
    CREATE TEMP TABLE saved ON COMMIT DROP AS
    SELECT gen_random_uuid() AS id, n FROM generate_series(1, %(entries)s) AS n
    """,
    """
    INSERT INTO media (id, kind, requested_url, title, word_count, processing_status, processing_completed_at,
                       current_version)
    SELECT id, 'web_article', 'https://example.com/' || id, 'Text ' || n, 800, 'ready_for_reading', now(), 1 FROM saved
    """,
    "INSERT INTO media_versions (media_id, version, origin, word_count) SELECT id, 1, 'fetched', 800 FROM saved",
    """
    INSERT INTO fragments (media_id, version, idx, html_sanitized, canonical_text)
    SELECT id, 1, 0, '<p>' || words || '</p>', words
    FROM saved CROSS JOIN LATERAL (SELECT repeat(md5(id::text) || ' ', 150) AS words) AS written
    """,
    """
    INSERT INTO items (user_id, media_id, status, source_type, requested_url, final_text_source)
    SELECT %(user)s, id, 'succeeded', 'url', 'https://example.com/' || id, 'extracted_from_url' FROM saved
    """,
    "INSERT INTO library_media (library_id, media_id) SELECT %(library)s, id FROM saved",
)


class Watch:
    def __init__(self, target: Target) -> None:
        self._target = target
        self._spent: defaultdict[str, list[float]] = defaultdict(list)
        self._took: defaultdict[str, list[float]] = defaultdict(list)
        self._changed: dict[str, int] = {}

    def change(self, name: str, media_ids: Sequence[str], change: dict[str, Any]) -> dict[str, Any]:
        done: dict[str, Any] = self._post(name, "/api/library/bulk", {"media_ids": media_ids, **change})
        self._changed[name] = done["changed"]
        return done

    def undo(self, name: str, done: dict[str, Any]) -> None:
        self._changed[name] = self._post(name, "/api/library/undo", {"undo": done["undo"]})["restored"]

    def _post(self, name: str, path: str, body: dict[str, Any]) -> Any:
        self._target.cpu.refresh()
        spent, begin = self._target.cpu.milliseconds(), time.perf_counter()
        changed = self._target.client.post(path, json=body).raise_for_status().json()
        self._spent[name].append((self._target.cpu.milliseconds() - spent) / 1000)
        self._took[name].append(time.perf_counter() - begin)
        return changed

    def figures(self) -> dict[str, Any]:
        return {
            name: {
                "changed": self._changed[name],
                "processor s, best and median": _best_and_median(self._spent[name]),
                "s, best and median": _best_and_median(took),
            }
            for name, took in self._took.items()
        }


def _best_and_median(seconds: Sequence[float]) -> list[float]:
    return [round(min(seconds), 3), round(statistics.median(seconds), 3)]


def change_many(target: Target, connection: psycopg.Connection) -> dict[str, Any]:
    watch = Watch(target)
    library = UUID(target.client.get("/api/me").raise_for_status().json()["default_library_id"])
    loads = []
    for _ in range(ROUNDS):
        some = [str(media_id) for (media_id,) in connection.execute(SOME, [BULK])]
        watch.undo("undo of archive", watch.change("archive", some, {"set": {"archived": True}}))
        watch.undo("undo of star", watch.change("star", some, {"set": {"starred": True}}))
        watch.change("tag", some, {"add_tags": ["new"]})
        watch.undo("undo of untag", watch.change("untag", some, {"remove_tags": ["new"]}))
        watch.change("untag", some, {"remove_tags": ["new"]})
        texts = save(connection, library)
        watch.undo("undo of read", watch.change("read", texts, {"set": {"read": True}}))
        watch.change("delete", texts, {"delete": True})
        loads.append(round(os.getloadavg()[0], 1))
    return {**watch.figures(), "load average after each round": loads}


def save(connection: psycopg.Connection, library: UUID) -> list[str]:
    with connection.transaction():
        for statement in SAVE:
            connection.execute(statement, {"user": USER, "library": library, "entries": BULK})
        return [str(media_id) for (media_id,) in connection.execute("SELECT id FROM saved")]
