"""The drill of the store: pages with pictures are saved while worker, server, database and store are killed. At the end
every picture and original that the library names is in the store, whole, and is served, with its site gone."""

import hashlib
import io
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import psycopg
from PIL import Image

from tests.egress.sites import Route, Site
from tests.faults.brokers import Redis
from tests.faults.drill import SETTINGS, Drill, Report
from tests.loopback_server import running
from tests.pipelines.pages import article_page, html
from tests.processes import TRUSTS_NOBODY, Nexus, eventually, run_nexus
from tests.store.killable_stores import KillableStore, killable_store

PICTURES = """
    SELECT l.owner_user_id::text, i.url, i.sha256, i.state
    FROM media_images i JOIN library_media lm USING (media_id) JOIN libraries l ON l.id = lm.library_id
"""
ORIGINALS = """
    SELECT l.owner_user_id::text, o.media_id::text, o.sha256
    FROM originals o JOIN library_media lm USING (media_id) JOIN libraries l ON l.id = lm.library_id
"""
SHARED_PICTURES = 2  # of each page, the same on all


@dataclass
class StoreReport:
    saves: Report
    check: dict[str, Any]
    pictures: int = 0
    originals: int = 0
    not_kept: int = 0
    not_served: int = 0


def picture(number: int) -> bytes:
    """A picture that differs for each number, and is large enough to count as one."""
    written = io.BytesIO()
    seed = hashlib.sha256(str(number).encode()).digest()
    Image.frombytes("RGB", (320, 240), (seed * 7200)[: 320 * 240 * 3]).save(written, "PNG")
    return written.getvalue()


def page(number: int, pictures: int) -> bytes:
    """An article of the tests, with pictures between its paragraphs."""
    shown = [number * 100 + each if each >= SHARED_PICTURES else each for each in range(pictures)]
    figures = iter(f"</p><figure><img src='/picture/{each}.png' alt='Picture {each}'></figure>" for each in shown)
    parts = article_page(f"Story {number}", paragraphs=max(12, pictures)).decode().split("</p>")
    return "".join(part + next(figures, "</p>") for part in parts).encode()


class Pages(dict[str, Route]):
    """Pages and pictures that are made when they are requested: 2 000 pictures need not be in memory."""

    def __init__(self, pictures: int) -> None:
        super().__init__()
        self._pictures = pictures

    def __missing__(self, path: str) -> Route:
        kind, name = path.strip("/").split("/")
        if kind == "page":
            return html(page(int(name), self._pictures))
        content = picture(int(name.removesuffix(".png")))
        return lambda handler: handler.respond(200, content, Content_Type="image/png")


class StoreDrill(Drill):
    def __init__(self, nexus: Nexus, site: Site, store: KillableStore, *, seed: int) -> None:
        super().__init__(nexus, site, seed=seed)
        self._store = store

    def _body(self, number: int) -> dict[str, Any]:
        return {"url": self._site.url(f"/page/{number}")}

    def _kill_one(self, broker: Redis | None) -> None:
        if not self._targets:
            self._targets = ["worker", "worker", "server", "postgres", "store", "store", "store"]
            self._random.shuffle(self._targets)
        if self._targets[-1] == "store":
            self._targets.pop()
            self.report.kills["store"] += 1
            self._store.go_away(self._random.uniform(0.2, 2.0))
        else:
            super()._kill_one(broker)

    def settle_the_rest(self, seconds: float) -> None:
        eventually(self._nothing_waits, "pictures or originals are still waiting", seconds=seconds)

    def _nothing_waits(self) -> bool:
        try:
            ((pictures,),) = self._rows("SELECT count(*) FROM media_images WHERE state = 'pending'")
            ((originals,),) = self._rows("SELECT count(*) FROM originals WHERE content IS NOT NULL")
        except psycopg.OperationalError:
            return False
        return bool(pictures == originals == 0)

    def prove(self) -> StoreReport:
        """Without the site and without a cache, everything comes from the store."""
        self._site.shutdown()
        self._site.server_close()
        shutil.rmtree(self._nexus.data_dir / "images", ignore_errors=True)
        checked = self._nexus("store", "check", "--json")
        report = StoreReport(self.report, json.loads(checked.stdout))
        with httpx2.Client(base_url=self._server.url, verify=TRUSTS_NOBODY, timeout=60) as http:
            for user, url, sha256, state in self._rows(PICTURES):
                report.pictures += 1
                report.not_kept += state != "kept"
                response = http.get("/media/image", params={"url": url}, headers={"X-User-Id": user})
                report.not_served += response.status_code != 200 or hashlib.sha256(response.content).digest() != sha256
            for user, media_id, sha256 in self._rows(ORIGINALS):
                report.originals += 1
                report.not_kept += sha256 is None
                response = http.get(f"/media/{media_id}/original", headers={"X-User-Id": user})
                report.not_served += response.status_code != 200 or b"Story " not in response.content
        return report


@contextmanager
def drill_site(pictures: int) -> Iterator[Site]:
    with running(Site("127.0.0.1")) as site:
        site.routes = Pages(pictures)
        yield site


def drill_store(
    folder: Path, kind: str, *, seed: int, saves: int, pictures: int, seconds: float, max_kills: int | None = None
) -> StoreReport:
    data_dir = folder / "data"
    data_dir.mkdir(mode=0o711)
    with killable_store(kind, data_dir) as store, drill_site(pictures) as site:
        environment = SETTINGS | store.environment | {"WORKER_PICTURE_PAUSE_SECONDS": "0"}
        with run_nexus(data_dir, **environment) as nexus:
            drill = StoreDrill(nexus, site, store, seed=seed)
            drill.run(saves=saves, seconds=seconds, max_kills=max_kills)
            drill.settle_the_rest(seconds=900)
            return drill.prove()
