"""The worker's loop in this process, on a real database, with attempts that do what a test tells them."""

import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text

from nexus.config import Settings
from nexus.db.embedded import EmbeddedServer
from nexus.services import workers
from nexus.services.lifecycle import Claim, Failed, Failure, Outcome, Succeeded
from nexus.worker import Worker, loop
from tests.conftest import settings_for
from tests.lifecycle_steps import LifecycleSteps, attempt_record
from tests.pipelines.worker_thread import is_read, read_by_url, working
from tests.processes import eventually

SettingsOf = Callable[..., Settings]


@pytest.fixture
def settings_of(postgres: EmbeddedServer, database_name: str) -> SettingsOf:
    def make(**values: Any) -> Settings:
        return settings_for(postgres, database_name, **{"worker_concurrency": 4} | values)

    return make


@pytest.mark.parametrize("slots", [1, 8])
def test_once_does_one_batch(steps: LifecycleSteps, settings_of: SettingsOf, slots: int) -> None:
    items = [steps.save(steps.user()) for _ in range(7)]
    settings = settings_of(worker_batch_size=3, worker_concurrency=slots)
    for done in (3, 6, 7):
        Worker(settings, steps.database, read_by_url).run(once=True)
        assert [steps.state(item)[0] for item in items].count("succeeded") == done
    assert steps.row("SELECT count(*) FROM items WHERE status = 'processing'") == (0,)


def test_drain_does_what_is_due_and_leaves_nothing_behind(steps: LifecycleSteps, settings_of: SettingsOf) -> None:
    users = [steps.user() for _ in range(3)]
    items = [steps.save(user) for user in users for _ in range(7)]
    later = steps.save(users[0], due_at="infinity")
    before = set(threading.enumerate())  # some of an earlier test's may still be ending
    Worker(settings_of(worker_batch_size=3), steps.database, read_by_url).run(drain=True)
    assert {steps.state(item) for item in items} == {("succeeded", "ready_for_reading")}
    assert steps.state(later) == ("queued", "pending")
    assert steps.row("SELECT count(*) FROM workers") == (0,)
    eventually(lambda: not set(threading.enumerate()) - before, "threads outlived their worker")


def test_new_save_wakes_an_idle_worker(steps: LifecycleSteps, settings_of: SettingsOf) -> None:
    with working(Worker(settings_of(worker_poll_seconds=3600), steps.database, read_by_url)):
        eventually(lambda: listeners(steps) == 1, "the worker does not listen")
        item = steps.save(steps.user())
        eventually(lambda: steps.state(item)[0] == "succeeded", "no worker was notified")


def test_worker_polls_for_what_becomes_due(steps: LifecycleSteps, settings_of: SettingsOf) -> None:
    # One after the other: the first may also be found by the look that the worker takes when it begins to listen.
    items = [steps.save(steps.user(), due_at="infinity") for _ in range(2)]
    with working(Worker(settings_of(worker_poll_seconds=0.2), steps.database, read_by_url)):
        eventually(lambda: listeners(steps) == 1, "the worker does not listen")
        for item in items:
            become_due(steps, item)
            eventually(partial(is_read, steps, item), "no worker polled")


def test_listener_that_lost_its_connection_reconnects(steps: LifecycleSteps, settings_of: SettingsOf) -> None:
    with working(Worker(settings_of(worker_poll_seconds=3600), steps.database, read_by_url)):
        eventually(lambda: listeners(steps) == 1, "the worker does not listen")
        cut_connections(steps)
        item = steps.save(steps.user())
        eventually(lambda: steps.state(item)[0] == "succeeded", "no worker was notified")


def test_database_that_goes_away_while_pages_are_read_loses_nothing(
    steps: LifecycleSteps, settings_of: SettingsOf
) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def slowly(claim: Claim) -> Outcome:
        inside.set()
        go_on.wait()
        return read_by_url(claim)

    item = steps.save(steps.user())
    with working(Worker(settings_of(), steps.database, slowly)):
        inside.wait()
        cut_connections(steps)
        go_on.set()
        eventually(lambda: steps.state(item)[0] == "succeeded", "the result was lost")
    assert steps.row("SELECT attempts FROM items") == (1,)


