"""What originals and pictures cost, as JSON: python -m bench.store [--saves N] [--turns N] [--corpus FILE]

Real pages of a corpus (else pages of our own) and pages with ten pictures each on a site on loopback, saved by the real
worker into an embedded database and a store in a folder:

- `originals`: bytes in the store, and the time until the texts are readable with originals to the time without them, in
  turns, so that what else the machine does meanwhile meets both; then how fast they are moved into the store;
- `pictures`: the same for pictures, and the bytes of a list's thumbnails to those of the pictures themselves;
- `reread`: originals read again per second at the lowest priority, and what that does to saves meanwhile.
"""

import argparse
import io
import json
import os
import random
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Any
from uuid import UUID

import httpx2
import psycopg
import uvicorn
from PIL import Image

from bench.corpus import load_corpus
from nexus.app import create_app
from nexus.config import Settings, load_settings
from nexus.db.migrate import upgrade
from nexus.db.session import Database
from nexus.errors import NexusError
from nexus.logging import configure_logging
from nexus.pipelines.reread import Rereader, RereadSelection
from nexus.pipelines.resources import Resources
from nexus.store import open_store
from nexus.text.originals.original_file import OriginalFacts, keep_original
from nexus.text.process_pool import ProcessPool
from nexus.text.readings.extractor_version import EXTRACTOR
from nexus.text.readings.process_page import process_page
from nexus.worker import Worker
from nexus.worker.background_tasks import open_background

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))
from tests.egress.sites import Site, SiteHandler
from tests.loopback_server import running
from tests.pipelines.pages import SENTENCE, article_page
from tests.processes import plain_url

FIGURES = Path(__file__).parent / "figures" / "store.json"
USER = UUID(int=7)
Options = dict[str, Any]
PICTURES_PER_PAGE = 10
THOUSAND = 1000
MAX_PAGE = 2_000_000
SAMPLE = 100
ADD = """
    WITH new_media AS (INSERT INTO media (kind) SELECT 'web_article' FROM generate_series(1, %(pages)s) RETURNING id),
    numbered AS (SELECT id, row_number() OVER () - 1 AS number FROM new_media),
    entries AS (INSERT INTO library_media (library_id, media_id) SELECT %(library)s, id FROM new_media)
    INSERT INTO items (user_id, media_id, status, source_type, requested_url)
    SELECT %(user)s, id, 'queued', 'url', %(site)s || '?' || %(run)s || '-' || number FROM numbered
"""


class Bench:
    def __init__(self, settings: Settings, database: Database, db: psycopg.Connection, library: UUID) -> None:
        self.settings, self.database, self.db, self.library = settings, database, db, library
        self.runs = 0

    def save(self, url: str, pages: int, *, with_background: bool = False, **changed: Any) -> float:
        """Seconds from pages in the queue to texts that can be read, by a worker with warm text processes."""
        settings = self.settings.model_copy(update=changed)
        with ExitStack() as stack:
            resources = stack.enter_context(Resources(settings))
            background = stack.enter_context(open_background(settings, self.database)) if with_background else None
            worker = Worker(settings, self.database, resources.ingest, background=background)
            running = threading.Thread(target=worker.run)
            running.start()
            try:
                self._queue_and_wait(url, 2)
                return self._queue_and_wait(url, pages)
            finally:
                worker.stop()
                running.join()

    def _queue_and_wait(self, url: str, pages: int) -> float:
        self.runs += 1
        where = {"user": USER, "library": self.library, "site": url}
        self.db.execute(ADD, where | {"run": f"run{self.runs}", "pages": pages})
        started = time.perf_counter()
        while self.one("SELECT count(*) FROM items WHERE status IN ('queued', 'processing')"):
            time.sleep(0.02)
        return time.perf_counter() - started

    def drain_background(self, **changed: Any) -> float:
        with open_background(self.settings.model_copy(update=changed), self.database) as background:
            started = time.perf_counter()
            background.drain(lambda: False)
            return time.perf_counter() - started

    def one(self, query: str) -> Any:
        row = self.db.execute(query).fetchone()
        assert row is not None
        return row[0] if len(row) == 1 else row


def compare(bench: Bench, url: str, saves: int, turns: int, without: Options, with_: Options) -> dict[str, float]:
    """The time of saves with what is measured to that without it, in turns."""
    each = saves // turns
    pairs = []
    for turn in range(turns):
        # Not always the same one first: a machine that gets busier must not decide.
        order = (without, with_) if turn % 2 == 0 else (with_, without)
        took = [bench.save(url, each, **options) for options in order]
        pairs.append((took[0], took[1]) if turn % 2 == 0 else (took[1], took[0]))
    return {
        "saves_per_second_without": round(median(each / first for first, _ in pairs), 1),
        "saves_per_second_with": round(median(each / second for _, second in pairs), 1),
        "times_the_time_without": round(median(second / first for first, second in pairs), 3),
    }


