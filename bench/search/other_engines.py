"""The same texts in SQLite's FTS5 and in tantivy with nothing around it, for comparison."""

import math
import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import tantivy

MIN_TIMES = 10


class Fts5:
    """BM25, porter stems, any of the words."""

    name = "SQLite FTS5"

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._file = folder / "texts.sqlite"
        self._db = sqlite3.connect(self._file)
        self._db.execute("CREATE VIRTUAL TABLE texts USING fts5(words, content='', tokenize='porter unicode61')")

    def add(self, texts: list[str]) -> None:
        with self._db:
            self._db.executemany("INSERT INTO texts (words) VALUES (?)", ((text,) for text in texts))

    def ask(self, q: str) -> None:
        query = q if '"' in q else " OR ".join(q.split())
        query = query + "*" if q == q.rstrip() and '"' not in q else query
        sql = "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY bm25(texts) LIMIT 20"
        self._db.execute(sql, (query,)).fetchall()

    def size(self) -> int:
        return self._file.stat().st_size

    def close(self) -> None:
        self._db.close()


class PlainTantivy:
    """Its own English analyzer and its own parser."""

    name = "plain tantivy"

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        schema = tantivy.SchemaBuilder().add_text_field("words", tokenizer_name="en_stem").build()
        self._index = tantivy.Index(schema, str(self._folder))

    def add(self, texts: list[str]) -> None:
        writer = self._index.writer(30_000_000, 1)
        for text in texts:
            writer.add_document(tantivy.Document(words=text))
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()

    def ask(self, q: str) -> None:
        query, _ = self._index.parse_query_lenient(q, ["words"])
        self._index.searcher().search(query, 20)

    def size(self) -> int:
        return sum(file.stat().st_size for file in self._folder.iterdir())

    def close(self) -> None:
        """There is nothing to close."""


def latencies_ms(times: int, ask: Callable[[], object], enough_seconds: float = math.inf) -> dict[str, float]:
    """Times of the queries; slow ones are repeated less often."""
    took: list[float] = []
    while len(took) < times and (len(took) < MIN_TIMES or sum(took) < enough_seconds * 1000):
        begin = time.perf_counter()
        ask()
        took.append((time.perf_counter() - begin) * 1000)
    return shares(took)


def shares(took: Sequence[float]) -> dict[str, float]:
    ordered = sorted(took)
    p99 = ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)]
    return {"p50": round(ordered[len(ordered) // 2], 2), "p99": round(p99, 2)}
