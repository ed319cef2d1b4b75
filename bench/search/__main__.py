"""What a search costs as libraries grow, beside SQLite's FTS5 and plain tantivy: python -m bench.search [--texts N…].

And what being searchable adds to keeping a text.

Searches go through HTTP to a real server whose index process reads the same rows; the others are asked within this
process, without a network.
"""

import argparse
import json
import os
import random
import time
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx2
import psycopg

from bench.saves import USER, running_server
from bench.search.others import Fts5, PlainTantivy, latencies_ms
from bench.search.texts import fill, some_text
from nexus.config import load_settings
from nexus.db.session import Database
from nexus.services.capture import SaveContext, save_item
from nexus.services.users import CurrentUser
from nexus.web.public_address import AllowList

FIGURES = Path(__file__).parents[1] / "figures" / "search.json"
STEP = 2000
ASKED = {
    "a rare word": "word40000 ",
    "two words": "word300 word900 ",
    "a phrase": '"word0 word1 word2"',
    "a beginning": "word123",
    "a word of every text": "word0 ",
    "a question of ten words": "word5 word17 word80 word300 word900 word2000 word5000 word9000 word20000 word41000 ",
    "a misspelt word": "wrod300 ",
}


def wait_until_ready(client: httpx2.Client, texts: int) -> None:
    while True:
        answer = client.get("/api/search", params={"q": "is:unread OR -nothing", "limit": 1}).json()
        if answer["index"]["state"] == "ready" and answer["index"]["done"] >= texts:
            return
        time.sleep(0.05)


def keeping(database: Database, connection: psycopg.Connection, library: UUID, times: int) -> dict[str, float]:
    """A pasted text of a thousand words, kept with and without the log of the search, in turns."""
    user = CurrentUser(USER, library, is_operator=False)
    chance = random.Random(3)
    context = SaveContext(AllowList(), max_attempts=1, request_id="bench")

    def keep() -> None:
        with database.transaction() as session:
            save_item(session, user, context, url=None, pasted=some_text(chance), prefer_pasted=True)

    figures: dict[str, list[float]] = {"ENABLE": [], "DISABLE": []}
    for _ in range(4):
        for switch, found in figures.items():
            for table, triggers in (("library_media", "log_new_entries"), ("media", "log_changed_media")):
                connection.execute(f"ALTER TABLE {table} {switch} TRIGGER {triggers}")
            connection.execute(f"ALTER TABLE library_media {switch} TRIGGER log_changed_entries")
            found.append(latencies_ms(times, keep)["p50"])
    with_search, without = min(figures["ENABLE"]), min(figures["DISABLE"])
    return {"ms": with_search, "ms without search": without, "ratio": round(with_search / without, 2)}


def measure(client: httpx2.Client, others: list[Fts5 | PlainTantivy], times: int) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    for name, q in ASKED.items():
        found = client.get("/api/search", params={"q": q}).raise_for_status().json()["total"]
        took = latencies_ms(times, lambda q=q: client.get("/api/search", params={"q": q}).raise_for_status())  # type: ignore[misc]
        figures[name] = {"found": found, "ms": took}
        for other in others:
            figures[name][f"{other.name}, ms"] = latencies_ms(times, lambda q=q, other=other: other.ask(q))  # type: ignore[misc]
    return figures


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--texts", type=int, nargs="+", default=[2_000, 20_000, 200_000])
    options.add_argument("--times", type=int, default=100)
    given = options.parse_args()
    chance = random.Random(1)
    figures: dict[str, Any] = {}
    others: list[Fts5 | PlainTantivy] = [Fts5(), PlainTantivy()]
    text_bytes = filled = 0
    with running_server() as (client, connection):
        library = UUID(client.get("/api/me").json()["default_library_id"])
        arguments = connection.info.get_parameters()
        folder = Path(arguments["host"]).parents[1]
        for wanted in given.texts:
            begin, spent = filled, 0.0
            while filled < wanted:
                texts = [some_text(chance) for _ in range(min(STEP, wanted - filled))]
                fill(connection, library, texts)
                start = time.perf_counter()
                filled += len(texts)
                wait_until_ready(client, filled)
                spent += time.perf_counter() - start
                text_bytes += sum(map(len, texts))
                for other in others:
                    other.add(texts)
            connection.execute("VACUUM ANALYZE")
            part = figures[f"{wanted} texts"] = measure(client, others, given.times)
            part["indexed, texts/s"] = round((filled - begin) / spent, 1)
            size = sum(file.stat().st_size for file in _data_dir(folder).glob("search/*/*/*"))
            part["size / texts"] = round(size / text_bytes, 2)
            part |= {f"size / texts, {other.name}": round(other.size() / text_bytes, 2) for other in others}
            print(json.dumps({f"{wanted} texts": part}, indent=1), flush=True)
        url = f"postgresql://{arguments['user']}:{connection.info.password}@/{arguments['dbname']}?host={arguments['host']}"
        with Database(load_settings(database_url=url)) as database:
            figures["keeping a text of 1000 words"] = keeping(database, connection, library, given.times)
    for other in others:
        other.close()
    figures["load average"] = [round(load, 1) for load in os.getloadavg()]
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n")
    print(json.dumps(figures, indent=1))


def _data_dir(host: Path) -> Path:
    return next(folder for folder in (host, *host.parents) if (folder / "search").is_dir())


if __name__ == "__main__":
    main()
