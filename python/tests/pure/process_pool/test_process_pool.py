import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest

from nexus.errors import ProcessPoolError, SanitizationError, TextCrashError, TextMemoryError, TextTimeoutError
from nexus.operator.jobs.processes import identity
from nexus.text.process_pool import ProcessPool
from tests.processes import WAIT_SECONDS, eventually, has_ended
from tests.pure.process_pool import misbehaving, page_reading


@pytest.fixture
def pool() -> Iterator[ProcessPool]:
    with ProcessPool(workers=2, deadline_seconds=20, memory_bytes=512 << 20) as opened:
        yield opened


@pytest.fixture
def hasty_pool() -> Iterator[ProcessPool]:
    with ProcessPool(workers=1, deadline_seconds=0.5, clock_seconds=5, memory_bytes=512 << 20) as opened:
        yield opened


def children() -> set[int]:
    """Of this process itself: the browser that earlier tests started ends and starts processes of its own."""
    return {child.pid for child in psutil.Process().children()}


def test_a_child_answers(pool: ProcessPool) -> None:
    assert pool.run(misbehaving.echo, "ä\ud800\0") == "ä\ud800\0"
    assert pool.run(misbehaving.process_id) != os.getpid()


def test_a_warm_child_is_used_again(pool: ProcessPool) -> None:
    assert pool.run(misbehaving.process_id) == pool.run(misbehaving.process_id)


def test_a_child_is_replaced_after_its_share_of_calls() -> None:
    with ProcessPool(workers=1, calls_per_worker=2) as pool:
        ids = [pool.run(misbehaving.process_id) for _ in range(4)]
    assert ids[0] == ids[1] != ids[2] == ids[3]


@pytest.mark.parametrize("function", [misbehaving.sleep_forever, misbehaving.spin_holding_the_gil])
def test_the_deadline_kills_the_call_and_the_pool_keeps_working(
    hasty_pool: ProcessPool, function: Callable[[], Any]
) -> None:
    victim = psutil.Process(hasty_pool.run(misbehaving.process_id))
    with pytest.raises(TextTimeoutError):
        hasty_pool.run(function)
    assert not victim.is_running()
    assert hasty_pool.run(misbehaving.echo, "still here") == "still here"


def test_the_deadline_is_one_of_processor_time() -> None:
    """On a loaded machine a page that waits for a processor takes long by the clock."""
    with ProcessPool(workers=1, deadline_seconds=0.5, clock_seconds=60) as pool:
        pool.run(misbehaving.sleep_a_while, 0.8)
        with pytest.raises(TextTimeoutError, match="processor time"):
            pool.run(misbehaving.spin_holding_the_gil)


CRASHES: list[tuple[type[ProcessPoolError], Callable[..., Any], tuple[Any, ...]]] = [
    (TextMemoryError, misbehaving.take_memory, (2 << 30,)),
    (TextCrashError, misbehaving.die_by, (signal.SIGKILL,)),
    (TextCrashError, misbehaving.die_by, (signal.SIGSEGV,)),
    (TextCrashError, misbehaving.die_by, (signal.SIGABRT,)),
    (TextCrashError, misbehaving.recurse, ()),
    (TextCrashError, misbehaving.raise_untyped, ()),
]


@pytest.mark.parametrize(("error", "function", "args"), CRASHES)
def test_a_failure_has_a_name_and_the_pool_keeps_working(
    pool: ProcessPool, error: type[ProcessPoolError], function: Callable[..., Any], args: tuple[Any, ...]
) -> None:
    for _ in range(3):
        with pytest.raises(error):
            pool.run(function, *args)
    assert pool.run(misbehaving.echo, "still here") == "still here"


