"""How long a user's saves and pictures take while somebody else's slow sites keep the server busy, as JSON.

    python -m bench.shares [--saves N]

A real server with its worker, and sites on loopback. `idle` is measured just before `busy`, on the same server: the
ratio counts, not the milliseconds. A save takes from its POST until it can be read (looked for every 5 ms).
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx2

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))
from tests.api.pictures import picture
from tests.egress.sites import Site, SiteHandler
from tests.loopback_server import running
from tests.pipelines.pages import SENTENCE, article_page, html
from tests.processes import TRUSTS_NOBODY, eventually

FIGURES = Path(__file__).parent / "figures" / "shares.json"
DRIPPING_LINKS, LOOPING_PAGES, SLOW_PICTURES = 64, 32, 40
# What the defaults let one host have: NEXUS_EGRESS_PER_HOST, and half of the pictures.
HOST_SHARE = 4
SLOW_SECONDS = 300  # no handler is held longer, whatever happens
SAVE_SECONDS = 120
STOP_SECONDS = 60
POLL_SECONDS = 0.005
QUICK, SLOW = ({"X-User-Id": str(UUID(int=number))} for number in (1, 2))
UNREAD = {"queued", "processing"}

SHELL = "<!doctype html><title>App</title><body><div id=root></div>"
NEEDS_BROWSER = f"""{SHELL}<script>
document.getElementById('root').innerHTML = '<article><h1>The ferry</h1>' + '<p>{SENTENCE}</p>'.repeat(12)
</script>"""
LOOPS = f"{SHELL}<script src=/loop.js></script>"

numbers = count()


class SlowSite:
    """A host that sends a byte a second, pages whose script never ends, and pictures that do not come."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.released = threading.Event()
        site.routes |= {
            "/drip": self._drip,
            "/picture": self._hold_picture,
            "/loop": html(LOOPS.encode()),
            "/loop.js": lambda handler: handler.respond(200, b"for (;;);", Content_Type="text/javascript"),
        }

    def asked(self, path: str) -> int:
        return sum(seen.partition("?")[0] == path for seen in list(self.site.paths))

    def _drip(self, handler: SiteHandler) -> None:
        handler.close_connection = True
        handler.send_response(200)
        handler.send_header("Content-Type", "text/html")
        handler.end_headers()
        for _ in range(SLOW_SECONDS):
            handler.wfile.write(b" ")
            if self.released.wait(1):
                handler.wfile.write(article_page())
                return

    def _hold_picture(self, handler: SiteHandler) -> None:
        self.released.wait(SLOW_SECONDS)
        handler.respond(200, picture(), Content_Type="image/png")


@contextmanager
def slow_site() -> Iterator[SlowSite]:
    with running(Site("127.0.0.2")) as site:
        slow = SlowSite(site)
        try:
            yield slow
        finally:
            slow.released.set()


@contextmanager
def running_server(folder: Path) -> Iterator[httpx2.Client]:
    environment = {"PATH": os.environ["PATH"], "NEXUS_DATA_DIR": str(folder), "NEXUS_LOG_LEVEL": "ERROR"}
    environment |= {"WORKER_LOG_LEVEL": "ERROR", "NEXUS_EGRESS_ALLOW": "127.0.0.0/8"}
    command = [sys.executable, "-P", "-m", "nexus.cli", "serve", "--port", "0"]
    server = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        url = server.stdout.readline().split()[-1]
        limits = httpx2.Limits(max_connections=SLOW_PICTURES + 1)
        with httpx2.Client(base_url=url, timeout=SAVE_SECONDS, limits=limits, verify=TRUSTS_NOBODY) as client:
            yield client
    finally:
        server.terminate()
        try:
            server.communicate(timeout=STOP_SECONDS)
        except subprocess.TimeoutExpired:
            server.kill()
            server.communicate()


def post(client: httpx2.Client, url: str, user: dict[str, str]) -> str:
    response = client.post("/items", json={"url": url}, headers=user)
    response.raise_for_status()
    saved: str = response.json()["id"]
    return saved


def status_of(client: httpx2.Client, saved: str, user: dict[str, str]) -> str:
    response = client.get(f"/items/{saved}", headers=user)
    response.raise_for_status()
    status: str = response.json()["status"]
    return status


def count_unread(client: httpx2.Client) -> int:
    """The number of slow links that are not read yet."""
    response = client.get("/items", params={"limit": 100}, headers=SLOW)
    response.raise_for_status()
    return sum(item["status"] in UNREAD for item in response.json()["items"])


def save(client: httpx2.Client, url: str, user: dict[str, str] = QUICK) -> float:
    """Saves a link. Returns the milliseconds until it can be read."""
    started = time.perf_counter()
    saved = post(client, f"{url}?{next(numbers)}", user)
    while (status := status_of(client, saved, user)) != "succeeded":
        if status not in UNREAD or time.perf_counter() - started > SAVE_SECONDS:
            raise RuntimeError(f"{url} is {status} after {time.perf_counter() - started:.1f} s")
        time.sleep(POLL_SECONDS)
    return (time.perf_counter() - started) * 1000


