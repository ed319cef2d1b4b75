"""The Celery engine with real brokers: a message is only a hint, and nothing depends on its arrival."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import psutil
import pytest

from nexus.celery import CELERY_QUEUE, INGEST_WEB_ARTICLE, celery_from
from nexus.config import load_settings
from nexus.worker.celery_publisher import CeleryPublisher
from tests.conftest import running_app
from tests.egress.sites import Site
from tests.faults.brokers import Broker, RabbitMq, Redis
from tests.lifecycle_steps import LifecycleSteps
from tests.loopback_server import running
from tests.pipelines.pages import article_page, html
from tests.processes import WAIT_SECONDS, Nexus, eventually, kill_tree

ROOT = Path(__file__).parents[3]
APP = ["-m", "celery", "-A", "apps.worker.main:celery_app"]
CELERY = [*APP, "worker", "-Q", "ingest", "--concurrency=1", "-l", "WARNING"]


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[Redis]:
    with Redis(tmp_path / "redis") as broker:
        yield broker


@pytest.fixture
def site() -> Iterator[Site]:
    with running(Site("127.0.0.1")) as made:
        made.routes["/page"] = html(article_page())
        yield made


@contextmanager
def engine(steps: LifecycleSteps, broker: Broker) -> Iterator[str]:
    """The address of the API; beside it the publisher. Both use the broker."""
    settings = load_settings(
        database_url=steps.database.url.render_as_string(hide_password=False),
        celery_broker_url=broker.url, worker_poll_seconds=0.3, env="test",
    )  # fmt: skip
    publisher = CeleryPublisher(settings, steps.database, again_seconds=2, publish_seconds=8)
    thread = threading.Thread(target=publisher.run)
    thread.start()
    try:
        with running_app(settings, steps.database) as url:
            yield url
    finally:
        publisher.stop()
        thread.join()


def save(api: str, url: str) -> None:
    """Whatever the broker does: one that is down or stopped stays so until after the response."""
    response = httpx2.post(f"{api}/items", json={"url": url}, timeout=WAIT_SECONDS)
    assert response.status_code == 200, response.text


@contextmanager
def celery_worker(nexus: Nexus, broker: Broker) -> Iterator[subprocess.Popen[bytes]]:
    environment = {
        "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "python"), "CELERY_BROKER_URL": broker.url,
        "DATABASE_URL": nexus.environment["DATABASE_URL"], "NEXUS_DATA_DIR": str(nexus.data_dir), "NEXUS_ENV": "test",
        "WORKER_RENDER": "never", "WORKER_LEASE_SECONDS": "120", "TMPDIR": tempfile.gettempdir(),
    }  # fmt: skip
    log = (nexus.data_dir / "celery.log").open("w")
    with log:
        process = subprocess.Popen([sys.executable, *CELERY], cwd=ROOT, env=environment, stdout=log, stderr=log)
    try:
        yield process
    finally:
        kill_tree(psutil.Process(process.pid))
        process.wait()


def all_done(steps: LifecycleSteps) -> bool:
    left = steps.row("SELECT count(*) FROM items WHERE status <> 'succeeded'")
    return bool(left == (0,))


def test_task_takes_ids_as_uuids_and_as_strings(
    nexus_on_copy: Nexus, steps: LifecycleSteps, redis: Redis, site: Site
) -> None:
    user = steps.user()
    app = celery_from(load_settings(celery_broker_url=redis.url), publishes_only=True)
    with celery_worker(nexus_on_copy, redis):
        for number in range(2):
            saved = steps.save(user, url=site.url(f"/page?{number}"))
            ids = [steps.media_of(saved), user.user_id]
            arguments = ids if number == 0 else [str(each) for each in ids]
            app.send_task(INGEST_WEB_ARTICLE, args=arguments, queue=CELERY_QUEUE)
            eventually(lambda: all_done(steps), "the task refused the ids")


def test_saves_go_through_redis_once_whatever_happens_to_it(
    nexus_on_copy: Nexus, steps: LifecycleSteps, redis: Redis, site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    with engine(steps, redis) as api, celery_worker(nexus_on_copy, redis):
        save(api, site.url("/page?1"))
        eventually(lambda: all_done(steps), "Celery did not read it")
        assert steps.row("SELECT count(*) FROM workers WHERE engine = 'celery'") == (1,)

        redis.kill()  # the item is a row: nothing waits for a broker
        save(api, site.url("/page?2"))
        redis.start()  # and empty
        eventually(lambda: all_done(steps), "a broker that was down lost a save")

        redis.freeze()
        save(api, site.url("/page?3"))
        wait_until_not_sent(steps, caplog)
        redis.thaw()
        eventually(lambda: all_done(steps), "a broker that was frozen lost a save")
    assert steps.row("SELECT count(*), max(attempt_no) FROM extraction_attempts") == (3, 1)
    assert steps.row("SELECT count(*) FROM media") == (3,)


def wait_until_not_sent(steps: LifecycleSteps, caplog: pytest.LogCaptureFixture) -> None:
    """Until the publisher gives up sending the last save: `published_at` is set before anything is sent."""
    query = "SELECT published_at IS NOT NULL FROM items ORDER BY created_at DESC LIMIT 1"
    eventually(lambda: steps.row(query)[0], "the publisher did not take it")
    caplog.clear()  # of the batches before
    eventually(lambda: "the broker does not take messages" in caplog.text, "the publisher hangs with its broker")


def test_broker_that_lost_its_messages_is_told_again(
    nexus_on_copy: Nexus, steps: LifecycleSteps, redis: Redis, site: Site
) -> None:
    with engine(steps, redis):
        steps.save(steps.user(), url=site.url("/page"))
        eventually(lambda: redis.length(CELERY_QUEUE), "nothing was published")
        redis.kill()
        redis.start()
        with celery_worker(nexus_on_copy, redis):
            eventually(lambda: all_done(steps), "what the broker lost was never sent again")


def test_killed_celery_child_costs_the_save_its_lease_and_nothing_else(
    nexus_on_copy: Nexus, steps: LifecycleSteps, redis: Redis, site: Site
) -> None:
    came, go_on = threading.Semaphore(0), threading.Event()

    def slow(visit: object) -> None:
        came.release()
        go_on.wait(WAIT_SECONDS)
        html(article_page())(visit)  # type: ignore[arg-type]

    site.routes["/slow"] = slow
    with engine(steps, redis), celery_worker(nexus_on_copy, redis) as parent:
        saved = steps.save(steps.user(), url=site.url("/slow"), max_attempts=1)
        assert came.acquire(timeout=WAIT_SECONDS)
        (child,) = [each for each in psutil.Process(parent.pid).children() if "celery" in " ".join(each.cmdline())]
        child.send_signal(signal.SIGKILL)
        child.wait(WAIT_SECONDS)
        steps.expire_lease(saved)
        go_on.set()
        eventually(lambda: all_done(steps), "the save was lost with its worker")
    assert steps.state(saved) == ("succeeded", "ready_for_reading")
    lines = steps.row("SELECT array_agg(error_code ORDER BY attempt_no) FROM extraction_attempts")
    assert lines == (["worker_lost", None],)


def test_saves_go_through_rabbitmq_and_a_frozen_one(
    nexus_on_copy: Nexus, steps: LifecycleSteps, tmp_path: Path, site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    with RabbitMq(tmp_path / "rabbit") as rabbit, engine(steps, rabbit) as api, celery_worker(nexus_on_copy, rabbit):
        save(api, site.url("/page?1"))
        eventually(lambda: all_done(steps), "Celery did not read it")
        rabbit.freeze()
        save(api, site.url("/page?2"))
        wait_until_not_sent(steps, caplog)
        rabbit.thaw()
        eventually(lambda: all_done(steps), "a broker that was frozen lost a save")
    assert steps.row("SELECT count(*), max(attempt_no) FROM extraction_attempts") == (2, 1)