def test_an_answer_that_cannot_be_sent_is_a_crash(pool: ProcessPool, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(TextCrashError):
        pool.run(misbehaving.answer_with_a_lambda)
    assert "pickle" in capfd.readouterr().err
    assert pool.run(misbehaving.echo, "still here") == "still here"


def test_our_own_errors_come_through_whole(pool: ProcessPool) -> None:
    with pytest.raises(SanitizationError) as caught:
        pool.run(misbehaving.raise_typed)
    assert caught.value.message == "No stable form."
    assert caught.value.extras == {"passes": 8}


def test_the_trace_of_a_foreign_error_is_kept_out_of_its_message(pool: ProcessPool) -> None:
    with pytest.raises(TextCrashError) as caught:
        pool.run(misbehaving.raise_untyped)
    assert caught.value.message == "Reading this failed: KeyError."
    assert "a bug in a parser" in caught.value.__notes__[0]


def test_a_child_killed_while_idle_is_replaced(pool: ProcessPool) -> None:
    first = pool.run(misbehaving.process_id)
    os.kill(first, signal.SIGKILL)
    psutil.Process(first).wait(timeout=300)
    assert pool.run(misbehaving.process_id) != first


def test_the_child_does_not_inherit_secrets(pool: ProcessPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "secret")
    assert set(pool.run(misbehaving.environment)) <= {"LC_ALL", "LC_CTYPE", "OPENBLAS_NUM_THREADS"}


def test_a_child_multiplies_on_its_own_core(pool: ProcessPool) -> None:
    before = pool.run(misbehaving.threads)
    assert pool.run(page_reading.threads_that_multiply) == before


def test_threads_share_the_pool(pool: ProcessPool) -> None:
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda number: pool.run(misbehaving.echo, str(number)), range(200)))
    assert answers == [str(number) for number in range(200)]


def test_a_crash_in_one_thread_does_not_touch_the_others(pool: ProcessPool) -> None:
    def call(number: int) -> str:
        if number % 10:
            return pool.run(misbehaving.echo, str(number))
        with pytest.raises(TextCrashError):
            pool.run(misbehaving.die_by, signal.SIGKILL)
        return "crashed"

    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(call, range(60)))
    assert answers == [str(number) if number % 10 else "crashed" for number in range(60)]


def test_asyncio_waits_without_blocking(pool: ProcessPool) -> None:
    async def together() -> list[str]:
        return await asyncio.gather(*(asyncio.to_thread(pool.run, misbehaving.echo, word) for word in "abc"))

    assert asyncio.run(together()) == ["a", "b", "c"]


def test_closing_leaves_no_process_behind_and_refuses_calls() -> None:
    before = children()
    pool = ProcessPool(workers=2, clock_seconds=5)
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(lambda word: pool.run(misbehaving.echo, word), "ab"))
        busy = threads.submit(pool.run, misbehaving.sleep_forever)
        pool.close()
        assert isinstance(busy.exception(timeout=300), ProcessPoolError)
    assert children() <= before, "a child was left"
    with pytest.raises(ProcessPoolError, match="closed"):
        pool.run(misbehaving.echo, "x")
    pool.close()


def test_closing_wakes_those_who_wait_for_a_child() -> None:
    pool = ProcessPool(workers=1, deadline_seconds=1)
    outcomes: list[type[BaseException]] = []

    def call() -> None:
        try:
            pool.run(misbehaving.sleep_forever)
        except ProcessPoolError as error:
            outcomes.append(type(error))

    threads = [threading.Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    pool.close()
    for thread in threads:
        thread.join(timeout=300)
    assert len(outcomes) == 4


ORPHANING_PARENT = """
import os, threading
from nexus.operator.jobs.processes import identity
from tests.pure.process_pool import misbehaving, page_reading
from nexus.text.process_pool import ProcessPool
pool = ProcessPool(workers=2, deadline_seconds=0.5, clock_seconds=60)
first = pool.run(misbehaving.process_id)
print(first, identity(first), flush=True)
threading.Thread(target=pool.run, args=(misbehaving.spin_holding_the_gil,)).start()
second = pool.run(misbehaving.process_id)
print(second, identity(second), flush=True)
os.kill(os.getpid(), 9)
"""


def test_children_end_when_their_parent_is_killed() -> None:
    result = subprocess.run(
        [sys.executable, "-c", ORPHANING_PARENT],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=False,
        timeout=WAIT_SECONDS,
    )
    assert result.returncode == -signal.SIGKILL, result.stderr
    orphans = {int(pid): known for pid, known in map(str.split, result.stdout.splitlines())}
    assert orphans

    def are_over() -> bool:
        """Another process may have the number of one by now."""
        return all(identity(pid) != known or has_ended(pid) for pid, known in orphans.items())

    eventually(are_over, "a child outlived its parent")


def test_a_child_that_cannot_start_is_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    before = children()
    with ProcessPool(workers=1) as pool:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "path", [])
            with pytest.raises(TextCrashError):
                pool.run(misbehaving.echo, "x")
        assert children() <= before, "a child was left"
        assert pool.run(misbehaving.echo, "x") == "x"


def test_children_may_have_a_lower_priority() -> None:
    with ProcessPool(workers=1, niceness=3) as opened:
        assert opened.run(os.nice, 0) == min(19, os.nice(0) + 3)
