"""An export that was interrupted goes on from its last checkpoint: the same file, and nothing is read twice."""

import fcntl
import shutil
from collections.abc import Callable
from threading import Event
from uuid import UUID, uuid4

import pytest
from sqlalchemy import event

from nexus.errors import ExportStoppedError
from nexus.services.exports import export_run, queue
from nexus.services.exports.formats import books
from nexus.services.exports.work_folder import FILE, JOURNAL
from nexus.store import open_store
from tests.api.saving import save
from tests.exports.exporting import Exports
from tests.lifecycle_steps import LifecycleSteps

TITLES = ("Same", "Other", "same", "Old", "Same", "Waiting", "Last", "Older")
CHECKS = 4  # of one attempt: fewer than there are entries
CHECKS_OF = {"epub": 7, "readwise-csv": 2}  # the parts of one are larger, of the other smaller than an entry


class StopsAfter(Event):
    """An event that is set after it was asked so often, so that an attempt stops at any point of its work."""

    def __init__(self, checks: int) -> None:
        super().__init__()
        self._left = checks

    def is_set(self) -> bool:
        self._left -= 1
        return self._left < 0


@pytest.fixture(autouse=True)
def many_checkpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_run, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(books, "MAX_ENTRIES", 2)
    monkeypatch.setattr("nexus.services.exports.formats.chosen_entries.PAGE_SIZE", 2)


def fill(exports: Exports, steps: LifecycleSteps) -> list[str]:
    made = []
    for number, title in enumerate(TITLES):
        saved = save(exports.http, url=f"https://example.org/{number}")
        if title == "Waiting":
            continue
        media = str(steps.succeed_item(saved, f"Words of {title}.", title=title))
        exports.highlight(media, 0, 5)
        if title.startswith("Old"):
            assert exports.http.patch(f"/api/library/{media}", json={"archived": True}).is_success
        made.append(media)
    return made


class Attempts:
    """Attempts at one export, by workers on one machine."""

    def __init__(self, exports: Exports, export_id: str) -> None:
        self._exports = exports
        self._id = UUID(export_id)
        store = open_store(exports.settings, exports.database)
        self._destinations = export_run.ExportDestinations(store, exports.scratch, None, 0)
        self.work = exports.scratch / export_id

    def stop_after(self, checks: int) -> bool:
        """False if the export was finished before that."""
        with self._exports.database.transaction() as session:
            claim = queue.claim_export(session, uuid4(), 60)
        assert claim is not None
        assert claim.id == self._id
        wanted = self._exports.formats[claim.format]
        try:
            written, counts = export_run.write_export(self._destinations, claim, wanted, StopsAfter(checks))
        except ExportStoppedError:
            with self._exports.database.transaction() as session:
                queue.release_export(session, claim)
            return True
        with self._exports.database.transaction() as session:
            queue.finish_export(session, claim, written, counts, keep_seconds=60)
        return False


@pytest.mark.parametrize("kind", ["markdown", "html", "epub", "bookmarks", "readwise-csv"])
def test_it_goes_on_behind_the_last_checkpoint(exports: Exports, steps: LifecycleSteps, kind: str) -> None:
    first = fill(exports, steps)[0]
    whole = exports.ask(kind)
    exports.work()
    expected = exports.download(whole).content
    resumed = exports.ask(kind)
    same_time = "UPDATE exports SET created_at = (SELECT min(created_at) FROM exports) WHERE id = :p0 RETURNING 1"
    steps.row(same_time, resumed)
    attempts, checks = Attempts(exports, resumed), CHECKS_OF.get(kind, CHECKS)
    assert attempts.stop_after(checks)
    # What a kill may leave behind the last checkpoint.
    with (attempts.work / FILE).open("ab") as file:
        file.write(b"half of an entry")
    with (attempts.work / JOURNAL).open("ab") as journal:
        journal.write(b'{"checkpoint": {"size": 12')
    assert exports.http.patch(f"/api/library/{first}", json={"title": "Another title"}).is_success
    stops = 1
    while attempts.stop_after(checks):
        stops += 1
        assert stops < 10, "it starts from the beginning each time"
    assert stops >= 2
    assert exports.download(resumed).content == expected, "the first entry is as it was when it was written"
    found, other = exports.get(resumed), exports.get(whole)
    assert [found[name] for name in ("done", "total", "left_out")] == [
        other[name] for name in ("done", "total", "left_out")
    ]
    exports.work()
    assert list(exports.scratch.iterdir()) == []


