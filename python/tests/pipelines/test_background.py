"""Background work of a worker comes after the texts, and a broken task stops no other."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy.orm import Session

from nexus.config import Settings
from nexus.db.embedded import EmbeddedServer
from nexus.errors import NexusError
from nexus.services.lifecycle import Claim, Outcome
from nexus.worker import Worker, background
from nexus.worker.background import Background, BackgroundTask
from nexus.worker.celery_publisher import CeleryPublisher
from tests.conftest import settings_for
from tests.lifecycle_steps import LifecycleSteps
from tests.pipelines.worker_thread import read_by_url, working
from tests.processes import eventually

SettingsOf = Callable[..., Settings]


@pytest.fixture
def settings_of(postgres: EmbeddedServer, database_name: str) -> SettingsOf:
    def make(**values: Any) -> Settings:
        return settings_for(postgres, database_name, **{"worker_concurrency": 2, "worker_poll_seconds": 0.2} | values)

    return make


class CountedTask(BackgroundTask):
    """A task with `due` steps to do."""

    name = "counted"

    def __init__(self, due: int = 0, error: Exception | None = None) -> None:
        self.due = due
        self.done = self.tries = 0
        self.error = error
        self.renewed = threading.Event()
        self.stopped = False

    def step(self) -> bool:
        self.tries += 1
        if self.error:
            raise self.error
        if self.due > self.done:
            self.done += 1
        return self.due > self.done

    def renew_leases(self, session: Session) -> None:
        assert session.in_transaction()
        self.renewed.set()

    def stop(self, finish_seconds: float) -> None:
        assert finish_seconds >= 0
        self.stopped = True


class UrgentTask(CountedTask):
    def is_urgent(self) -> bool:
        return self.due > self.done


class ImportRowsTask(BackgroundTask):
    """A task that applies the rows of an import."""

    name = "applying"
    is_applying = True

    def step(self) -> bool:
        return False

    def needs_processor(self) -> bool:
        return self.is_applying


@pytest.mark.parametrize("mode", ["once", "drain"])
def test_it_is_done_after_the_texts(steps: LifecycleSteps, settings_of: SettingsOf, mode: str) -> None:
    item, task = steps.save(steps.user()), CountedTask(3)

    def read_first(claim: Claim) -> Outcome:
        assert task.done == 0
        return read_by_url(claim)

    Worker(settings_of(), steps.database, read_first, background=Background([task])).run(**{mode: True})
    assert steps.state(item)[0] == "succeeded"
    assert (task.done, task.stopped) == (3, True)


def test_once_leaves_it_while_more_texts_are_due(steps: LifecycleSteps, settings_of: SettingsOf) -> None:
    items, task = [steps.save(steps.user()) for _ in range(3)], CountedTask(3)
    for done in (0, 3):
        settings = settings_of(worker_batch_size=2)
        Worker(settings, steps.database, read_by_url, background=Background([task])).run(once=True)
        assert task.done == done
    assert {steps.state(item)[0] for item in items} == {"succeeded"}


def test_it_waits_while_a_text_waits_for_a_slot(steps: LifecycleSteps, settings_of: SettingsOf) -> None:
    inside, go_on = threading.Semaphore(0), threading.Event()

    def slowly(claim: Claim) -> Outcome:
        inside.release()
        go_on.wait()
        return read_by_url(claim)

    task = CountedTask(10**9)
    for _ in range(3):
        steps.save(steps.user())
    with working(Worker(settings_of(), steps.database, slowly, background=Background([task], poll_seconds=0.1))):
        for _ in range(2):
            inside.acquire()
        assert task.renewed.wait(300)
        before = task.done
        assert before == 0, "two slots are taken and a third item waits"
        go_on.set()
        eventually(lambda: task.done > before, "no room was left although no text waits")
        task.due = 0
    assert task.stopped


@pytest.mark.parametrize("mode", ["once", "drain", "forever"])
def test_what_is_urgent_does_not_wait(steps: LifecycleSteps, settings_of: SettingsOf, mode: str) -> None:
    patient, urgent = CountedTask(5), UrgentTask(5)

    def only_then(claim: Claim) -> Outcome:
        eventually(lambda: urgent.done == 5, "it waits for the texts")
        assert patient.done == 0
        return read_by_url(claim)

    items = [steps.save(steps.user()) for _ in range(3)]
    work = Background([patient, urgent], poll_seconds=0.1)
    worker = Worker(settings_of(worker_concurrency=1), steps.database, only_then, background=work)
    if mode == "forever":
        with working(worker):
            eventually(lambda: patient.done == 5, "no room was left although no text waits")
    else:
        worker.run(**{mode: True})
    assert {steps.state(item)[0] for item in items} == {"succeeded"}
    assert patient.done == 5


def test_celery_publisher_does_what_is_urgent_while_texts_are_due(
    steps: LifecycleSteps, settings_of: SettingsOf
) -> None:
    steps.save(steps.user())
    patient, urgent = CountedTask(5), UrgentTask(5)
    settings = settings_of(celery_broker_url="redis://127.0.0.1:1/0")
    publisher = CeleryPublisher(settings, steps.database, background=Background([patient, urgent], poll_seconds=0.1))
    thread = threading.Thread(target=publisher.run)
    thread.start()
    eventually(lambda: urgent.done == 5, "it waits for the texts")
    publisher.stop()
    thread.join()
    assert patient.done == 0


def test_task_that_fails_waits_alone_and_says_so_once(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "FIRST_PAUSE_SECONDS", 0.01)
    monkeypatch.setattr(background, "MAX_PAUSE_SECONDS", 0.01)
    absent, broken = CountedTask(1, NexusError("The store is away.")), CountedTask(1, ValueError("our bug"))
    fine = CountedTask(5)
    work = Background([absent, broken, fine], poll_seconds=0.02)
    work.start()
    eventually(lambda: fine.done == 5, "a task that failed stopped another")
    eventually(lambda: absent.tries > 3 and broken.tries > 3, "they are not tried again")
    absent.error = broken.error = None
    eventually(lambda: absent.done == broken.done == 1, "they are not tried again")
    work.stop(60)
    assert caplog.text.count("The store is away.") == 1
    assert caplog.text.count("ValueError: our bug") == 1


def test_celery_publisher_does_it_too(steps: LifecycleSteps, settings_of: SettingsOf) -> None:
    task = CountedTask(3)
    settings = settings_of(celery_broker_url="redis://127.0.0.1:1/0")
    publisher = CeleryPublisher(settings, steps.database, background=Background([task], poll_seconds=0.1))
    thread = threading.Thread(target=publisher.run)
    thread.start()
    eventually(lambda: task.done == 3, "the background stands still with Celery")
    eventually(task.renewed.is_set, "no heartbeat")
    publisher.stop()
    thread.join()
    assert task.stopped


@pytest.mark.parametrize("seconds", [60.0, 0.0])
def test_what_is_urgent_goes_on_before_the_rest(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Only for a while: a round of all tasks takes seconds, in which rows of an import would wait."""
    monkeypatch.setattr(background, "URGENT_SECONDS", seconds)
    patient, urgent = CountedTask(20), UrgentTask(20)
    done_before = []

    def note() -> bool:
        done_before.append(patient.done)
        return CountedTask.step(urgent)

    monkeypatch.setattr(urgent, "step", note)
    work = Background([patient, urgent], poll_seconds=60)
    work.start()
    eventually(lambda: patient.done == 20, "the rest has no turn")
    work.stop(60)
    assert done_before[:20] == ([1] * 20 if seconds else list(range(1, 21)))


def test_pages_of_imports_leave_the_processor_to_rows(steps: LifecycleSteps, settings_of: SettingsOf) -> None:
    """One imported page at a time is read, and pages that people save are read beside it."""
    rows, go_on, lock = ImportRowsTask(), threading.Event(), threading.Lock()
    inside: list[Claim] = []

    def slowly(claim: Claim) -> Outcome:
        with lock:
            inside.append(claim)
        go_on.wait()
        return read_by_url(claim)

    def imported() -> int:
        with lock:
            return sum(claim.priority for claim in inside)

    user = steps.user()
    for number in range(4):
        item = steps.save(user, f"https://site{number}.example/")
        steps.row("UPDATE items SET priority = 1 WHERE id = :p0 RETURNING 1", item)
    settings = settings_of(worker_concurrency=8)
    with working(Worker(settings, steps.database, slowly, background=Background([rows], poll_seconds=0.1))):
        try:
            eventually(imported, "no page of the import is read")
            item = steps.save(user)
            eventually(lambda: item in {claim.item_id for claim in inside}, "what a person saved waits")
            assert imported() == 1
            rows.is_applying = False
            eventually(lambda: imported() == 4, "the pages of the import wait for ever")
        finally:
            go_on.set()