def test_lease_is_renewed_while_a_page_takes_its_time(steps: LifecycleSteps, settings_of: SettingsOf) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def slowly(claim: Claim) -> Outcome:
        inside.set()
        go_on.wait()
        return read_by_url(claim)

    item = steps.save(steps.user())
    with working(Worker(settings_of(worker_lease_seconds=15), steps.database, slowly)):
        inside.wait()
        first = steps.row("SELECT lease_until FROM items")[0]
        eventually(lambda: steps.row("SELECT lease_until > :p0 FROM items", first)[0], "no heartbeat")
        assert steps.row("SELECT engine, can_render FROM workers") == ("postgres", False)
        go_on.set()
        eventually(lambda: steps.state(item)[0] == "succeeded", "the lease was lost")
    assert steps.row("SELECT attempts FROM items") == (1,)


def test_worker_with_a_long_lease_counts_as_alive(
    steps: LifecycleSteps, settings_of: SettingsOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "ALIVE_SECONDS", 1.5)
    with working(Worker(settings_of(worker_lease_seconds=3600), steps.database, read_by_url)):
        eventually(lambda: steps.row("SELECT count(*) FROM workers") == (1,), "it did not register")
        first = steps.row("SELECT seen_at FROM workers")[0]
        eventually(lambda: steps.row("SELECT seen_at > :p0 FROM workers", first)[0], "no heartbeat")


def test_worker_that_stops_releases_what_it_cannot_finish(
    steps: LifecycleSteps, settings_of: SettingsOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "FINISH_SECONDS", 0.1)
    inside, go_on = threading.Event(), threading.Event()

    def slowly(claim: Claim) -> Outcome:
        inside.set()
        go_on.wait()
        return read_by_url(claim)

    item = steps.save(steps.user())
    with working(Worker(settings_of(), steps.database, slowly)):
        inside.wait()
    assert steps.state(item) == ("queued", "pending")
    assert steps.row("SELECT attempts FROM items") == (0,)
    go_on.set()
    Worker(settings_of(), steps.database, read_by_url).run(once=True)
    assert steps.state(item) == ("succeeded", "ready_for_reading")
    assert steps.row("SELECT count(*) FROM extraction_attempts") == (1,)


def test_attempt_that_breaks_is_our_error_and_tried_again(steps: LifecycleSteps, settings_of: SettingsOf) -> None:
    def breaks(claim: Claim) -> Outcome:
        raise RuntimeError(f"attempt {claim.attempts}")

    item = steps.save(steps.user())
    Worker(settings_of(), steps.database, breaks).run(once=True)
    assert steps.state(item) == ("queued", "pending")
    steps.make_due()
    Worker(settings_of(), steps.database, breaks).run(once=True)
    assert steps.state(item) == ("failed", "failed")
    assert steps.row("SELECT array_agg(error_code) FROM extraction_attempts") == (["internal_error"] * 2,)


def test_result_that_cannot_be_stored_spoils_no_other(steps: LifecycleSteps, settings_of: SettingsOf) -> None:
    items = [steps.save(steps.user()) for _ in range(4)]
    together = threading.Barrier(4)

    def one_is_bad(claim: Claim) -> Outcome:
        outcome = read_by_url(claim)
        together.wait(300)
        if claim.item_id == items[1] and isinstance(outcome, Succeeded):
            return replace(outcome, article=replace(outcome.article, title="NUL \0"))
        return outcome

    Worker(settings_of(), steps.database, one_is_bad).run(once=True)
    states = [steps.state(item)[0] for item in items]
    assert states == ["succeeded", "failed", "succeeded", "succeeded"]


def test_retry_waits_for_its_time(steps: LifecycleSteps, settings_of: SettingsOf) -> None:
    def busy(claim: Claim) -> Outcome:
        return Failed(claim, Failure("http_503", "Busy.", retryable=True), (attempt_record("http_503"),))

    item = steps.save(steps.user())
    Worker(settings_of(), steps.database, busy).run(once=True)
    Worker(settings_of(), steps.database, busy).run(once=True)
    assert steps.state(item) == ("queued", "pending")
    assert steps.row("SELECT attempts FROM items") == (1,)


def listeners(steps: LifecycleSteps) -> int:
    query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'"
    return int(steps.row(query)[0])


def become_due(steps: LifecycleSteps, item: UUID) -> None:
    """As time does it, which notifies nobody: the trigger compares with the time at which its transaction began."""
    with steps.session() as session:
        session.execute(text("UPDATE items SET due_at = now() + interval '1 ms' WHERE id = :id"), {"id": item})


def cut_connections(steps: LifecycleSteps) -> None:
    """What a restart of PostgreSQL does to its clients."""
    steps.connection.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND application_name = 'nexus' AND pid <> pg_backend_pid()"
    )
    steps.connection.commit()