def test_chosen_entries_go_on_in_their_order(exports: Exports, steps: LifecycleSteps) -> None:
    chosen = fill(exports, steps)[::-1]
    expected = exports.file("bookmarks", media_ids=chosen)
    attempts = Attempts(exports, resumed := exports.ask("bookmarks", media_ids=chosen))
    assert attempts.stop_after(2)
    while attempts.stop_after(CHECKS):
        pass
    assert exports.download(resumed).content == expected


def test_it_starts_over_where_nothing_fits(exports: Exports, steps: LifecycleSteps) -> None:
    """The next worker is on another machine, newer, or beside one that does not know yet that it lost its lease."""
    fill(exports, steps)
    expected = exports.file("bookmarks")
    attempts = Attempts(exports, resumed := exports.ask("bookmarks"))
    assert attempts.stop_after(CHECKS)
    with (attempts.work / FILE).open("rb+") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert attempts.stop_after(CHECKS)
        held.seek(0)
        held.write(b"what the other worker still writes")
    journal = attempts.work / JOURNAL
    journal.write_bytes(journal.read_bytes().replace(b'"release": "', b'"release": "0.'))
    assert attempts.stop_after(CHECKS)
    shutil.rmtree(attempts.work)
    assert attempts.stop_after(CHECKS)
    while attempts.stop_after(CHECKS):
        pass
    assert exports.download(resumed).content == expected


UNREADABLE = {
    "another release": lambda journal: journal.replace(b'"release": "', b'"release": "0.').replace(
        b'"total"', b'"all"'
    ),
    "other fields": lambda journal: journal.replace(b'"done"', b'"finished"'),
    "no JSON": lambda journal: journal + b"\0\0\0\0\n",
    "no object": lambda journal: journal + b"7\n",
}


@pytest.mark.parametrize("damage", UNREADABLE.values(), ids=UNREADABLE)
def test_it_starts_over_where_the_journal_cannot_be_read(
    exports: Exports, steps: LifecycleSteps, damage: Callable[[bytes], bytes]
) -> None:
    fill(exports, steps)
    expected = exports.file("bookmarks")
    attempts = Attempts(exports, resumed := exports.ask("bookmarks"))
    assert attempts.stop_after(CHECKS)
    journal = attempts.work / JOURNAL
    assert damage(journal.read_bytes()) != journal.read_bytes()
    journal.write_bytes(damage(journal.read_bytes()))
    while attempts.stop_after(CHECKS):
        pass
    assert exports.download(resumed).content == expected


@pytest.mark.parametrize("damage", [b"", b"\0\0\0\0\n", b'{"target": {"name": "of another release"}}\n'])
def test_a_cancelled_one_leaves_nothing(exports: Exports, steps: LifecycleSteps, damage: bytes) -> None:
    fill(exports, steps)
    attempts = Attempts(exports, made := exports.ask("bookmarks"))
    assert attempts.stop_after(CHECKS)
    assert attempts.work.is_dir()
    with (attempts.work / JOURNAL).open("ab") as journal:
        journal.write(damage)
    assert exports.http.delete(f"/api/exports/{made}").status_code == 204
    exports.work()
    assert list(exports.scratch.iterdir()) == []


def test_one_query_for_the_highlights_of_a_page(
    exports: Exports, steps: LifecycleSteps, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(exports, steps)
    monkeypatch.setattr("nexus.services.exports.formats.chosen_entries.PAGE_SIZE", 100)
    asked = []

    def note(_: object, __: object, statement: str, *___: object) -> None:
        if "FROM highlights AS highlight" in statement:
            asked.append(statement)

    event.listen(exports.database.engine, "before_cursor_execute", note)
    try:
        assert exports.file("readwise-csv").count(b"\r\n") == len(TITLES), "a head, and one of each text"
    finally:
        event.remove(exports.database.engine, "before_cursor_execute", note)
    assert len(asked) == 1
