"""What a page of a library costs as it grows, in every order and with every filter, alone and combined, what its counts
cost, and what a change of a thousand entries does: python -m bench.library [--parts NAME…] [--keep FOLDER]
[--entries N…] [--times N].

A real server process on an embedded database of its own for each size, asked over loopback, in turn. Growth is that of
the processor time of server and database (cpu_time.py), from the smallest library to the largest. Figures are written
after each part; those of parts that were not asked for stay. Libraries that are kept are filled only once.
"""

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx2
import psycopg

from bench.library.bulk import change_many
from bench.library.cpu_time import CpuTime, newest_child, without_indexing
from bench.library.filling import TAGS, fill
from bench.library.pages import COMBINED, FORWARDS, Cost, Target, combined, in_turn, pages, single
from bench.saves import running_server
from nexus.logging import configure_logging

FIGURES = Path(__file__).parents[1] / "figures" / "library.json"
FLAT = 1.5

Libraries = Sequence[tuple[Target, psycopg.Connection]]


@contextmanager
def filled(entries: int, kept: Path | None = None) -> Iterator[tuple[Target, psycopg.Connection]]:
    with running_server(kept and kept / str(entries)) as (client, connection):
        server = newest_child()
        library = UUID(client.get("/api/me").raise_for_status().json()["default_library_id"])
        there = connection.execute("SELECT count(*) FROM library_media").fetchone()
        if there == (0,):
            begin = time.perf_counter()
            prepare(client)
            fill(connection, library, entries)
            print(f"{entries} entries in {time.perf_counter() - begin:.0f} s", flush=True)
        elif there != (entries,):
            raise SystemExit(f"{kept} has a library of {there} instead of {entries} entries; delete it first.")
        connection.execute("VACUUM ANALYZE")  # as the database does by itself, sooner or later
        with without_indexing(server):
            yield Target(client, CpuTime(server, connection)), connection


def prepare(client: httpx2.Client) -> None:
    for name in TAGS:
        client.post("/api/tags", json={"name": name}).raise_for_status()
    for name, query in COMBINED.items():
        saved = {"name": name, "query": query, "sort": "newest"}
        client.post("/api/saved-searches", json=saved).raise_for_status()


def figures_of(costs: Mapping[str, Cost]) -> dict[str, Any]:
    growth = [cost.growth for cost in costs.values()]
    above = [cost for cost in costs.values() if cost.growth > FLAT]
    return {
        "worst growth": max(growth),
        "median growth": round(statistics.median(growth), 2),
        f"cases above {FLAT}": f"{len(above)} of {len(growth)}",
        "of these with as many entries on the page of each library": sum(cost.is_alike for cost in above),
        "most processor ms of a page in the largest": max(cost.cpu[-1] for cost in costs.values()),
        "cases: processor ms by size, ms by size, entries on the page, growth": {
            name: f"{_spelled(cost.cpu)}; {_spelled(cost.wall)}; {', '.join(map(str, cost.entries))}; {cost.growth}"
            for name, cost in costs.items()
        },
    }


def _spelled(milliseconds: Sequence[float]) -> str:
    return ", ".join(f"{one:.1f}" for one in milliseconds)


def counts(targets: Sequence[Target], times: int) -> dict[str, Cost]:
    """The library's own counts are part of every page."""
    paths = {"tags": "/api/tags", f"{len(COMBINED)} saved searches": "/api/saved-searches", "stats": "/api/stats"}
    return {
        name: in_turn(targets, [_asking(each.client, path) for each in targets], times) for name, path in paths.items()
    }


def _asking(client: httpx2.Client, path: str) -> Callable[[], int]:
    return lambda: len(client.get(path).raise_for_status().json())


def bulk(libraries: Libraries, sizes: Sequence[int]) -> dict[str, Any]:
    return {str(size): change_many(*library) for size, library in zip(sizes, libraries, strict=True)}


Part = Callable[[Libraries, argparse.Namespace], dict[str, Any]]
PARTS: dict[str, Part] = {
    "counts": lambda libraries, given: figures_of(counts(_targets(libraries), given.times)),
    "one filter": lambda libraries, given: figures_of(pages(_targets(libraries), single(), given.times)),
    "one filter, first page": lambda libraries, given: figures_of(
        pages(_targets(libraries), single(), given.times, first_page=True)
    ),
    "2 filters": lambda libraries, given: _combined(libraries, given, 2),
    "3 filters": lambda libraries, given: _combined(libraries, given, 3),
    "bulk of 1000": lambda libraries, given: bulk(libraries, given.entries),
}


def _combined(libraries: Libraries, given: argparse.Namespace, count: int) -> dict[str, Any]:
    return figures_of(pages(_targets(libraries), combined(count), given.times, sorts=FORWARDS))


def _targets(libraries: Libraries) -> list[Target]:
    return [target for target, _ in libraries]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--entries", type=int, nargs="+", default=[1_000, 100_000, 1_000_000])
    options.add_argument("--times", type=int, default=3)
    options.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    options.add_argument("--keep", type=Path, help="a folder for the libraries, for the next time")
    given = options.parse_args()
    configure_logging("WARNING", "text")
    is_whole = {*given.parts} == {*PARTS}
    figures: dict[str, Any] = {} if is_whole else json.loads(FIGURES.read_text())
    figures["entries"] = given.entries
    with ExitStack() as stack:
        libraries = [stack.enter_context(filled(entries, given.keep)) for entries in given.entries]
        for name in given.parts:
            begin = time.perf_counter()
            found = PARTS[name](libraries, given)
            found["load average"] = [round(load, 1) for load in os.getloadavg()]
            found["seconds"] = round(time.perf_counter() - begin)
            figures[name] = found
            FIGURES.write_text(json.dumps(figures, indent=1) + "\n")
            print(name, {key: value for key, value in found.items() if "cases:" not in key}, flush=True)


if __name__ == "__main__":
    main()
