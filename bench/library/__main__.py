"""What a page of a library costs as it grows, in every order and with every filter, and what a change of a thousand
entries does: python -m bench.library [--entries N…] [--times N].

A real server process on an embedded database of its own, asked over loopback.
"""

import argparse
import json
import os
import statistics
import time
from pathlib import Path
from typing import Any, get_args
from uuid import UUID

import httpx2
import psycopg

from bench.saves import USER, median_ms, running_server
from nexus.services.library.sorting import Sort

FIGURES = Path(__file__).parents[1] / "figures" / "library.json"
BULK = 1000
# Half is archived, every third was read, every tenth is starred and has a tag, every thousandth a rare one; 50 sites.
FILL = """
    WITH numbers AS (
        SELECT gen_random_uuid() AS id, n, now() - random() * interval '5 years' AS at
        FROM generate_series(%(first)s::integer, %(last)s::integer) AS n
    ), new_media AS (
        INSERT INTO media (id, kind, title, requested_url, word_count, processing_status)
        SELECT id, 'web_article', md5(n::text), 'https://site' || n %% 50 || '.example/' || n,
               (random() * 5000)::integer, 'pending'
        FROM numbers
    ), saves AS (
        INSERT INTO items (user_id, media_id, status, source_type, requested_url, final_text_source, created_at)
        SELECT %(user)s, id, 'succeeded', 'url', 'https://example.com/', 'extracted_from_url', at FROM numbers
    )
    INSERT INTO made SELECT id, n, at FROM numbers
"""
ENTER = """
    INSERT INTO library_media (library_id, media_id, created_at, archived_at, read_at, last_read_at, starred_at)
    SELECT %(library)s, id, at, CASE WHEN n %% 2 = 0 THEN at END, CASE WHEN n %% 3 = 0 THEN at END,
           CASE WHEN n %% 3 = 0 THEN at END, CASE WHEN n %% 10 = 1 THEN at END
    FROM made WHERE n BETWEEN %(first)s AND %(last)s
"""
TAG = """
    INSERT INTO entry_tags (library_id, media_id, tag_id, is_set, decided_at)
    SELECT %(library)s, made.id, tags.id, true, at FROM made
    JOIN tags ON tags.name = 'some' AND n %% 10 = 3 OR tags.name = 'few' AND n %% 1000 = 5
    WHERE n BETWEEN %(first)s AND %(last)s
"""
FILTERS: dict[str, dict[str, Any]] = {
    "inbox": {},
    "archived": {"archived": "true"},
    "any": {"archived": "any"},
    "kind": {"kind": "web_article"},
    "status": {"status": "succeeded"},
    "unread": {"unread": True},
    "starred": {"starred": True},
    "tag": {"tag": "some"},
    "rare tag": {"tag": "few"},
    "untagged": {"untagged": True},
    "site": {"site": "site7.example"},
    "min_minutes": {"min_minutes": 15},
    "max_minutes": {"max_minutes": 3},
    "tag, site and unread": {"tag": "some", "site": "site3.example", "unread": True},
}


def fill(connection: psycopg.Connection, library: UUID, first: int, last: int) -> None:
    values = {"user": USER, "library": library, "first": first, "last": last}
    for statement in (FILL, ENTER, TAG):
        connection.execute(statement, values)


def pages(client: httpx2.Client, times: int) -> dict[str, float]:
    """The second page of each: the first one needs no cursor."""
    figures = {}
    for name, asked in FILTERS.items():
        for sort in get_args(Sort):
            params: dict[str, Any] = asked | {"sort": sort, "limit": 20}
            first = client.get("/api/library", params=params).raise_for_status().json()
            if first["next_cursor"]:
                params["cursor"] = first["next_cursor"]
            ask = lambda params=params: client.get("/api/library", params=params).raise_for_status()  # noqa: E731
            figures[f"{name}, {sort}"] = median_ms(times, ask)
    return figures


def bulk(client: httpx2.Client, connection: psycopg.Connection) -> dict[str, float]:
    rows = connection.execute("SELECT media_id FROM library_media WHERE NOT is_archived LIMIT %s", [BULK]).fetchall()
    chosen = {"media_ids": [str(media_id) for (media_id,) in rows]}
    changes: dict[str, dict[str, Any]] = {
        "archive": {"set": {"archived": True}},
        "star": {"set": {"starred": True}},
        "tag": {"add_tags": ["new"]},
        "all of these": {"set": {"archived": False, "starred": False}, "remove_tags": ["new"]},
    }
    figures = {}
    for name, change in changes.items():
        begin = time.perf_counter()
        done = client.post("/api/library/bulk", json=chosen | change).raise_for_status().json()
        figures[f"{name}, {done['changed']} changed"] = round(time.perf_counter() - begin, 3)
        if name == "tag":
            begin = time.perf_counter()
            client.post("/api/library/undo", json={"undo": done["undo"]}).raise_for_status()
            figures["undo"] = round(time.perf_counter() - begin, 3)
    return figures


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--entries", type=int, nargs="+", default=[1_000, 100_000, 1_000_000])
    options.add_argument("--times", type=int, default=15)
    given = options.parse_args()
    figures: dict[str, Any] = {}
    with running_server() as (client, connection):
        library = UUID(client.get("/api/me").json()["default_library_id"])
        connection.execute("SET statement_timeout = 0")
        connection.execute("CREATE TEMP TABLE made (id uuid, n integer, at timestamptz)")
        for name in ("some", "few"):
            client.post("/api/tags", json={"name": name}).raise_for_status()
        filled = 0
        for entries in given.entries:
            for first in range(filled + 1, entries + 1, 50_000):
                fill(connection, library, first, min(first + 49_999, entries))
            filled = entries
            connection.execute("VACUUM ANALYZE")
            figures[f"{entries} entries"] = {
                "second page, p50 ms": pages(client, given.times),
                f"bulk of {BULK}, s": bulk(client, connection),
            }
            print(json.dumps(figures, indent=1), flush=True)
    small, large = (figures[f"{given.entries[i]} entries"]["second page, p50 ms"] for i in (0, -1))
    growth = {name: round(large[name] / small[name], 2) for name in small}
    figures["growth of p50"] = {"worst": max(growth.values()), "median": statistics.median(growth.values()), **growth}
    figures["load average"] = [round(load, 1) for load in os.getloadavg()]
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n")
    print(json.dumps(figures["growth of p50"], indent=1))


if __name__ == "__main__":
    main()
