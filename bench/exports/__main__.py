"""What exports of a large library cost, as JSON: python -m bench.exports [--entries N] [--words N] [--formats F…]

Texts, written straight into an embedded database, each with a highlight; the worker's exporter writes the whole library
in each format into a store in a folder. `MB`: the largest resident memory of this process and of the child that
converts texts, together, above what this process had before; sampled every 20 ms.
"""

import argparse
import json
import os
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import UUID

import psutil
from sqlalchemy import text

from bench.library.bulk import SAVE
from nexus.config import Settings, load_settings
from nexus.db.migrate import upgrade
from nexus.db.session import Database
from nexus.logging import configure_logging
from nexus.services.users import ensure_user
from nexus.worker.background_tasks import open_background

FORMATS = ("bookmarks", "readwise-csv", "markdown", "html", "epub")
USER = UUID(int=7)
MEGABYTE = 1_000_000
FRAGMENTS = """
    INSERT INTO fragments (media_id, version, idx, html_sanitized, canonical_text)
    SELECT id, 1, 0, '<p>' || words || '</p>', words
    FROM saved CROSS JOIN LATERAL (SELECT repeat(md5(id::text) || ' ', %(words)s) AS words) AS written
"""
MARK = """
    INSERT INTO highlights (library_id, media_id, version, carried_version, start_fragment, start_offset, end_fragment,
                            end_offset, quote, prefix, suffix, color, state)
    SELECT library_id, media_id, 1, 1, 0, 0, 0, 32, left(canonical_text, 32), '', '', 'yellow', 'attached'
    FROM library_media JOIN fragments USING (media_id)
"""


class Memory(threading.Thread):
    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._ended = threading.Event()
        self.first = self.most = _resident()

    def run(self) -> None:
        while not self._ended.wait(0.02):
            self.most = max(self.most, _resident())

    def end(self) -> float:
        self._ended.set()
        self.join()
        return (self.most - self.first) / MEGABYTE


def _resident() -> int:
    own = psutil.Process()
    size = own.memory_info().rss
    for child in own.children():
        with suppress(psutil.NoSuchProcess):
            if "process_pool_child" in " ".join(child.cmdline()):
                size += child.memory_info().rss
    return size


def fill(database: Database, entries: int, words: int) -> None:
    with database.transaction() as session:
        library = ensure_user(session, USER)
    with database.connect_apart() as connection:
        connection.execute("SET statement_timeout = 0")
        with connection.transaction():
            for statement in SAVE:
                made = FRAGMENTS if "INTO fragments" in statement else statement
                values = {"user": USER, "library": library, "entries": entries, "words": words}
                connection.execute(made.encode(), values)
        connection.execute(MARK)
        connection.execute("ANALYZE")


def measure(settings: Settings, database: Database, kind: str) -> dict[str, Any]:
    with database.transaction() as session:
        session.execute(
            text("INSERT INTO exports (user_id, format) VALUES (:user, :format)"), {"user": USER, "format": kind}
        )
    with open_background(settings, database) as background:
        memory = Memory()
        memory.start()
        began, spent = time.perf_counter(), time.process_time()
        background.drain(lambda: False)
        took = time.perf_counter() - began
        spent = time.process_time() - spent
        most = memory.end()
        background.stop(60)
    query = "SELECT status, done, size, message FROM exports WHERE format = :format ORDER BY created_at DESC LIMIT 1"
    with database.transaction() as session:
        status, done, size, message = session.execute(text(query), {"format": kind}).one()
    if status != "finished":
        raise SystemExit(f"{kind}: {message}")
    return {
        "entries": done, "file MB": round(size / MEGABYTE, 1), "s": round(took, 1),
        "processor s, without the child": round(spent, 1), "MB": round(most, 1),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=20_000)
    parser.add_argument("--words", type=int, default=800)
    parser.add_argument("--formats", nargs="+", default=FORMATS)
    parser.add_argument("--out", type=Path, default=Path(__file__).parents[1] / "figures" / "exports.json")
    options = parser.parse_args()
    configure_logging("WARNING", "text")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o711)
        settings = load_settings(data_dir=Path(folder), pictures_per_media=0, store_collect_hours=0)
        with Database(settings) as database:
            upgrade(database.engine)
            fill(database, options.entries, options.words)
            figures = {kind: measure(settings, database, kind) for kind in options.formats}
    figures["words of each text"] = {"words": options.words}
    figures["load average at the end"] = {"1 min": round(os.getloadavg()[0], 1)}
    options.out.write_text(json.dumps(figures, indent=2) + "\n")
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
