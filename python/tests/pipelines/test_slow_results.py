"""Results that PostgreSQL cancels because they take too long stop no others, and are not tried for ever."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.db.session import Database
from nexus.services.lifecycle import Outcome, Succeeded, settle
from nexus.worker import result_writer
from tests.lifecycle_steps import LifecycleSteps, article, attempt_record
from tests.processes import eventually

IDLE = "idle_in_transaction_session_timeout"
Limit = Callable[[str], None]


@pytest.fixture
def limit(monkeypatch: pytest.MonkeyPatch, steps: LifecycleSteps) -> Limit:
    """Sets a real, short timeout of PostgreSQL for slow results: on a busy machine the others may need that long."""

    def limit_slow_results(timeout: str) -> None:
        def settle_in_time(session: Session, outcomes: Sequence[Outcome], *, min_chars: int) -> Any:
            if any(map(is_slow, outcomes)):
                session.execute(text(f"SET LOCAL {timeout} = '1s'"))
                if timeout == IDLE:
                    wait_until_ended(session, steps)
            return settle(session, outcomes, min_chars=min_chars)

        monkeypatch.setattr(result_writer, "settle", settle_in_time)

    return limit_slow_results


def wait_until_ended(session: Session, steps: LifecycleSteps) -> None:
    pid = session.scalar(text("SELECT pg_backend_pid()"))
    ended = "SELECT count(*) FROM pg_stat_activity WHERE pid = :p0"
    eventually(lambda: steps.row(ended, pid) == (0,), "PostgreSQL did not end the transaction")


@contextmanager
def slow_titles(steps: LifecycleSteps) -> Iterator[None]:
    run = steps.connection.execute
    run(
        "CREATE FUNCTION be_slow() RETURNS trigger LANGUAGE plpgsql"
        " AS $$ BEGIN PERFORM pg_sleep(3600); RETURN NULL; END $$"
    )
    run(
        "CREATE TRIGGER be_slow AFTER INSERT OR UPDATE ON media FOR EACH ROW"
        " WHEN (NEW.title = 'slow') EXECUTE FUNCTION be_slow()"
    )
    steps.connection.commit()
    try:
        yield
    finally:
        run("DROP FUNCTION be_slow CASCADE")
        steps.connection.commit()


def is_slow(outcome: Outcome) -> bool:
    return isinstance(outcome, Succeeded) and outcome.article.title == "slow"


def check(steps: LifecycleSteps, database: Database) -> None:
    items = [steps.save(steps.user()) for _ in range(3)]
    batch: list[Outcome] = []
    for claim in steps.claim(limit=3):
        read = article(f"https://example.org/{claim.item_id}")
        title = "slow" if claim.item_id == items[1] else read.title
        batch.append(Succeeded(claim, replace(read, title=title), (attempt_record(),)))
    settled: list[Any] = []
    result_writer.ResultWriter(database, min_chars=600, on_settled=settled.extend).write(batch)
    assert [steps.state(item)[0] for item in items] == ["succeeded", "queued", "succeeded"]
    assert steps.row("SELECT array_agg(error_code) FROM extraction_attempts WHERE error_code IS NOT NULL") == (
        ["internal_error"],
    )
    assert len(settled) == 3


def test_statement_that_takes_too_long(steps: LifecycleSteps, database: Database, limit: Limit) -> None:
    limit("statement_timeout")
    with slow_titles(steps):
        check(steps, database)


def test_transaction_that_stands_still(steps: LifecycleSteps, database: Database, limit: Limit) -> None:
    limit(IDLE)
    check(steps, database)
