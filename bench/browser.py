"""What a page costs in the browser, as JSON: warm beside a browser per page, and the memory of many pages.

    python -m bench.browser [--rounds N] [--pages N]

The same 200 kB article from loopback for both, in turns within one run: the ratio counts, not the seconds. Memory is
the proportional set size of the whole tree (supervisor, node, Chromium), the most seen over ten pages; the browser is
replaced every 100 pages, so the last ten before page 500 are among its oldest.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import psutil

from nexus.config import load_settings
from nexus.web.egress import Egress
from nexus.web.egress.proxy import FilteringProxy
from nexus.web.public_address import AllowList
from nexus.web.rendering import Proxy, Renderer, RenderOptions, Tools, find_renderer
from nexus.web.rendering.folders import PREFIX
from tests.loopback_server import LoopbackServer, QuietHandler, running

SENTENCE = "It was late in the year, the river stood high, and whoever could stay indoors did so without regret. "
PAGE = (
    "<!doctype html><title>The river</title><body><nav>Home About</nav><article><h1>The river</h1>"
    + "".join(f"<p>{number} {SENTENCE * 5}</p>" for number in range(390))
    + "</article><script>document.querySelector('nav').textContent = 'seen'</script>"
).encode()
WINDOW = 10
FIGURES = Path(__file__).parent / "figures" / "browser.json"


class _Handler(QuietHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(PAGE)))
        self.end_headers()
        self.wfile.write(PAGE)


@contextmanager
def served() -> Iterator[int]:
    with running(LoopbackServer(("127.0.0.1", 0), _Handler)) as server:
        yield server.server_port


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _render_cold(tools: Tools, options: RenderOptions, url: str) -> None:
    """In a browser that is started for this page."""
    with Renderer(tools, options) as renderer:
        renderer.render(url)


def compare(tools: Tools, options: RenderOptions, url: str, rounds: int) -> dict[str, Any]:
    warm, cold = [], []
    with Renderer(tools, options) as renderer:
        renderer.render(url)
        for number in range(rounds):
            print(f"round {number + 1}", file=sys.stderr)
            warm.append(seconds(partial(renderer.render, url)))
            cold.append(seconds(partial(_render_cold, tools, options, url)))
    return {
        "rounds": rounds,
        "warm_p50_s": round(statistics.median(warm), 2),
        "one_shot_p50_s": round(statistics.median(cold), 2),
        "times_faster": round(statistics.median(cold) / statistics.median(warm), 2),
    }


def tree_bytes() -> int:
    total = 0
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            total += process.memory_full_info().pss
    return total


def endurance(tools: Tools, options: RenderOptions, url: str, pages: int) -> dict[str, Any]:
    def weigh(number: int) -> int:
        renderer.render(url)
        weight = tree_bytes()
        print(f"page {number}: {weight // 1_000_000} MB", file=sys.stderr)
        return weight

    with Renderer(tools, options) as renderer, ThreadPoolExecutor(options.pages_at_once) as threads:
        weights = list(threads.map(weigh, range(1, pages + 1)))
    early, late = max(weights[50 - WINDOW : 50]), max(weights[-WINDOW:])
    return {
        "pages": pages,
        "after_50_mb": early // 1_000_000,
        "at_the_end_mb": late // 1_000_000,
        "peak_mb": max(weights) // 1_000_000,
        "times_after_50": round(late / early, 2),
    }


def left_over() -> dict[str, int]:
    folders = list(Path(tempfile.gettempdir()).glob(f"{PREFIX}*"))
    return {"processes": len(psutil.Process().children(recursive=True)), "folders": len(folders)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--pages", type=int, default=500)
    given = parser.parse_args()
    found = find_renderer(load_settings())
    if found.tools is None:
        raise SystemExit(found.reason)
    with (
        served() as port,
        Egress(allow=AllowList.parse([f"127.0.0.1:{port}"]), user_agent="bench") as egress,
        FilteringProxy(egress.dialer) as proxy,
    ):
        egress_proxy = Proxy(proxy.address, proxy.username, proxy.password)
        options, url = RenderOptions(proxy=egress_proxy, user_agent="bench"), f"http://127.0.0.1:{port}/"
        figures = {
            "engine": found.reason,
            "page_bytes": len(PAGE),
            "speed": compare(found.tools, options, url, given.rounds),
            "memory": endurance(found.tools, options, url, given.pages),
            "left_over": left_over(),
        }
    text = json.dumps(figures, indent=1)
    FIGURES.write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
