"""Queries that are meant to take long: none of them may cost more than 250 ms of processor time."""

import httpx2

from bench.library.cpu_time import CpuTime
from bench.search.texts import NAMES

MAX_CHARS = 4096
FREQUENT = NAMES[:700]
HOSTILE = {
    "beginnings, OR": " OR ".join(f"{name}*" for name in FREQUENT),
    "short beginnings": " ".join(f"{letters}*" for letters in ("zb", "zba", "zc", "zd")),
    "frequent words": " ".join(FREQUENT),
    "frequent phrases": " ".join(f'"{FREQUENT[number]} {FREQUENT[number + 1]}"' for number in range(200)),
    "one long phrase of frequent words": f'"{" ".join(FREQUENT[:60] * 10)}"',
    "misspelt words": " ".join(f"{name}qq" for name in NAMES[20_000:20_500]),
    "without many words": " ".join(f"-{name}" for name in FREQUENT),
    "without many filters": " ".join(f"-tag:t{number} -site:s{number}.org" for number in range(160)),
    "a regular expression": "(z+)+$" * 600,
    "characters": "東京" * 2000,
    "one long word": "z" * MAX_CHARS,
    "joined by hyphens": f"{FREQUENT[0]}-" * 900,
}


def hostile_ms(client: httpx2.Client, processor: CpuTime) -> dict[str, float]:
    """Processor time of the server and its database, the quickest of three."""
    figures = {}
    for name, q in HOSTILE.items():
        took = []
        for _ in range(3):
            processor.refresh()
            before = processor.milliseconds()
            client.get("/api/search", params={"q": q[:MAX_CHARS]}).raise_for_status()
            took.append(processor.milliseconds() - before)
        figures[name] = round(min(took), 1)
    return figures
