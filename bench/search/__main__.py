"""What a search costs as libraries grow, beside SQLite's FTS5 and plain tantivy: python -m bench.search [--texts N…].

And what being searchable adds to keeping a text, and how soon a text is found.

Searches go through HTTP to a real server whose index process reads the same rows; the others are asked within this
process, without a network. Beside each time on the clock stands the processor's, of the server and its database: on a
busy machine the clock tells more about the others.
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

from bench.library.cpu_time import CpuTime, newest_child
from bench.saves import running_server
from bench.search.hostile import hostile_ms
from bench.search.keeping import freshness_ms, keeping
from bench.search.others import Fts5, PlainTantivy, latencies_ms
from bench.search.texts import NAMES, fill, some_text

FIGURES = Path(__file__).parents[1] / "figures" / "search.json"
STEP = 2000
ASKED = {
    "a rare word": f"{NAMES[40000]} ",
    "two words": f"{NAMES[300]} {NAMES[900]} ",
    "a phrase": f'"{NAMES[0]} {NAMES[1]} {NAMES[2]}"',
    "a phrase of rarer words": f'"{NAMES[40]} {NAMES[90]}"',
    "a beginning": NAMES[123],
    "a word of every text": f"{NAMES[0]} ",
    "a question of ten words": " ".join(
        NAMES[number] for number in (5, 17, 80, 300, 900, 2000, 5000, 9000, 20000, 41000)
    )
    + " ",
    "a misspelt word": f"{NAMES[300][:2]}{NAMES[300][3]}{NAMES[300][2]}{NAMES[300][4:]} ",
}
Others = list[Fts5 | PlainTantivy]


def wait_until_ready(client: httpx2.Client, texts: int) -> None:
    while True:
        answer = client.get("/api/search", params={"q": "kind:none", "limit": 1}).json()
        if answer["index"]["state"] == "ready" and answer["index"]["done"] >= texts:
            return
        time.sleep(0.1)


def measure(client: httpx2.Client, processor: CpuTime, others: Others, times: int) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    for name, q in ASKED.items():
        answer = client.get("/api/search", params={"q": q}).raise_for_status().json()
        processor.refresh()
        before = processor.milliseconds()
        took = latencies_ms(times, lambda q=q: client.get("/api/search", params={"q": q}).raise_for_status())  # type: ignore[misc]
        spent = processor.milliseconds() - before
        figures[name] = {"found": answer["total"], "ms": took, "processor ms": round(spent / times, 2)}
        if answer["corrected"]:
            figures[name]["corrected"] = len(answer["corrected"])
        for other in others:
            figures[name][f"{other.name}, ms"] = latencies_ms(times, lambda q=q, other=other: other.ask(q))  # type: ignore[misc]
    return figures


def grow(client: httpx2.Client, connection: psycopg.Connection, library: UUID, others: Others, given: Any) -> Any:
    chance = random.Random(1)
    figures: dict[str, Any] = {}
    folder = _data_dir(connection)
    processor = CpuTime(newest_child(), connection)
    text_bytes = filled = 0
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
        part = figures[f"{wanted} texts"] = measure(client, processor, others, given.times)
        part["indexed, texts/s"] = round((filled - begin) / spent, 1)
        size = sum(file.stat().st_size for file in folder.glob("search/*/*/*"))
        part["size / texts"] = round(size / text_bytes, 2)
        part |= {f"size / texts, {other.name}": round(other.size() / text_bytes, 2) for other in others}
        part["until a new text is found, ms"] = freshness_ms(client, 20)
        part["hostile queries, processor ms"] = hostile_ms(client, processor)
        part["load average"] = _load()
        print(json.dumps({f"{wanted} texts": part}, indent=1), flush=True)
    return figures


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--texts", type=int, nargs="+", default=[2_000, 20_000, 200_000])
    options.add_argument("--times", type=int, default=100)
    given = options.parse_args()
    others: Others = [Fts5(), PlainTantivy()]
    figures: dict[str, Any] = {"processors": os.cpu_count(), "load average at the beginning": _load()}
    with running_server() as (client, connection):
        library = UUID(client.get("/api/me").json()["default_library_id"])
        figures |= grow(client, connection, library, others, given)
        figures["keeping a text of 1000 words"] = keeping(connection, library, given.times)
    for other in others:
        other.close()
    figures["load average at the end"] = _load()
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n")
    print(json.dumps(figures, indent=1))


def _load() -> list[float]:
    """Processes that want to run, over 1, 5 and 15 minutes."""
    return [round(load, 1) for load in os.getloadavg()]


def _data_dir(connection: psycopg.Connection) -> Path:
    host = Path(connection.info.get_parameters()["host"])
    return next(folder for folder in host.parents if (folder / "postgres").is_dir())


if __name__ == "__main__":
    main()