def packing(corpus: list[bytes]) -> float:
    """Processor time of packing pages to that of reading them: what a text process has to do more."""
    about: Options = {"content_type": "text/html; charset=utf-8", "url": "https://example.org/", "status": 200}
    pages = [page for page in corpus if _can_be_read(page, about)]
    spent = {}
    for name, call in (
        ("reading", lambda page: process_page(page, **about)),
        ("packing", lambda page: keep_original(page, OriginalFacts("fetched", **about), MAX_PAGE)),
    ):
        started = time.process_time()
        for page in pages:
            call(page)
        spent[name] = time.process_time() - started
    return round(spent["packing"] / spent["reading"], 4)


def _can_be_read(page: bytes, about: Options) -> bool:
    try:
        return process_page(page, **about).verdict.outcome == "ok"
    except NexusError:
        return False


def originals(bench: Bench, url: str, saves: int, turns: int) -> dict[str, Any]:
    figures: dict[str, Any] = {"saves": saves}
    figures |= compare(bench, url, saves, turns, {"original_max_bytes": 0}, {})
    waiting, size = bench.one("SELECT count(*), sum(size) FROM originals WHERE content IS NOT NULL")
    seconds = bench.drain_background(pictures_per_media=0)
    left = bench.one("SELECT count(*) FROM originals WHERE content IS NOT NULL")
    assert left == 0, left
    return figures | {
        "bytes_per_1000_saves": round(int(size) / waiting * THOUSAND),
        "moved_into_the_store_per_second": round(waiting / seconds, 1),
    }


def pictures(bench: Bench, client: httpx2.Client, url: str, saves: int, turns: int) -> dict[str, Any]:
    bench.db.execute("DELETE FROM media_images")  # of real pages, whose sites are not asked
    figures: dict[str, Any] = {"saves": saves, "pictures_per_page": PICTURES_PER_PAGE}
    figures |= compare(bench, url, saves, turns, {}, {"with_background": True})
    seconds = bench.drain_background()
    kept, size = bench.one("SELECT count(*), sum(size) FROM media_images WHERE state = 'kept'")
    count = bench.one("SELECT count(DISTINCT media_id) FROM media_images WHERE state = 'kept'")
    return figures | {
        "bytes_per_1000_saves": round(int(size) / count * THOUSAND),
        "kept_per_second": round(kept / seconds, 1),
        "list": thumbnails(client),
    }


def thumbnails(client: httpx2.Client) -> dict[str, int]:
    """Mean bytes of what a list loads for an entry, in each width, and of the picture itself."""
    entries = [each for each in client.get("/api/library?limit=50").json()["entries"] if each["lead_image"]][:20]
    sizes: dict[str, list[int]] = {"whole": []}
    for entry in entries:
        sizes["whole"].append(len(client.get(entry["lead_image"]).raise_for_status().content))
        for width in ("160", "320", "640"):
            response = client.get(f"{entry['lead_image']}&w={width}").raise_for_status()
            sizes.setdefault(width, []).append(len(response.content))
    return {f"bytes_{name}": round(sum(found) / len(found)) for name, found in sizes.items() if found}