def get_picture(client: httpx2.Client, url: str, user: dict[str, str]) -> httpx2.Response:
    return client.get("/media/image", params={"url": url}, headers=user)


def show_pictures(client: httpx2.Client, site: Site, urls: list[str], user: dict[str, str]) -> None:
    """Shows the pictures in an article of the user: nobody gets other pictures."""
    images = "".join(f'<p>{SENTENCE}<img src="{url}" alt="A ferry"></p>' for url in urls)
    path = f"/gallery-{next(numbers)}"
    site.routes[path] = html(article_page().replace(b"</article>", f"{images}</article>".encode()))
    save(client, site.url(path), user)


def times(measure: Callable[[], float], rounds: int) -> list[float]:
    measure()  # what starts with the first one has started
    return [measure() for _ in range(rounds)]


def compared(idle: list[float], busy: list[float]) -> dict[str, float]:
    before, then = statistics.median(idle), statistics.median(busy)
    return {
        "idle_ms": round(before, 1), "busy_ms": round(then, 1), "times_idle": round(then / before, 2),
        "slowest_idle_ms": round(max(idle), 1), "slowest_busy_ms": round(max(busy), 1),
    }  # fmt: skip


def beside_slow_links(
    client: httpx2.Client, pages: dict[str, str], rounds: int, slow: list[str], is_busy: Callable[[], bool]
) -> dict[str, Any]:
    idle = {name: times(lambda url=url: save(client, url), rounds) for name, url in pages.items()}  # type: ignore[misc]
    for link in slow:
        post(client, link, SLOW)
    eventually(is_busy, "the slow links are not fetched")
    busy = {name: times(lambda url=url: save(client, url), rounds) for name, url in pages.items()}  # type: ignore[misc]
    unread = count_unread(client)
    return {"slow_links": len(slow), "of_them_unread_at_the_end": unread} | {
        name: compared(idle[name], busy[name]) for name in pages
    }


def beside_slow_pictures(client: httpx2.Client, site: Site, slow: SlowSite, rounds: int) -> dict[str, Any]:
    site.routes["/quick"] = lambda handler: handler.respond(200, picture(), Content_Type="image/png")
    quick = [site.url(f"/quick?{number}") for number in range(2 * rounds + 2)]
    held = [slow.site.url(f"/picture?{number}") for number in range(SLOW_PICTURES)]
    show_pictures(client, site, quick, QUICK)
    show_pictures(client, site, held, SLOW)
    waiting_urls = iter(quick)

    def one() -> float:
        started = time.perf_counter()
        get_picture(client, next(waiting_urls), QUICK).raise_for_status()
        return (time.perf_counter() - started) * 1000

    idle = times(one, rounds)
    with ThreadPoolExecutor(SLOW_PICTURES) as clients:
        requests = [clients.submit(get_picture, client, url, SLOW) for url in held]
        try:
            eventually(lambda: slow.asked("/picture") >= HOST_SHARE, "the slow pictures are not fetched")
            busy = times(one, rounds)
            waiting = sum(not one.done() for one in requests)
        finally:
            slow.released.set()
        statuses = {one.result().status_code for one in requests}
    if not statuses <= {200, 504}:
        raise RuntimeError(f"the responses to slow pictures have the statuses {statuses}")
    return {"slow_pictures": len(held), "of_them_waiting_at_the_end": waiting, "picture": compared(idle, busy)}


def measure(folder: Path, rounds: int) -> dict[str, Any]:
    figures: dict[str, Any] = {"saves_each": rounds, "load_average_before": load_average()}
    with running(Site("127.0.0.1")) as site, running_server(folder) as client:
        site.routes |= {"/page": html(article_page()), "/app": html(NEEDS_BROWSER.encode())}
        plain = {"plain_page": site.url("/page")}
        both = plain | {"page_in_browser": site.url("/app")}
        with slow_site() as slow:
            links = [slow.site.url(f"/drip?{number}") for number in range(DRIPPING_LINKS)]
            figures["dripping_host"] = beside_slow_links(
                client, plain, rounds, links, lambda: slow.asked("/drip") >= HOST_SHARE
            )
            slow.released.set()
            eventually(lambda: not count_unread(client), "the links are not read when they come", SAVE_SECONDS)
        with slow_site() as slow:
            figures["slow_pictures"] = beside_slow_pictures(client, site, slow, rounds)
        # Last: a loop ends only at its time limit, or with the server.
        with slow_site() as slow:
            links = [slow.site.url(f"/loop?{number}") for number in range(LOOPING_PAGES)]
            figures["looping_pages"] = beside_slow_links(
                client, both, rounds, links, lambda: slow.asked("/loop.js") >= 1
            )
    return figures | {"load_average_after": load_average()}


def load_average() -> list[float]:
    return [round(load, 1) for load in os.getloadavg()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--saves", type=int, default=21)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="nexus-bench-") as folder:
        Path(folder).chmod(0o711)  # as root, the database's account must get through
        figures = json.dumps(measure(Path(folder) / "data", arguments.saves), indent=1)
    FIGURES.write_text(figures + "\n")
    print(figures)


if __name__ == "__main__":
    main()
