"""Speed of sanitize and canonicalize, and false alarms of the verdict, on a corpus of pages.

python -m bench.text_safety CORPUS.jsonl.xz   lines {url, html, text}; prints JSON. PYTHONPATH=python.
"""

import json
import lzma
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

from nexus.text.canonical_text import canonicalize
from nexus.text.page_verdict import page_verdict
from nexus.text.sanitize import sanitize_html

AROUND_200_KB = range(180_000, 220_000)


def pages(path: str) -> Iterator[dict[str, str]]:
    with lzma.open(path, "rt") as lines:
        for line in lines:
            yield json.loads(line)


def timed(function: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[Any, float]:
    start = time.perf_counter()
    result = function(*args, **kwargs)
    return result, (time.perf_counter() - start) * 1000


def main(path: str) -> None:
    sizes: list[int] = []
    milliseconds: dict[str, list[float]] = {"sanitize": [], "canonicalize": [], "verdict": []}
    reasons: Counter[str] = Counter()
    alarms: list[dict[str, str]] = []
    unstable = 0
    for page in pages(path):
        sizes.append(len(page["html"]))
        sanitized, took = timed(sanitize_html, page["html"], page["url"])
        milliseconds["sanitize"].append(took)
        unstable += sanitize_html(sanitized, page["url"]) != sanitized
        milliseconds["canonicalize"].append(timed(canonicalize, sanitized)[1])
        verdict, took = timed(page_verdict, page["html"], text=page["text"], url=page["url"], status=200)
        milliseconds["verdict"].append(took)
        if verdict.outcome != "ok":
            reasons[verdict.reason] += 1
            alarms.append({"url": page["url"], "reason": verdict.reason, "evidence": verdict.evidence})
    large = [took for took, size in zip(milliseconds["sanitize"], sizes, strict=True) if size in AROUND_200_KB]
    figures = {
        "pages": len(sizes),
        "median_html_characters": median(sizes),
        "median_ms": {name: round(median(values), 2) for name, values in milliseconds.items()},
        "max_ms": {name: round(max(values), 1) for name, values in milliseconds.items()},
        "sanitize_median_ms_around_200_kb": round(median(large), 2) if large else None,
        "not_idempotent": unstable,
        "verdict_alarms": dict(reasons),
        "alarms": alarms,
    }
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main(sys.argv[1])
