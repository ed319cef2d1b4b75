"""A page is saved, then its site ends: the article and its pictures are still shown, and it can be read again."""

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote
from uuid import UUID

import httpx2
import pytest

from nexus.config import Settings
from nexus.db.embedded import EmbeddedServer
from nexus.pipelines.resources import Resources
from nexus.worker import Worker
from nexus.worker.background_tasks import open_background
from tests.api.pictures import picture
from tests.api.saving import ALICE, as_user, save
from tests.conftest import running_app, settings_for
from tests.egress.sites import Site
from tests.lifecycle_steps import LifecycleSteps
from tests.loopback_server import running
from tests.pipelines.pages import SENTENCE, html
from tests.processes import TRUSTS_NOBODY, run_nexus

PICTURE = picture(size=(40, 30))
PAGE = f"""<!doctype html><html lang=en><head><title>The ferry</title></head><body><article><h1>The ferry</h1>
<p>{SENTENCE * 5}</p><figure><img src="/ferry.png" width=400 height=300 alt="The ferry"><figcaption>At noon
</figcaption></figure><p>{SENTENCE * 5}</p></article></body></html>""".encode()


@pytest.fixture
def settings(postgres: EmbeddedServer, database_name: str, tmp_path: Path) -> Settings:
    return settings_for(
        postgres, database_name, env="test", data_dir=tmp_path, worker_render="never", worker_picture_pause_seconds=0
    )


@pytest.fixture
def server(settings: Settings, steps: LifecycleSteps) -> Iterator[httpx2.Client]:
    with (
        running_app(settings, steps.database) as url,
        httpx2.Client(base_url=url, timeout=60, verify=TRUSTS_NOBODY, headers=as_user(ALICE)) as client,
    ):
        yield client


def work(settings: Settings, steps: LifecycleSteps) -> None:
    """Reads all that is due, and then does the background work."""
    with Resources(settings) as resources, open_background(settings, steps.database) as background:
        Worker(settings, steps.database, resources.ingest, background=background).run(drain=True)


@pytest.fixture
def media(settings: Settings, server: httpx2.Client, steps: LifecycleSteps) -> UUID:
    """A saved media whose site has ended since."""
    with running(Site("127.0.0.1")) as site:
        site.routes["/story"] = html(PAGE)
        site.routes["/ferry.png"] = lambda handler: handler.respond(200, PICTURE, Content_Type="image/png")
        item = save(server, url=site.url("/story"))
        work(settings, steps)
    return steps.media_of(item)


def test_article_picture_and_original_stay(server: httpx2.Client, media: UUID) -> None:
    (fragment,) = server.get(f"/media/{media}/fragments").json()["data"]
    assert SENTENCE.strip() in fragment["canonical_text"]
    source = fragment["html_sanitized"].partition('src="')[2].partition('"')[0].replace("&amp;", "&")
    assert quote("/ferry.png", safe="") in source
    assert server.get(source).content == PICTURE
    assert server.get(f"{source}&w=160").is_success
    assert server.get(f"/media/{media}/original").content == PAGE


def test_it_can_be_downloaded_as_a_book_with_its_picture(server: httpx2.Client, media: UUID) -> None:
    response = server.get(f"/media/{media}/download", params={"format": "epub"})
    assert response.status_code == 200, response.text
    with zipfile.ZipFile(io.BytesIO(response.content)) as book:
        files = {name: book.read(name) for name in book.namelist()}
    assert PICTURE in files.values()
    assert any(SENTENCE.strip().encode() in content for content in files.values())


def test_it_can_be_read_again(
    settings: Settings, server: httpx2.Client, media: UUID, steps: LifecycleSteps, tmp_path: Path
) -> None:
    steps.connection.execute("UPDATE originals SET read_with = 0")
    steps.connection.commit()
    with run_nexus(tmp_path, DATABASE_URL=settings.database_url or "") as nexus:
        done = nexus.invoke("reread", "--all", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["counts"]["same"] == 1
    assert server.get(f"/media/{media}").json()["data"]["version"] == 1
