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

LISTS: dict[str, dict[str, Any]] = {"inbox": {}, "archive": {"archived": "true"}, "both": {"archived": "any"}}
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
# The other two are read from the same indexes, backwards.
FORWARDS: tuple[Sort, ...] = ("newest", "longest", "title", "recently_read")
DOUBTFUL = 1.35
PAGE_SIZE = 20


@dataclass(frozen=True)
class Target:
    client: httpx2.Client
    cpu: CpuTime


@dataclass(frozen=True)
class Cost:
    """By size of the library: p50 of wall clock and processor time in milliseconds, and the response's length."""

    wall: Sequence[float]
    cpu: Sequence[float]
    entries: Sequence[int]

    @property
    def growth(self) -> float:
        """The growth of processor time from the smallest library to the largest."""
        return round(self.cpu[-1] / self.cpu[0], 2)

    @property
    def is_alike(self) -> bool:
        """Otherwise pages of different lengths are compared, and an empty one is made more quickly than one of 20."""
        return len({*self.entries}) == 1


def single() -> Iterator[tuple[str, dict[str, Any]]]:
    for listed, filters in LISTS.items():
        yield listed, filters
        yield from ((f"{listed}, {name}", filters | given) for name, given in FILTERS.items())


def combined(count: int) -> Iterator[tuple[str, dict[str, Any]]]:
    for names in combinations(COMBINED, count):
        filters: dict[str, Any] = {}
        for name in names:
            given = COMBINED[name]
            filters |= {"tag": [*filters.get("tag", ()), *given["tag"]]} if "tag" in given else given
        yield " + ".join(names), filters


def in_turn(targets: Sequence[Target], asks: Sequence[Callable[[], int]], times: int) -> Cost:
    wall: list[list[float]] = [[] for _ in targets]
    cpu: list[list[float]] = [[] for _ in targets]
    entries = [0 for _ in targets]
    for target in targets:
        target.cpu.refresh()
    for _ in range(times):
        for number, (target, ask) in enumerate(zip(targets, asks, strict=True)):
            spent, begin = target.cpu.milliseconds(), time.perf_counter()
            entries[number] = ask()
            wall[number].append((time.perf_counter() - begin) * 1000)
            cpu[number].append(target.cpu.milliseconds() - spent)
    return Cost(_medians(wall), _medians(cpu), entries)


def _medians(took: Sequence[Sequence[float]]) -> list[float]:
    return [round(statistics.median(one), 2) for one in took]


def page(client: httpx2.Client, filters: dict[str, Any], *, first_page: bool) -> Callable[[], int]:
    """Asks for the second page where there is one: the first needs no cursor. Returns the number of its entries."""
    cursor = _ask(client, filters)["next_cursor"]
    params = filters if first_page or cursor is None else filters | {"cursor": cursor}
    return lambda: len(_ask(client, params)["entries"])


def comparable(
    targets: Sequence[Target], filters: dict[str, Any], *, first_page: bool
) -> tuple[Sequence[Target], dict[str, Any]]:
    """The libraries that have such entries, and a limit that every one of them fills: what is compared is what a page
    costs in a larger library, not how many entries it shows.
    """
    for number, target in enumerate(targets[:-1]):
        found = len(_ask(target.client, filters | {"limit": 2 * PAGE_SIZE})["entries"])
        fills = found if first_page else found // 2
        if fills:
            return targets[number:], filters | {"limit": min(PAGE_SIZE, fills)}
    return targets[-2:], filters | {"limit": PAGE_SIZE}


def _ask(client: httpx2.Client, params: dict[str, Any]) -> Any:
    return client.get("/api/library", params=params).raise_for_status().json()


def pages(
    targets: Sequence[Target],
    cases: Iterable[tuple[str, dict[str, Any]]],
    times: int,
    *,
    sorts: Sequence[Sort] = get_args(Sort),
    first_page: bool = False,
) -> dict[str, Cost]:
    """What seems to grow is measured again, more often: a median of few is not exact."""
    found: dict[str, Cost] = {}
    for name, filters in cases:
        for sort in sorts:
            having, params = comparable(targets, filters | {"sort": sort}, first_page=first_page)
            asks = [page(target.client, params, first_page=first_page) for target in having]
            cost = in_turn(having, asks, times)
            found[f"{name}, {sort}"] = cost if cost.growth < DOUBTFUL else in_turn(having, asks, 3 * times)
    return found