def reread(bench: Bench, url: str, saves: int, turns: int) -> dict[str, Any]:
    at_once = max(1, len(os.sched_getaffinity(0)) // 2)
    stopping = threading.Event()
    with ProcessPool(workers=at_once, niceness=19) as pool:
        store = open_store(bench.settings, bench.database)
        rereader = Rereader(bench.database, store, pool, min_chars=600, dry_run=True)

        def read_all(limit: int) -> tuple[int, float]:
            bench.db.execute("UPDATE originals SET read_with = 0 WHERE missing IS NULL")
            started, done = time.perf_counter(), 0
            stops = lambda: done >= limit or stopping.is_set()  # noqa: E731
            for _ in rereader.run(RereadSelection(EXTRACTOR), at_once=at_once, is_stopping=stops):
                done += 1
            return done, time.perf_counter() - started

        read_all(2)
        count, seconds = read_all(saves)
        pairs = []
        for _ in range(turns):
            alone = bench.save(url, saves // turns)
            beside = threading.Thread(target=read_all, args=(10**9,))
            beside.start()
            pairs.append((bench.save(url, saves // turns), alone))
            stopping.set()
            beside.join()
            stopping.clear()
    return {
        "processes": at_once,
        "pages_per_second": round(count / seconds, 1),
        "time_of_saves_beside_it_to_alone": round(median(beside / alone for beside, alone in pairs), 3),
    }


class Pages:
    """The pages of the corpus or our own, and pages with pictures."""

    def __init__(self, corpus: list[bytes]) -> None:
        self._corpus = corpus
        self._numbers = threading.Lock()
        self._next = 0

    def page(self, handler: SiteHandler) -> None:
        with self._numbers:
            body = self._corpus[self._next % len(self._corpus)]
            self._next += 1
        handler.respond(200, body, Content_Type="text/html; charset=utf-8")

    def with_pictures(self, handler: SiteHandler) -> None:
        run = handler.path.partition("?")[2]
        shown = "".join(
            f'<p>{SENTENCE * 3}</p><figure><img src="/picture.jpg?{run}-{number}" width=1200 height=800></figure>'
            for number in range(PICTURES_PER_PAGE)
        )
        head = f'<title>Page {run}</title><meta property="og:image" content="/picture.jpg?{run}-0">'
        body = f"<!doctype html><html lang=en><head>{head}</head><body><article><h1>Page</h1>{shown}</article>"
        handler.respond(200, body.encode(), Content_Type="text/html; charset=utf-8")

    def picture(self, handler: SiteHandler) -> None:
        """A picture that differs for each number, of a usual size: about 200 kB."""
        chance = random.Random(handler.path)
        small = Image.frombytes("RGB", (150, 100), chance.randbytes(150 * 100 * 3))
        written = io.BytesIO()
        small.resize((1200, 800), Image.Resampling.BICUBIC).save(written, "JPEG", quality=80)
        handler.respond(200, written.getvalue(), Content_Type="image/jpeg")


@contextmanager
def running_site(corpus: list[bytes]) -> Iterator[Site]:
    pages = Pages(corpus)
    with running(Site("127.0.0.1")) as site:
        site.routes |= {"/page": pages.page, "/pictures": pages.with_pictures, "/picture.jpg": pages.picture}
        yield site


@contextmanager
def serving(settings: Settings, database: Database) -> Iterator[httpx2.Client]:
    server = uvicorn.Server(uvicorn.Config(create_app(settings, database), port=0, log_config=None, lifespan="off"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        thread.join(0.01)
    url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    with httpx2.Client(base_url=url, headers={"X-User-Id": str(USER)}, timeout=60) as client:
        yield client
    server.should_exit = True
    thread.join()


def measure(folder: Path, corpus: list[bytes], saves: int, turns: int) -> dict[str, Any]:
    settings = load_settings(
        data_dir=folder, env="test", worker_render="never", egress_per_host=16, worker_picture_pause_seconds=0,
        worker_min_chars=0,
    )  # fmt: skip
    with running_site(corpus) as site, Database(settings) as database:
        upgrade(database.engine)
        dsn = plain_url(database.url)
        with psycopg.connect(dsn, autocommit=True) as db, serving(settings, database) as client:
            library = UUID(client.get("/api/me").json()["default_library_id"])
            bench = Bench(settings, database, db, library)
            figures: dict[str, Any] = {"pages": len(corpus), "mean_page_bytes": sum(map(len, corpus)) // len(corpus)}
            figures["originals"] = originals(bench, site.url("/page"), saves, turns)
            figures["originals"]["processor_time_of_packing_to_reading"] = packing(corpus[:SAMPLE])
            figures["reread"] = reread(bench, site.url("/page"), saves, turns)
            figures["pictures"] = pictures(bench, client, site.url("/pictures"), saves, turns)
    return figures | {"cores": os.cpu_count(), "load average": [round(load, 1) for load in os.getloadavg()]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--saves", type=int, default=1000)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--corpus", type=Path, nargs="*", default=[], help="JSON lines with the HTML of real pages.")
    given = parser.parse_args()
    configure_logging("ERROR", "text")
    pages = [sample.html.encode() for sample in load_corpus(*given.corpus)]
    corpus = [page for page in pages if len(page) <= MAX_PAGE] or [article_page(paragraphs=200)]
    random.Random(0).shuffle(corpus)
    with tempfile.TemporaryDirectory(prefix="nexus-bench-") as folder:
        Path(folder).chmod(0o711)  # as root, the database's account must get through
        figures = measure(Path(folder) / "data", corpus[: given.saves], given.saves, given.turns)
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n")
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
