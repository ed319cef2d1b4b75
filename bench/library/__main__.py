"""What a page of a library costs as it grows, in every order and with every filter, alone and combined, what its counts
cost, and what a change of a thousand entries does: python -m bench.library [--entries N…] [--times N] [--combined N].

A real server process on an embedded database of its own for each size, asked over loopback, in turn. Growth is that of
the processor time of server and database (cpu_time.py), from the smallest library to the largest.
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
from bench.library.cpu_time import CpuTime, newest_child
from bench.library.filling import TAGS, fill
from bench.library.pages import COMBINED, Cost, Target, combined, in_turn, pages, single
from bench.saves import running_server

FIGURES = Path(__file__).parents[1] / "figures" / "library.json"
FLAT = 1.5


@contextmanager
def filled(entries: int) -> Iterator[tuple[Target, psycopg.Connection]]:
    with running_server() as (client, connection):
        server = newest_child()
        library = UUID(client.get("/api/me").raise_for_status().json()["default_library_id"])
        for name in TAGS:
            client.post("/api/tags", json={"name": name}).raise_for_status()
        for name, query in COMBINED.items():
            saved = {"name": name, "query": query, "sort": "newest"}
            client.post("/api/saved-searches", json=saved).raise_for_status()
        begin = time.perf_counter()
        fill(connection, library, entries)
        print(f"{entries} entries in {time.perf_counter() - begin:.0f} s", flush=True)
        yield Target(client, CpuTime(server, connection)), connection


def told(costs: Mapping[str, Cost]) -> dict[str, Any]:
    growth = [cost.growth for cost in costs.values()]
    most = max(cost.cpu[-1] for cost in costs.values())
    return {
        "worst growth": max(growth),
        "median growth": round(statistics.median(growth), 2),
        f"cases above {FLAT}": f"{sum(one > FLAT for one in growth)} of {len(growth)}",
        "most processor ms of a page in the largest": most,
        "cases: processor ms by size, ms by size, growth": {
            name: f"{_spelled(cost.cpu)}; {_spelled(cost.wall)}; {cost.growth}" for name, cost in costs.items()
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


def _asking(client: httpx2.Client, path: str) -> Callable[[], object]:
    return lambda: client.get(path).raise_for_status()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--entries", type=int, nargs="+", default=[1_000, 100_000, 1_000_000])
    options.add_argument("--times", type=int, default=9)
    options.add_argument("--combined", type=int, nargs="*", default=[2, 3])
    given = options.parse_args()
    figures: dict[str, Any] = {"entries": given.entries}
    with ExitStack() as stack:
        libraries = [stack.enter_context(filled(entries)) for entries in given.entries]
        targets = [target for target, _ in libraries]
        figures["counts"] = told(counts(targets, given.times))
        figures["one filter"] = told(pages(targets, single(), given.times))
        figures["one filter, first page"] = told(pages(targets, single(), given.times, first_page=True))
        for number in given.combined:
            figures[f"{number} filters"] = told(pages(targets, combined(number), given.times))
        figures["bulk of 1000: processor s, s"] = {
            str(entries): change_many(target, connection)
            for entries, (target, connection) in zip(given.entries, libraries, strict=True)
        }
    figures["load average"] = [round(load, 1) for load in os.getloadavg()]
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n")
    for name, found in figures.items():
        print(
            name,
            {key: value for key, value in found.items() if "cases:" not in key} if "worst" in str(found) else found,
        )


if __name__ == "__main__":
    main()
