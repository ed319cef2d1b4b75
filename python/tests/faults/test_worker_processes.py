"""Real worker processes, really killed, frozen and told to leave, with pages from a real site."""

import signal
import threading
import time
from collections.abc import Iterator
from uuid import UUID

import psycopg
import pytest

from nexus.config import load_settings
from nexus.db.session import Database
from tests.egress.sites import Site, SiteHandler, running
from tests.lifecycle_steps import LifecycleSteps
from tests.pipelines.pages import article_page, html
from tests.processes import Nexus, eventually

QUICK = {"NEXUS_ENV": "test", "WORKER_LEASE_SECONDS": "2", "WORKER_POLL_SECONDS": "0.3"}


class Gate:
    """A page that waits until it may answer, and tells that somebody came."""

    def __init__(self) -> None:
        self.visits = threading.Semaphore(0)
        self.open = threading.Event()

    def __call__(self, handler: SiteHandler) -> None:
        self.visits.release()
        self.open.wait(60)
        handler.respond(200, article_page(), Content_Type="text/html")

    def somebody_came(self) -> bool:
        return self.visits.acquire(timeout=60)


@pytest.fixture
def gate() -> Gate:
    return Gate()


@pytest.fixture
def site(gate: Gate) -> Iterator[Site]:
    with running(Site("127.0.0.1")) as made:
        made.routes |= {"/slow": gate, "/page": html(article_page())}
        yield made
        gate.open.set()


@pytest.fixture
def steps(nexus_on_copy: Nexus) -> Iterator[LifecycleSteps]:
    url = nexus_on_copy.environment["DATABASE_URL"]
    raw = url.replace("postgresql+psycopg", "postgresql")
    with Database(load_settings(database_url=url)) as database, psycopg.connect(raw) as connection:
        yield LifecycleSteps(database, connection)


def is_done(steps: LifecycleSteps, saved: UUID) -> bool:
    return steps.state(saved) == ("succeeded", "ready_for_reading")


def test_killed_worker_is_replaced_within_its_lease(
    nexus_on_copy: Nexus, steps: LifecycleSteps, site: Site, gate: Gate
) -> None:
    saved = steps.save(steps.user(), url=site.url("/slow"))
    doomed = nexus_on_copy.start("worker", **QUICK)
    assert gate.somebody_came()
    doomed.kill()
    doomed.wait()
    nexus_on_copy.start("worker", **QUICK)
    assert gate.somebody_came()
    gate.open.set()
    eventually(lambda: is_done(steps, saved), "the save was lost with its worker")
    lines = steps.row("SELECT array_agg(error_code ORDER BY attempt_no) FROM extraction_attempts")
    assert lines == (["worker_lost", None],)


def test_frozen_worker_that_wakes_up_changes_nothing(
    nexus_on_copy: Nexus, steps: LifecycleSteps, site: Site, gate: Gate
) -> None:
    saved = steps.save(steps.user(), url=site.url("/slow"))
    frozen = nexus_on_copy.start("worker", **QUICK)
    assert gate.somebody_came()
    frozen.send_signal(signal.SIGSTOP)
    gate.open.set()
    nexus_on_copy.start("worker", **QUICK)
    eventually(lambda: is_done(steps, saved), "nobody took over")
    before = steps.row("SELECT items.*, media.* FROM items JOIN media ON media.id = media_id")
    frozen.send_signal(signal.SIGCONT)
    log = nexus_on_copy.data_dir / "process.log"
    eventually(lambda: "result=lost_lease" in log.read_text(), "the woken worker did not notice")
    assert steps.row("SELECT items.*, media.* FROM items JOIN media ON media.id = media_id") == before
    assert steps.row("SELECT count(*), count(*) FILTER (WHERE result = 'success') FROM extraction_attempts") == (2, 1)


def test_worker_told_to_leave_finishes_what_it_has(
    nexus_on_copy: Nexus, steps: LifecycleSteps, site: Site, gate: Gate
) -> None:
    saved = steps.save(steps.user(), url=site.url("/slow"))
    leaving = nexus_on_copy.start("worker", **QUICK)
    assert gate.somebody_came()
    leaving.terminate()
    gate.open.set()
    assert leaving.wait(60) == 0
    assert is_done(steps, saved)
    assert steps.row("SELECT count(*) FROM workers") == (0,)


def test_worker_told_to_leave_gives_back_what_takes_too_long(
    nexus_on_copy: Nexus, steps: LifecycleSteps, site: Site, gate: Gate
) -> None:
    saved = steps.save(steps.user(), url=site.url("/slow"))
    leaving = nexus_on_copy.start("worker", **QUICK)
    assert gate.somebody_came()
    told = time.monotonic()
    leaving.terminate()
    assert leaving.wait(60) == 0
    assert time.monotonic() - told < 30
    assert steps.state(saved) == ("queued", "pending")
    assert steps.row("SELECT attempts FROM items") == (0,)


def test_page_that_takes_its_worker_down_every_time_fails_alone(
    nexus_on_copy: Nexus, steps: LifecycleSteps, site: Site, gate: Gate
) -> None:
    poison = steps.save(steps.user(), url=site.url("/slow"))
    for _ in range(3):
        victim = nexus_on_copy.start("worker", **QUICK)
        assert gate.somebody_came()
        victim.kill()
        victim.wait()
    good = steps.save(steps.user(), url=site.url("/page"))
    nexus_on_copy.start("worker", **QUICK)
    eventually(lambda: steps.state(poison) == ("failed", "failed"), "the poison page was tried for ever")
    eventually(lambda: is_done(steps, good), "the poison page stopped the others")


def test_once_reads_one_batch_and_drain_all_that_is_due(
    nexus_on_copy: Nexus, steps: LifecycleSteps, site: Site
) -> None:
    user = steps.user()
    saves = [steps.save(user, url=site.url("/page")) for _ in range(12)]
    done = nexus_on_copy("worker", "--once", NEXUS_ENV="test")
    assert done.returncode == 0, done.stderr
    assert [is_done(steps, saved) for saved in saves].count(True) == 5, "WORKER_BATCH_SIZE"
    done = nexus_on_copy("worker", "--drain", NEXUS_ENV="test")
    assert done.returncode == 0, done.stderr
    assert all(is_done(steps, saved) for saved in saves)
    assert steps.row("SELECT count(*) FROM media") == (1,)
