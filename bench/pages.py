"""Whole pages per second, from a save in the queue to an article in the library, beside the bare work, as JSON.

    python -m bench.pages [--pages N]

The same pages of a site on loopback, on one core and on two: `bare` fetches and reads them in the same text processes
and stores nothing; `worker` is the real worker. The ratio says what the queue, the leases and the database cost.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import Any
from uuid import uuid4

import psycopg

from nexus.config import Settings, load_settings
from nexus.db.migrate import upgrade
from nexus.db.session import Database
from nexus.logging import configure_logging
from nexus.pipelines.resources import Resources
from nexus.text.process_pool import ProcessPool
from nexus.text.read_page import read_page
from nexus.web.egress.from_settings import egress_from
from nexus.web.fetch_html import fetch_html
from nexus.worker import Worker

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))
from tests.egress.sites import Site
from tests.loopback_server import running
from tests.pipelines.pages import article_page, html
from tests.processes import plain_url

TURNS = 10
ADD = """
    WITH new_media AS (INSERT INTO media (kind) SELECT 'web_article' FROM generate_series(1, %(pages)s)
                       RETURNING id),
    numbered AS (SELECT id, row_number() OVER () AS number FROM new_media)
    INSERT INTO items (user_id, media_id, status, source_type, requested_url)
    SELECT %(user)s, id, 'queued', 'url', %(site)s || 'page?' || %(run)s || '-' || number FROM numbered
"""


def bare(settings: Settings, site: Site, pages: int) -> float:
    with egress_from(settings) as egress, ProcessPool(workers=len(os.sched_getaffinity(0))) as pool:

        def one(number: int) -> None:
            page = fetch_html(egress, site.url(f"/page?{number}"))
            pool.run(read_page, page.body, content_type=page.content_type, url=page.final_url, status=page.status)

        with ThreadPoolExecutor(settings.worker_concurrency) as claims:
            list(claims.map(one, range(4)))  # the text processes start
            started = time.perf_counter()
            list(claims.map(one, range(pages)))
            return pages / (time.perf_counter() - started)


def worker(settings: Settings, database: Database, site: Site, pages: int, run: str) -> float:
    dsn = plain_url(database.url)
    with Resources(settings) as resources, psycopg.connect(dsn, autocommit=True) as db:
        user = uuid4()
        db.execute("INSERT INTO users (id) VALUES (%s)", [user])
        add = {"user": user, "site": site.url("/"), "run": run}
        db.execute(ADD, add | {"pages": 4, "run": f"{run}-warm"})
        Worker(settings, database, resources.ingest).run(drain=True)
        db.execute(ADD, add | {"pages": pages})
        started = time.perf_counter()
        Worker(settings, database, resources.ingest).run(drain=True)
        elapsed = time.perf_counter() - started
        done = db.execute("SELECT count(*) FROM items WHERE status = 'succeeded'").fetchone()
        assert done is not None
        assert done[0] >= pages, done
    return pages / elapsed


def measure(folder: Path, pages: int) -> list[dict[str, Any]]:
    settings = load_settings(data_dir=folder, env="test", worker_render="never", egress_per_host=16)
    cores = sorted(os.sched_getaffinity(0))
    rows = []
    with running(Site("127.0.0.1")) as site, Database(settings) as database:
        site.routes["/page"] = html(article_page(paragraphs=200))
        upgrade(database.engine)
        for count in range(1, min(2, len(cores)) + 1):
            os.sched_setaffinity(0, cores[:count])
            # In turns: what else the machine does meanwhile meets both.
            alone, whole = [], []
            for turn in range(TURNS):
                alone.append(bare(settings, site, pages // TURNS))
                whole.append(worker(settings, database, site, pages // TURNS, f"on-{count}-{turn}"))
            rows.append(
                {"cores": count, "bare_pages_per_second": round(median(alone), 1),
                 "worker_pages_per_second": round(median(whole), 1),
                 "times_the_bare_work": round(median(a / w for a, w in zip(alone, whole, strict=True)), 2)}
            )  # fmt: skip
        os.sched_setaffinity(0, cores)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1000)
    arguments = parser.parse_args()
    configure_logging("WARNING", "text")
    with tempfile.TemporaryDirectory(prefix="nexus-bench-") as folder:
        Path(folder).chmod(0o711)  # as root, the database's account must get through
        print(json.dumps(measure(Path(folder) / "data", arguments.pages), indent=1))


if __name__ == "__main__":
    main()
