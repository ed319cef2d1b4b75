"""Imports beside each other and beside pages: none keeps the others waiting, whatever fails; users take turns."""

from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
import psycopg
import pytest
from sqlalchemy.exc import SQLAlchemyError

from nexus.db.session import Database
from nexus.text.process_pool import ProcessPool
from nexus.worker import pauses
from nexus.worker.imported_text_reader import ImportedTextReader
from nexus.worker.pauses import FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS, Pauses
from tests.imports.importing import Importing, item
from tests.imports.uploading import ImportWorker, again, change, links, preview
from tests.lifecycle_steps import LifecycleSteps
from tests.processes import WAIT_SECONDS

HTML = "<p>" + "Words that came along with the import. " * 20 + "</p>"
REFUSE = """
    CREATE FUNCTION refuse_for_test() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'refused by the test' USING ERRCODE = 'query_canceled'; END $$;
    CREATE TRIGGER refuse_for_test BEFORE INSERT ON media FOR EACH ROW
        WHEN (NEW.requested_url LIKE 'https://broken.example/%' AND NEW.processing_status = '{}')
        EXECUTE FUNCTION refuse_for_test();
"""


@pytest.fixture
def paused_for_good(monkeypatch: pytest.MonkeyPatch) -> None:
    """A failed import is not due again before the test ends, however long that takes."""
    for name in ("FIRST_PAUSE_SECONDS", "MAX_PAUSE_SECONDS"):
        monkeypatch.setattr(pauses, name, 3600)


@contextmanager
def refusing(connection: psycopg.Connection, status: str) -> Iterator[None]:
    """Refuses new media of this status and site, as if they took longer than the statement timeout."""
    connection.execute(REFUSE.format(status).encode())
    connection.commit()
    try:
        yield
    finally:
        connection.rollback()
        connection.execute("DROP TRIGGER refuse_for_test ON media; DROP FUNCTION refuse_for_test()")
        connection.commit()


@pytest.mark.usefixtures("paused_for_good")
def test_an_import_whose_steps_fail_does_not_stop_others(
    client: httpx2.Client, connection: psycopg.Connection, work: ImportWorker, other_work: ImportWorker
) -> None:
    broken = preview(client, {"a.txt": links(3, "https://broken.example")})
    whole = preview(client, {"a.txt": links(3)})
    with refusing(connection, "pending"):
        change(client, broken, "start")
        change(client, whole, "start")
        failures = 0
        while again(client, whole)["status"] == "running":
            try:
                assert work.step()
            except SQLAlchemyError:
                failures += 1
            assert failures < 5, "only the broken one is tried"
        assert failures == 1
        assert again(client, broken)["outcomes"]["waiting"] == 3
        work.all()
        assert again(client, broken)["status"] == "running", "it is paused, and asked for no more"
    other_work.all()
    assert again(client, broken)["status"] == "finished"


def test_a_pause_grows_until_it_succeeds(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr("nexus.worker.pauses.time.monotonic", lambda: now)
    made: Pauses[str] = Pauses()
    for number in range(10):
        made.failed("a")
        seconds = min(FIRST_PAUSE_SECONDS * 2**number, MAX_PAUSE_SECONDS)
        now += seconds - 1
        assert made.active() == ["a"]
        now += 2
        assert made.active() == []
    made.failed("a")
    made.succeeded("a")
    assert made.active() == []
    made.failed("a")
    now += FIRST_PAUSE_SECONDS + 1
    assert made.active() == [], "it starts again"


@pytest.fixture(scope="module")
def texts() -> Iterator[ProcessPool]:
    with ProcessPool(workers=1, clock_seconds=WAIT_SECONDS) as pool:
        yield pool


def test_texts_of_users_take_turns(database: Database, steps: LifecycleSteps, texts: ProcessPool) -> None:
    for user in (steps.user(), steps.user()):
        Importing(database, user).run([item(f"https://example.org/{n}", html=HTML) for n in range(3)], fetch=False)
    task = ImportedTextReader(database, texts)
    while task.step():  # each for a limited time
        pass
    query = "SELECT owner_user_id FROM media WHERE current_version = 1 ORDER BY processing_completed_at"
    read = [row[0] for row in steps.connection.execute(query).fetchall()]
    assert len(read) == 6
    assert read[0::2] == [read[0]] * 3
    assert read[1::2] == [read[1]] * 3
    assert read[0] != read[1]


@pytest.mark.usefixtures("paused_for_good")
def test_a_text_that_cannot_be_written_does_not_stop_others(
    database: Database, steps: LifecycleSteps, texts: ProcessPool
) -> None:
    imports = Importing(database, steps.user())
    rows = [item("https://broken.example/0", html=HTML), item("https://example.org/1", html=HTML)]
    broken, whole = imports.rows(imports.run(rows, fetch=False))
    reader = ImportedTextReader(database, texts)
    with refusing(steps.connection, "ready_for_reading"):
        with pytest.raises(SQLAlchemyError, match="refused by the test"):
            reader.step()
        assert reader.step() is False, "the broken one is paused"
        assert steps.state(whole.item_id) == ("succeeded", "ready_for_reading")
    ImportedTextReader(database, texts).step()
    assert steps.state(broken.item_id) == ("succeeded", "ready_for_reading")


def test_a_new_worker_leaves_the_processor_to_rows_until_it_has_looked(
    client: httpx2.Client, work: ImportWorker, other_work: ImportWorker
) -> None:
    assert work.importer.needs_processor()
    assert not work.importer.is_urgent()
    assert not work.importer.needs_processor(), "there is no import"
    change(client, preview(client, {"a.txt": links(3)}), "start")
    assert other_work.importer.is_urgent()
    assert other_work.importer.needs_processor()
    other_work.all()
    assert not other_work.importer.needs_processor()
