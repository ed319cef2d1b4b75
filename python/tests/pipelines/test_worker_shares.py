"""Slow hosts delay their own items and no others: their responses are released only at the end."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from nexus.config import Settings
from nexus.db.embedded import EmbeddedServer
from nexus.services.lifecycle import Claim, Outcome, Shares, claim
from nexus.worker import Worker, result_writer
from tests.conftest import settings_for
from tests.lifecycle_steps import LifecycleSteps
from tests.pipelines.worker_thread import is_read, read_by_url, working
from tests.processes import eventually

SettingsOf = Callable[..., Settings]


@pytest.fixture
def settings_of(postgres: EmbeddedServer, database_name: str) -> SettingsOf:
    def make(**values: Any) -> Settings:
        # Nothing is found by polling: whoever is not woken stays asleep.
        return settings_for(postgres, database_name, worker_poll_seconds=3600, **values)

    return make


class SlowHosts:
    """Pages of slow.* are returned when the test releases them, all others at once."""

    def __init__(self) -> None:
        self.release = threading.Event()
        self.under_way: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        self._guard = threading.Lock()

    def ingest(self, claim: Claim) -> Outcome:
        kind = "slow" if "//slow" in claim.url.lower() else "quick"
        with self._guard:
            self.under_way[kind] += 1
            self.most[kind] = max(self.most[kind], self.under_way[kind])
        if kind == "slow":
            self.release.wait()
        with self._guard:
            self.under_way[kind] -= 1
        return read_by_url(claim)


@contextmanager
def working_with_slow_hosts(steps: LifecycleSteps, settings: Settings) -> Iterator[SlowHosts]:
    hosts = SlowHosts()
    with working(Worker(settings, steps.database, hosts.ingest)):
        try:
            yield hosts
        finally:
            hosts.release.set()


def test_user_with_many_slow_hosts_leaves_slots_for_others(steps: LifecycleSteps, settings_of: SettingsOf) -> None:
    slow, other = steps.user(), steps.user()
    with working_with_slow_hosts(steps, settings_of(worker_concurrency=4)) as hosts:
        held = [steps.save(slow, url=f"http://slow{number}.example/") for number in range(64)]
        eventually(lambda: hosts.under_way["slow"] == 3, "a user has three quarters of the slots")
        for _ in range(3):
            item = steps.save(other, url="http://quick.example/")
            eventually(partial(is_read, steps, item), "the other's save waits for the slow ones")
        assert (hosts.most["slow"], hosts.release.is_set()) == (3, False)
        hosts.release.set()
        eventually(lambda: all(is_read(steps, item) for item in held), "the slow ones are read too")


def test_slow_host_leaves_slots_for_others_also_of_the_same_user(
    steps: LifecycleSteps, settings_of: SettingsOf
) -> None:
    slow, other = steps.user(), steps.user()
    with working_with_slow_hosts(steps, settings_of(worker_concurrency=16, egress_per_host=2)) as hosts:
        held = [steps.save(slow, url=f"HTTP://Slow.example/{number}") for number in range(64)]
        held += [steps.save(other, url="http://slow.example/")]
        eventually(lambda: hosts.under_way["slow"] == 2, "a host has its share")
        items = [steps.save(user, url="http://quick.example/") for user in (slow, other)]
        eventually(lambda: all(is_read(steps, item) for item in items), "quick pages wait for the slow host")
        assert (hosts.most["slow"], hosts.release.is_set()) == (2, False)
        hosts.release.set()
        eventually(lambda: all(is_read(steps, item) for item in held), "the slow ones are read too")
    assert hosts.most["slow"] == 2


def test_saves_that_lost_their_worker_use_up_no_share(steps: LifecycleSteps) -> None:
    """Items of a slow host are claimed one at a time; those behind them must not wait for that."""
    user = steps.user()
    lost = [steps.save(user, losses=1) for _ in range(3)]
    good = steps.save(user)
    with steps.database.transaction() as session:
        shares = Shares(user=2, host=2)
        taken = claim(session, worker_id=steps.worker_id, limit=4, lease_seconds=30, shares=shares)
    assert {one.item_id for one in taken} & set(lost)
    assert good in {one.item_id for one in taken}


@contextmanager
def writing(
    steps: LifecycleSteps, held: list[Claim], monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[result_writer.ResultWriter, list[int]]]:
    """A writer that waits for further results never ends. Returns the sizes of the batches that are written."""
    monkeypatch.setattr(result_writer, "BATCH_WAIT_SECONDS", 3600.0)
    written: list[int] = []
    writer = result_writer.ResultWriter(
        steps.database, min_chars=600, on_settled=lambda claims: written.append(len(claims)), held=lambda: held
    )
    writer.start()
    try:
        yield writer, written
    finally:
        writer.give_up()


def claimed(steps: LifecycleSteps, number: int) -> list[Claim]:
    user = steps.user()
    for _ in range(number):
        steps.save(user)
    return steps.claim(limit=number)


def test_what_has_ended_is_written_without_waiting_for_slow_pages(
    steps: LifecycleSteps, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick, *slow = claimed(steps, 3)
    long_ago = time.monotonic() - 3600
    with writing(steps, [quick, *(replace(one, received=long_ago) for one in slow)], monkeypatch) as (writer, written):
        writer.submit(read_by_url(quick))
        eventually(lambda: written == [1], "it waits for the slow pages")


def test_what_ends_soon_after_each_other_is_written_together(
    steps: LifecycleSteps, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = claimed(steps, 3)
    with writing(steps, claims, monkeypatch) as (writer, written):
        for one in claims:
            writer.submit(read_by_url(one))
        eventually(lambda: written == [3], "each is written alone")
