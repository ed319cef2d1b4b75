"""Real worker processes, killed, stopped and terminated, with pages from a real site."""

import signal
from collections.abc import Callable, Iterator
from subprocess import Popen
from uuid import UUID

import pytest

from tests.egress.sites import Site
from tests.faults.blocked_response import BlockedResponse
from tests.lifecycle_steps import LifecycleSteps
from tests.loopback_server import running
from tests.pipelines.pages import article_page, html
from tests.processes import WAIT_SECONDS, Nexus, eventually

# A lease that no loaded machine misses; where a worker is lost, the test ends its lease. The slow page may take as long
# as the tests wait: another item is read meanwhile, for which a process is started first.
SETTINGS = {
    "NEXUS_ENV": "test",
    "WORKER_LEASE_SECONDS": "120",
    "WORKER_POLL_SECONDS": "0.3",
    "WORKER_HTTP_READ_TIMEOUT": str(WAIT_SECONDS),
    "WORKER_HTTP_TOTAL_TIMEOUT": str(WAIT_SECONDS),
}


@pytest.fixture
def slow_page() -> BlockedResponse:
    return BlockedResponse(article_page())


@pytest.fixture
def site(slow_page: BlockedResponse) -> Iterator[Site]:
    with running(Site("127.0.0.1")) as made:
        made.routes |= {"/slow": slow_page, "/page": html(article_page())}
        yield made
        slow_page.released.set()


@pytest.fixture
def slow_item(steps: LifecycleSteps, site: Site) -> UUID:
    """Its page comes when the test releases it."""
    return steps.save(steps.user(), url=site.url("/slow"))


@pytest.fixture
def start_worker(nexus_on_copy: Nexus, slow_item: UUID, slow_page: BlockedResponse) -> Callable[[], "Popen[str]"]:
    """A process that has taken the slow item and waits for its page."""

    def start() -> "Popen[str]":
        process = nexus_on_copy.start("worker", **SETTINGS)
        assert slow_page.is_visited()
        return process

    return start


@pytest.fixture
def lose_worker(start_worker: Callable[[], "Popen[str]"], slow_item: UUID, steps: LifecycleSteps) -> Callable[[], None]:
    """One that is killed; its lease is over at once."""

    def lose() -> None:
        process = start_worker()
        process.kill()
        process.wait()
        steps.expire_lease(slow_item)

    return lose


def is_done(steps: LifecycleSteps, saved: UUID) -> bool:
    return steps.state(saved) == ("succeeded", "ready_for_reading")


def test_item_of_a_killed_worker_is_read_by_the_next(
    lose_worker: Callable[[], None],
    start_worker: Callable[[], "Popen[str]"],
    steps: LifecycleSteps,
    slow_item: UUID,
    slow_page: BlockedResponse,
) -> None:
    lose_worker()
    start_worker()
    slow_page.released.set()
    eventually(lambda: is_done(steps, slow_item), "the item was lost with its worker")
    attempts = steps.row("SELECT array_agg(error_code ORDER BY attempt_no) FROM extraction_attempts")
    assert attempts == (["worker_lost", None],)


def test_frozen_worker_that_wakes_up_changes_nothing(
    nexus_on_copy: Nexus,
    start_worker: Callable[[], "Popen[str]"],
    steps: LifecycleSteps,
    slow_item: UUID,
    slow_page: BlockedResponse,
) -> None:
    frozen = start_worker()
    frozen.send_signal(signal.SIGSTOP)
    steps.expire_lease(slow_item)
    slow_page.released.set()
    nexus_on_copy.start("worker", **SETTINGS)
    eventually(lambda: is_done(steps, slow_item), "nobody took over")
    before = steps.row("SELECT items.*, media.* FROM items JOIN media ON media.id = media_id")
    frozen.send_signal(signal.SIGCONT)
    log = nexus_on_copy.data_dir / "process.log"
    eventually(lambda: "result=lost_lease" in log.read_text(), "the woken worker did not notice")
    assert steps.row("SELECT items.*, media.* FROM items JOIN media ON media.id = media_id") == before
    assert steps.row("SELECT count(*), count(*) FILTER (WHERE result = 'success') FROM extraction_attempts") == (2, 1)


def test_worker_that_is_terminated_finishes_what_it_has(
    start_worker: Callable[[], "Popen[str]"],
    steps: LifecycleSteps,
    slow_item: UUID,
    slow_page: BlockedResponse,
    site: Site,
) -> None:
    leaving = start_worker()
    # It has 15 s to finish, in which a busy machine may not even start the process that reads a page.
    other = steps.save(steps.user(), url=site.url("/page"))
    eventually(lambda: is_done(steps, other), "it reads nothing")
    leaving.terminate()
    slow_page.released.set()
    assert leaving.wait(WAIT_SECONDS) == 0
    assert is_done(steps, slow_item)
    assert steps.row("SELECT count(*) FROM workers") == (0,)


def test_worker_that_is_terminated_releases_what_takes_too_long(
    start_worker: Callable[[], "Popen[str]"], steps: LifecycleSteps, slow_item: UUID
) -> None:
    leaving = start_worker()
    leaving.terminate()
    assert leaving.wait(WAIT_SECONDS) == 0, "it waits for the page, which comes only after the test"
    assert steps.state(slow_item) == ("queued", "pending")
    assert steps.row("SELECT attempts FROM items") == (0,)


def test_page_that_takes_its_worker_down_every_time_fails_alone(
    nexus_on_copy: Nexus, lose_worker: Callable[[], None], steps: LifecycleSteps, slow_item: UUID, site: Site
) -> None:
    for _ in range(3):
        lose_worker()
    good = steps.save(steps.user(), url=site.url("/page"))
    nexus_on_copy.start("worker", **SETTINGS)
    eventually(lambda: steps.state(slow_item) == ("failed", "failed"), "the page was tried for ever")
    eventually(lambda: is_done(steps, good), "the page stopped the others")


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
