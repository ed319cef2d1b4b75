"""Pages of libraries of several sizes, asked in turn, so that whatever else the machine does delays all of them."""

import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, get_args

import httpx2

from bench.library.cpu_time import CpuTime
from nexus.services.library.sorting import Sort

SHELVES: dict[str, dict[str, Any]] = {"inbox": {}, "archive": {"archived": "true"}, "both": {"archived": "any"}}
FILTERS: dict[str, dict[str, Any]] = {
    "kind": {"kind": "web_article"},
    "rare kind": {"kind": "pasted_text"},
    "status": {"status": "succeeded"},
    "rare status": {"status": "failed"},
    "unread": {"unread": True},
    "starred": {"starred": True},
    "untagged": {"untagged": True},
    "tag": {"tag": "some"},
    "rare tag": {"tag": "few"},
    "site": {"site": "site17.example"},
    "large site": {"site": "large.example"},
    "min_minutes": {"min_minutes": 10},
    "max_minutes": {"max_minutes": 2},
}
# Every two and every three of these; two tags are two of them.
COMBINED: dict[str, dict[str, Any]] = {
    "kind": {"kind": "web_article"},
    "status": {"status": "succeeded"},
    "unread": {"unread": True},
    "starred": {"starred": True},
    "tag": {"tag": ["some"]},
    "other tag": {"tag": ["many"]},
    "site": {"site": "site17.example"},
    "min_minutes": {"min_minutes": 4},
    "max_minutes": {"max_minutes": 8},
}


@dataclass(frozen=True)
class Target:
    client: httpx2.Client
    cpu: CpuTime


@dataclass(frozen=True)
class Cost:
    """p50 in milliseconds by size of the library: by the clock, and of processor time."""

    wall: Sequence[float]
    cpu: Sequence[float]

    @property
    def growth(self) -> float:
        """Of processor time, from the smallest to the largest."""
        return round(self.cpu[-1] / self.cpu[0], 2)


def single() -> Iterator[tuple[str, dict[str, Any]]]:
    for shelf, asked in SHELVES.items():
        yield shelf, asked
        yield from ((f"{shelf}, {name}", asked | given) for name, given in FILTERS.items())


def combined(count: int) -> Iterator[tuple[str, dict[str, Any]]]:
    for names in combinations(COMBINED, count):
        asked: dict[str, Any] = {}
        for name in names:
            given = COMBINED[name]
            asked |= {"tag": [*asked.get("tag", ()), *given["tag"]]} if "tag" in given else given
        yield " + ".join(names), asked


def in_turn(targets: Sequence[Target], asks: Sequence[Callable[[], Any]], times: int) -> Cost:
    wall: list[list[float]] = [[] for _ in targets]
    cpu: list[list[float]] = [[] for _ in targets]
    for ask in asks:
        ask()
    for target in targets:
        target.cpu.refresh()
    for _ in range(times):
        for number, (target, ask) in enumerate(zip(targets, asks, strict=True)):
            spent, begin = target.cpu.milliseconds(), time.perf_counter()
            ask()
            wall[number].append((time.perf_counter() - begin) * 1000)
            cpu[number].append(target.cpu.milliseconds() - spent)
    return Cost(_medians(wall), _medians(cpu))


def _medians(took: Sequence[Sequence[float]]) -> list[float]:
    return [round(statistics.median(one), 2) for one in took]


def page(client: httpx2.Client, asked: dict[str, Any], *, first_page: bool) -> Callable[[], Any]:
    """Else the second one, where there is one: the first needs no cursor."""
    if first_page:
        return lambda: client.get("/api/library", params=asked).raise_for_status()
    first = client.get("/api/library", params=asked).raise_for_status().json()
    params = asked | ({"cursor": first["next_cursor"]} if first["next_cursor"] else {})
    return lambda: client.get("/api/library", params=params).raise_for_status()


def pages(
    targets: Sequence[Target], cases: Iterable[tuple[str, dict[str, Any]]], times: int, *, first_page: bool = False
) -> dict[str, Cost]:
    found: dict[str, Cost] = {}
    for name, asked in cases:
        for sort in get_args(Sort):
            params: dict[str, Any] = asked | {"sort": sort, "limit": 20}
            asks = [page(target.client, params, first_page=first_page) for target in targets]
            found[f"{name}, {sort}"] = in_turn(targets, asks, times)
    return found
