"""What a search costs as libraries grow, and what being searchable adds to keeping a text: python -m bench.search.

Texts of a thousand words, some of which are in every text and some in hardly any, as in real ones.
"""

import argparse
import json
import os
import random
import time
from pathlib import Path
from typing import Any
from unittest.mock import patch
from uuid import UUID, uuid4

import httpx2
import psycopg

from bench.saves import USER, median_ms, running_server
from nexus.config import load_settings
from nexus.db.session import Database
from nexus.services import capture
from nexus.services.capture import SaveContext, save_item
from nexus.services.search.index import index_waiting
from nexus.services.users import CurrentUser
from nexus.web.public_address import AllowList

FIGURES = Path(__file__).parents[1] / "figures" / "search.json"
VOCABULARY = 50_000
WORDS = 1000
ASKED = {
    "a rare word": "word40000",
    "two words": "word300 word900",
    "a phrase": '"word0 word1 word2"',
    "a beginning": "word123",
    "a word of every text": "word0 ",
}


def some_text(chance: random.Random) -> str:
    """Zipf: the n-th word of the vocabulary comes about 1/n as often as the first."""
    picked = (int(VOCABULARY ** chance.random()) - 1 for _ in range(WORDS))
    lines = [f"word{number}" for number in picked]
    return "\n".join(" ".join(lines[start : start + 80]) for start in range(0, WORDS, 80))


def fill(connection: psycopg.Connection, library: UUID, works: int, chance: random.Random) -> None:
    with connection.transaction(), connection.cursor() as cursor:
        ids = [uuid4() for _ in range(works)]
        columns = "id, kind, title, processing_status, processing_completed_at, current_version"
        with cursor.copy(f"COPY media ({columns}) FROM STDIN") as copy:
            for media in ids:
                copy.write_row((media, "podcast_episode", some_text(chance)[:40], "ready_for_reading", "now", 1))
        with cursor.copy("COPY media_versions (media_id, version, origin) FROM STDIN") as copy:
            for media in ids:
                copy.write_row((media, 1, "fetched"))
        with cursor.copy("COPY fragments (media_id, version, idx, html_sanitized, canonical_text) FROM STDIN") as copy:
            for media in ids:
                copy.write_row((media, 1, 0, "", some_text(chance)))
        with cursor.copy("COPY library_media (library_id, media_id) FROM STDIN") as copy:
            for media in ids:
                copy.write_row((library, media))


def write_down(database: Database) -> float:
    begin = time.perf_counter()
    more = True
    while more:
        with database.transaction() as session:
            more = index_waiting(session)
    return time.perf_counter() - begin


def keeping(database: Database, library: UUID, times: int) -> dict[str, float]:
    """A pasted text of a thousand words, kept with and without its words being written down, in turns."""
    viewer = CurrentUser(USER, library, is_operator=False)
    chance = random.Random(3)
    context = SaveContext(AllowList(), max_attempts=1, request_id="bench")

    def keep() -> None:
        with database.transaction() as session:
            save_item(session, viewer, context, url=None, pasted=some_text(chance), prefer_pasted=True)

    with patch.object(capture, "index_works", lambda *_: None):
        without = median_ms(times, keep)
    found = median_ms(times, keep)
    return {"ms": found, "ms without search": without, "ratio": round(found / without, 2)}


def measure(client: httpx2.Client, times: int) -> dict[str, float]:
    figures = {}
    for name, q in ASKED.items():
        answer = client.get("/api/search", params={"q": q}).raise_for_status().json()
        took = median_ms(times, lambda q=q: client.get("/api/search", params={"q": q}).raise_for_status())  # type: ignore[misc]
        figures[f"{name} ({answer['total']} found), ms"] = took
    return figures


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--works", type=int, nargs="+", default=[1_000, 10_000])
    options.add_argument("--times", type=int, default=30)
    given = options.parse_args()
    chance = random.Random(1)
    figures: dict[str, Any] = {}
    with running_server() as (client, connection):
        library = UUID(client.get("/api/me").json()["default_library_id"])
        arguments = connection.info.get_parameters()
        url = f"postgresql://{arguments['user']}:{connection.info.password}@/{arguments['dbname']}?host={arguments['host']}"
        with Database(load_settings(database_url=url)) as database:
            filled = 0
            for works in given.works:
                fill(connection, library, works - filled, chance)
                seconds = write_down(database)
                figures[f"words of {works - filled} works written down, works/s"] = round((works - filled) / seconds, 1)
                filled = works
                connection.execute("VACUUM ANALYZE")
                figures[f"{works} works"] = measure(client, given.times)
                print(json.dumps(figures, indent=1), flush=True)
            figures["keeping a text of 1000 words"] = keeping(database, library, given.times)
            size = "SELECT pg_total_relation_size('search_passages')::float8 / pg_total_relation_size('fragments')"
            row = connection.execute(size).fetchone()
            figures["size of what is written down / of the texts"] = round(row[0], 2) if row else None
    figures["load average"] = [round(load, 1) for load in os.getloadavg()]
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n")
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
