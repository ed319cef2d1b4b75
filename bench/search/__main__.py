"""What a search costs as libraries grow, beside SQLite's FTS5 and plain tantivy:
python -m bench.search [--texts N…] [--keep FOLDER].

And what being searchable adds to keeping a text, and how soon a text is found.

Searches go through HTTP to a real server whose index process reads the same rows; the others are asked within this
process, without a network. Beside each time on the clock stands the processor's, of the server and its database: on a
busy machine the clock tells more about the others. A library that is kept is filled only once: then only its last size
is measured, the others and keeping a text are left out, and the figures are not written down.
"""

import argparse
import json
import os
import random
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx2
import psycopg

from bench.library.cpu_time import CpuTime, newest_child
from bench.saves import running_server
from bench.search.hostile import hostile_ms
from bench.search.indexing_cost import freshness_ms, keeping
from bench.search.other_engines import Fts5, PlainTantivy, latencies_ms
from bench.search.texts import NAMES, fill, some_text

FIGURES = Path(__file__).parents[1] / "figures" / "search.json"
STEP = 2000
QUERIES = {
    "a rare word": f"{NAMES[40000]} ",
    "two words": f"{NAMES[300]} {NAMES[900]} ",
    "a phrase": f'"{NAMES[0]} {NAMES[1]} {NAMES[2]}"',
    "a phrase of rarer words": f'"{NAMES[40]} {NAMES[90]}"',
    "a beginning": NAMES[123],
    "a word of every text": f"{NAMES[0]} ",
    "a query of ten words": " ".join(NAMES[number] for number in (5, 17, 80, 300, 900, 2000, 5000, 9000, 20000, 41000))
    + " ",
    "a misspelt word": f"{NAMES[300][:2]}{NAMES[300][3]}{NAMES[300][2]}{NAMES[300][4:]} ",
}
# With 200 000 texts SQLite takes half a second for some.
OTHERS_SECONDS = 5.0
Others = list[Fts5 | PlainTantivy]


def wait_until_ready(client: httpx2.Client, texts: int) -> None:
    while True:
        with suppress(httpx2.RemoteProtocolError):  # a connection that waited for so long may be closed
            index = client.get("/api/search", params={"q": "kind:none", "limit": 1}).json()["index"]
            if index["state"] == "ready" and index["done"] >= texts:
                return
        time.sleep(0.1)


def measure(client: httpx2.Client, processor: CpuTime, others: Others, times: int) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    for name, q in QUERIES.items():
        page = client.get("/api/search", params={"q": q}).raise_for_status().json()
        processor.refresh()
        before = processor.milliseconds()
        took = latencies_ms(times, lambda q=q: client.get("/api/search", params={"q": q}).raise_for_status())  # type: ignore[misc]
        spent = processor.milliseconds() - before
        figures[name] = {"found": page["total"], "ms": took, "processor ms": round(spent / times, 2)}
        if page["corrected"]:
            figures[name]["corrected"] = len(page["corrected"])
        for other in others:
            ask = partial(other.ask, q)
            figures[name][f"{other.name}, ms"] = latencies_ms(times, ask, OTHERS_SECONDS)
    return figures


class Bench:
    """A library that grows. `folder` holds it and its size."""

    def __init__(self, client: httpx2.Client, connection: psycopg.Connection, folder: Path, others: Others) -> None:
        self._client = client
        self._connection = connection
        self._processor = CpuTime(newest_child(), connection)
        self._data_dir = folder / "data"
        self._state = folder / "filled.json"
        self.library = UUID(client.get("/api/me").json()["default_library_id"])
        self._others = others
        before = json.loads(self._state.read_text()) if self._state.exists() else (0, 0)
        self.filled, self._bytes = map(int, before)

    def grow(self, wanted: int) -> float | None:
        """The number of texts that were indexed in a second; None if they were there before."""
        wait_until_ready(self._client, self.filled)  # the index of a kept library may be rebuilt
        begin, spent = self.filled, 0.0
        while self.filled < wanted:
            chance = random.Random(self.filled)
            texts = [some_text(chance) for _ in range(min(STEP, wanted - self.filled))]
            fill(self._connection, self.library, texts)
            start = time.perf_counter()
            self.filled += len(texts)
            wait_until_ready(self._client, self.filled)
            spent += time.perf_counter() - start
            self._bytes += sum(map(len, texts))
            for other in self._others:
                other.add(texts)
            self._state.write_text(json.dumps([self.filled, self._bytes]))
        self._connection.execute("VACUUM ANALYZE")
        return round((wanted - begin) / spent, 1) if spent else None

    def measure(self, times: int) -> dict[str, Any]:
        figures = measure(self._client, self._processor, self._others, times)
        size = sum(file.stat().st_size for file in self._data_dir.glob("search/*/*/*"))
        figures["size / texts"] = round(size / self._bytes, 2)
        figures |= {f"size / texts, {other.name}": round(other.size() / self._bytes, 2) for other in self._others}
        figures["until a new text is found, ms"] = freshness_ms(self._client, 20)
        figures["hostile queries, processor ms"] = hostile_ms(self._client, self._processor)
        figures["load average"] = _load()
        return figures


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--texts", type=int, nargs="+", default=[2_000, 20_000, 200_000])
    options.add_argument("--times", type=int, default=100)
    options.add_argument("--keep", type=Path, help="a folder for the library, for the next time")
    given = options.parse_args()
    figures: dict[str, Any] = {"processors": os.cpu_count(), "load average at the beginning": _load()}
    with _folder(given.keep) as folder, running_server(folder / "data") as (client, connection):
        others: Others = [] if given.keep else [Fts5(folder / "fts5"), PlainTantivy(folder / "tantivy")]
        bench = Bench(client, connection, folder, others)
        for wanted in given.texts:
            if wanted < bench.filled:
                continue
            part = figures[f"{wanted} texts"] = {"indexed, texts/s": bench.grow(wanted)} | bench.measure(given.times)
            print(json.dumps({f"{wanted} texts": part}, indent=1), flush=True)
        if not given.keep:
            figures["keeping a text of 1000 words"] = keeping(connection, bench.library, given.times)
        for other in others:
            other.close()
    figures["load average at the end"] = _load()
    if not given.keep:
        FIGURES.write_text(json.dumps(figures, indent=1) + "\n")
    print(json.dumps(figures, indent=1))


@contextmanager
def _folder(kept: Path | None) -> Iterator[Path]:
    with nullcontext(str(kept)) if kept else tempfile.TemporaryDirectory(prefix="nexus-bench-") as name:
        folder = Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o711)  # as root, the database's account must get through
        yield folder


def _load() -> list[float]:
    """Processes that are ready to run, over 1, 5 and 15 minutes."""
    return [round(load, 1) for load in os.getloadavg()]


if __name__ == "__main__":
    main()
