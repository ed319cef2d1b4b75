"""Pictures are kept by real worker processes that are really killed, with Celery too, and after the text."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from nexus.config import load_settings
from nexus.store import open_store
from tests.api.pictures import picture
from tests.egress.sites import Site
from tests.faults.blocked_response import BlockedResponse
from tests.faults.brokers import Redis
from tests.faults.test_celery import celery_worker
from tests.lifecycle_steps import LifecycleSteps
from tests.loopback_server import running
from tests.pipelines.pages import article_page, html
from tests.processes import WAIT_SECONDS, Nexus, eventually

SETTINGS = {
    "NEXUS_ENV": "test", "WORKER_LEASE_SECONDS": "120", "WORKER_POLL_SECONDS": "0.3", "WORKER_RENDER": "never",
    "WORKER_PICTURE_PAUSE_SECONDS": "0",
}  # fmt: skip
PAGE = article_page().replace(
    b"<p>Day 3.", b'<figure><img src="/photo.png" width="600" height="400"></figure><p>Day 3.'
)
PHOTO = picture(size=(600, 400))


@pytest.fixture
def photo() -> BlockedResponse:
    return BlockedResponse(PHOTO, "image/png")


@pytest.fixture
def site(photo: BlockedResponse) -> Iterator[Site]:
    with running(Site("127.0.0.1")) as made:
        made.routes |= {"/page": html(PAGE), "/photo.png": photo}
        yield made
        photo.released.set()


def is_kept(steps: LifecycleSteps) -> bool:
    return bool(steps.row("SELECT state FROM media_images") == ("kept",))


def kept_bytes(nexus: Nexus, steps: LifecycleSteps) -> bytes:
    settings = load_settings(database_url=nexus.environment["DATABASE_URL"], data_dir=nexus.data_dir)
    (sha256,) = steps.row("SELECT sha256 FROM media_images")
    return b"".join(open_store(settings, steps.database).read(sha256))


def test_text_is_readable_before_its_picture_is_fetched(
    nexus_on_copy: Nexus, steps: LifecycleSteps, site: Site, photo: BlockedResponse
) -> None:
    saved = steps.save(steps.user(), url=site.url("/page"))
    worker = nexus_on_copy.start("worker", **SETTINGS)
    assert photo.is_visited()
    assert steps.state(saved) == ("succeeded", "ready_for_reading"), "the picture was fetched before the text was there"
    photo.released.set()
    eventually(lambda: is_kept(steps), "it was not kept")
    assert kept_bytes(nexus_on_copy, steps) == PHOTO
    assert site.paths.count("/photo.png") == 1
    worker.terminate()
    assert worker.wait(WAIT_SECONDS) == 0


def test_worker_killed_between_the_blob_and_its_row_loses_nothing(
    nexus_on_copy: Nexus, steps: LifecycleSteps, site: Site, photo: BlockedResponse
) -> None:
    steps.save(steps.user(), url=site.url("/page"))
    killed = nexus_on_copy.start("worker", **SETTINGS)
    assert photo.is_visited()
    # The lock makes the worker's last transaction wait, and leaves the time to kill it.
    steps.connection.execute("SELECT FROM media_images FOR UPDATE")
    photo.released.set()
    eventually(lambda: len(blobs_of(nexus_on_copy, PHOTO)) == 1, "it was not stored")
    killed.kill()
    killed.wait()
    steps.connection.rollback()
    assert not is_kept(steps)
    nexus_on_copy.start("worker", **SETTINGS)
    steps.connection.execute("UPDATE media_images SET lease_until = now() - interval '1 s'")
    steps.connection.commit()
    eventually(lambda: is_kept(steps), "the picture of a killed worker was not fetched again")
    assert kept_bytes(nexus_on_copy, steps) == PHOTO
    assert len(blobs_of(nexus_on_copy, PHOTO)) == 1, "stored twice"
    assert steps.row("SELECT attempts FROM media_images") == (2,)


def blobs_of(nexus: Nexus, content: bytes) -> list[Path]:
    """With this content: the page that was read is stored as well."""
    stored = [path for path in (nexus.data_dir / "blobs").glob("*/*") if path.parent.name != "tmp"]
    return [path for path in stored if path.read_bytes() == content]


def test_worker_that_is_terminated_releases_the_picture(
    nexus_on_copy: Nexus, steps: LifecycleSteps, site: Site, photo: BlockedResponse
) -> None:
    steps.save(steps.user(), url=site.url("/page"))
    leaving = nexus_on_copy.start("worker", **SETTINGS)
    assert photo.is_visited()
    leaving.terminate()
    assert leaving.wait(WAIT_SECONDS) == 0, "it waits for the picture, which comes only after the test"
    assert steps.row("SELECT attempts, claimed_by, state FROM media_images") == (0, None, "pending")


def test_once_keeps_the_pictures_too(
    nexus_on_copy: Nexus, steps: LifecycleSteps, site: Site, photo: BlockedResponse
) -> None:
    photo.released.set()
    steps.save(steps.user(), url=site.url("/page"))
    done = nexus_on_copy("worker", "--once", **SETTINGS)
    assert done.returncode == 0, done.stderr
    assert is_kept(steps)
    assert steps.row("SELECT count(*) FROM workers") == (0,)


def test_with_celery_the_publisher_keeps_them(
    nexus_on_copy: Nexus, steps: LifecycleSteps, site: Site, photo: BlockedResponse, tmp_path: Path
) -> None:
    photo.released.set()
    with Redis(tmp_path / "redis") as broker, celery_worker(nexus_on_copy, broker):
        nexus_on_copy.start("worker", CELERY_BROKER_URL=broker.url, **SETTINGS)
        saved = steps.save(steps.user(), url=site.url("/page"))
        eventually(lambda: is_kept(steps), "no picture is kept with Celery")
        assert steps.state(saved) == ("succeeded", "ready_for_reading")
        assert kept_bytes(nexus_on_copy, steps) == PHOTO
