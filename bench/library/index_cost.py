"""What the indexes that libraries are listed by cost a save and its text: python -m bench.library.index_cost
[--entries N] [--saves N] [--rounds N].

Two servers, each with a library of the same entries; in the second one the indexes are dropped. Saves are posted to
both in turn, and a worker in this process stores a short article for each. What counts is processor time: that of the
server, the worker and the database.
"""

import argparse
import json
import os
import statistics
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg

from bench.library.__main__ import filled
from bench.library.pages import Target
from bench.saves import _fresh
from nexus.config import Settings, load_settings
from nexus.db.session import Database
from nexus.logging import configure_logging
from nexus.services.lifecycle import Article, AttemptRecord, Claim, Outcome, Succeeded
from nexus.worker import Worker

FIGURES = Path(__file__).parents[1] / "figures" / "library_indexes.json"
INDEXES = (
    "starred",
    "title",
    "length",
    "read",
    "site",
    "untagged",
    "time",
    "unread_by_reading",
    "unready_by_length",
)
SIZES = """
    SELECT indexrelid::regclass::text, pg_relation_size(indexrelid) / 1000000.0 FROM pg_index
    WHERE indrelid = 'library_media'::regclass ORDER BY 2 DESC
"""


def short_article(claim: Claim) -> Outcome:
    page = Article(f"https://example.org/{claim.item_id}", "<p>Hello</p>", "Hello")
    return Succeeded(claim, page, (AttemptRecord("static", claim.claimed_at, claim.now()),))


def save(target: Target, saves: int) -> float:
    """Milliseconds of processor time for each save."""
    target.cpu.refresh()
    spent = target.cpu.milliseconds()
    for _ in range(saves):
        target.client.post("/items", json={"url": _fresh()}).raise_for_status()
    return (target.cpu.milliseconds() - spent) / saves


def settle(target: Target, settings: Settings, database: Database, saves: int) -> float:
    target.cpu.refresh()
    spent = target.cpu.milliseconds() + time.process_time() * 1000
    Worker(settings, database, short_article).run(drain=True)
    return (target.cpu.milliseconds() + time.process_time() * 1000 - spent) / saves


def settings_of(connection: psycopg.Connection) -> Settings:
    info = connection.info
    return load_settings(database_url=f"postgresql://{info.user}:{info.password}@/{info.dbname}?host={info.host}")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--entries", type=int, default=100_000)
    options.add_argument("--saves", type=int, default=100)
    options.add_argument("--rounds", type=int, default=5)
    given = options.parse_args()
    configure_logging("WARNING", "text")
    spent: dict[str, list[list[float]]] = {"save": [[], []], "text": [[], []]}
    with ExitStack() as stack:
        libraries = [stack.enter_context(filled(given.entries)) for _ in range(2)]
        for name in INDEXES:
            libraries[1][1].execute(f"DROP INDEX ix_library_media_{name}")
        settings = [settings_of(connection) for _, connection in libraries]
        databases = [stack.enter_context(Database(each)) for each in settings]
        sizes = {name: round(float(size), 1) for name, size in libraries[0][1].execute(SIZES)}
        for _ in range(given.rounds + 1):
            for number, (target, _) in enumerate(libraries):
                spent["save"][number].append(save(target, given.saves))
                spent["text"][number].append(settle(target, settings[number], databases[number], given.saves))
    figures: dict[str, Any] = {"entries": given.entries, "dropped": INDEXES, "MB of the indexes": sizes}
    for name, (with_them, without) in spent.items():
        # The first round is for warming up.
        both = [statistics.median(each[1:]) for each in (with_them, without)]
        figures[f"{name}, processor ms with and without, ratio"] = [
            *(round(one, 2) for one in both),
            round(both[0] / both[1], 2),
        ]
    figures["load average"] = [round(load, 1) for load in os.getloadavg()]
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n")
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
