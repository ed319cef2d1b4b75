"""Exports through the API: created, watched, downloaded in parts, cancelled, expired."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import BinaryIO
from uuid import UUID, uuid4

import httpx2
import pytest

from nexus.errors import StoreUnavailableError
from nexus.services.exports import requests
from nexus.services.exports.formats.chosen_entries import ChosenEntries
from nexus.services.exports.formats.format import ExportProgress
from nexus.services.exports.formats.format_name import FormatName
from nexus.store.collect import collect
from tests.api.saving import ALICE, BOB, as_user, save
from tests.api.streams import listening
from tests.api.test_errors import problem
from tests.exports.exporting import Exports
from tests.lifecycle_steps import LifecycleSteps
from tests.processes import eventually


@dataclass
class SlowFormat:
    """Writes a byte for each entry, each of them only when the test allows it."""

    name: FormatName = "bookmarks"
    wrote: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    may_write: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    fails: list[Exception] = field(default_factory=list)

    def filename(self, chosen: ChosenEntries) -> str:
        return f"{chosen.base_name}.html"

    def write(self, sink: BinaryIO, chosen: ChosenEntries, progress: ExportProgress) -> None:
        if self.fails:
            raise self.fails.pop()
        for _ in chosen.entries():
            sink.write(b"x")
            self.wrote.release()
            while not self.may_write.acquire(timeout=0.02):
                progress.check()
            progress.advance()


@pytest.fixture
def slow() -> Iterator[SlowFormat]:
    made = SlowFormat()
    yield made
    for _ in range(100):
        made.may_write.release()


def save_some(exports: Exports, steps: LifecycleSteps, count: int = 3, user: UUID = ALICE) -> list[UUID]:
    saved = [save(exports.http, user, url=f"https://example.org/{uuid4()}") for _ in range(count)]
    return [steps.succeed_item(item) for item in saved]


def test_an_export_is_written_by_a_worker_and_downloaded(exports: Exports, steps: LifecycleSteps) -> None:
    save_some(exports, steps)
    made = exports.ask("bookmarks")
    problem(exports.download(made), 409, "export_not_ready")
    exports.work()
    found = exports.get(made)
    assert (found["status"], found["done"], found["total"], found["message"]) == ("finished", 3, 3, None)
    assert found["filename"].endswith("-bookmarks.html")
    assert found["finished_at"] < found["expires_at"]
    assert exports.http.get("/api/exports").json() == {"exports": [found]}
    response = exports.download(made)
    assert response.headers["content-disposition"].startswith(f'attachment; filename="{found["filename"]}"')
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert response.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert len(response.content) == found["size"]
    assert list(exports.scratch.iterdir()) == []


def test_a_download_resumes_where_it_stopped(exports: Exports, steps: LifecycleSteps) -> None:
    save_some(exports, steps)
    made = exports.ask("bookmarks")
    exports.work()
    whole = exports.download(made)
    etag = whole.headers["etag"]
    rest = exports.download(made, headers={"Range": "bytes=100-", "If-Range": etag})
    assert (rest.status_code, rest.content) == (206, whole.content[100:])
    assert rest.headers["content-range"] == f"bytes 100-{len(whole.content) - 1}/{len(whole.content)}"
    other = exports.download(made, headers={"Range": "bytes=100-", "If-Range": '"another"'})
    assert (other.status_code, other.content) == (200, whole.content)
    problem(exports.download(made, headers={"Range": "bytes=999999-"}), 416, "range_not_satisfiable")


def test_nobody_sees_the_exports_of_another(exports: Exports, steps: LifecycleSteps) -> None:
    save_some(exports, steps)
    made = exports.ask("bookmarks")
    exports.work()
    nothing = {"error": "not_found", "message": "You have no such export; it may have expired."}
    for method, path in (("GET", made), ("GET", f"{made}/download"), ("DELETE", made)):
        for export_id in (made, str(uuid4())):
            response = exports.http.request(
                method, f"/api/exports/{path.replace(made, export_id)}", headers=as_user(BOB)
            )
            assert response.status_code == 404
            assert response.json()["detail"] | nothing == response.json()["detail"]
    assert exports.http.get("/api/exports", headers=as_user(BOB)).json() == {"exports": []}
    assert exports.get(made)["status"] == "finished"


def test_only_what_was_chosen_is_exported(exports: Exports, steps: LifecycleSteps) -> None:
    saved = save(exports.http, url="https://example.org/whale"), save(exports.http, url="https://example.org/snail")
    whale, snail = (
        steps.succeed_item(item, f"All about the {word} " * 3, title=word, canonical_url=f"https://example.org/{word}")
        for item, word in zip(saved, ("whale", "snail"), strict=True)
    )
    exports.http.patch(f"/api/library/{snail}", json={"archived": True})
    assert b"/whale" in exports.file("bookmarks")
    found = exports.file("bookmarks", query="about -whale")
    assert b"/snail" in found
    assert b"/whale" not in found
    chosen = exports.file("bookmarks", media_ids=[str(whale)])
    assert b"/whale" in chosen
    assert b"/snail" not in chosen


def test_what_cannot_be_chosen_is_refused(exports: Exports, steps: LifecycleSteps) -> None:
    (own,) = save_some(exports, steps, 1)
    (theirs,) = save_some(exports, steps, 1, BOB)

    def ask(**body: object) -> httpx2.Response:
        return exports.http.post("/api/exports", json={"format": "bookmarks", **body})

    problem(ask(media_ids=[str(own), str(theirs)]), 404, "not_found")
    problem(ask(query="zebra"), 409, "nothing_to_download")
    problem(ask(query="  "), 422, "invalid_request")
    problem(ask(query="a", media_ids=[str(own)]), 422, "invalid_request")
    problem(ask(format="papyrus"), 422, "invalid_request")
    assert exports.http.get("/api/exports").json() == {"exports": []}


def test_a_user_has_a_limit(exports: Exports, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "MAX_WAITING", 2)
    monkeypatch.setattr(requests, "MAX_KEPT", 3)
    made = [exports.ask("bookmarks") for _ in range(2)]
    problem(exports.http.post("/api/exports", json={"format": "bookmarks"}), 409, "too_many_exports")
    assert exports.ask("bookmarks", user=BOB)
    exports.work()
    exports.ask("bookmarks")
    exports.work()
    problem(exports.http.post("/api/exports", json={"format": "bookmarks"}), 409, "too_many_exports")
    assert exports.http.delete(f"/api/exports/{made[0]}").status_code == 204
    exports.ask("bookmarks")


def test_a_file_beyond_the_users_room_fails(exports: Exports, steps: LifecycleSteps) -> None:
    save_some(exports, steps)
    first = exports.ask("bookmarks")
    exports.work()
    size = exports.get(first)["size"]
    second = exports.ask("bookmarks")
    exports.work(bytes_per_user=size + 100)
    found = exports.get(second)
    assert found["status"] == "failed"
    assert found["message"].startswith("The file would be larger than the 100 bytes available.")
    exports.http.delete(f"/api/exports/{first}")
    third = exports.ask("bookmarks")
    exports.work(bytes_per_user=size + 100)
    assert exports.get(third)["status"] == "finished"


def test_one_that_runs_is_cancelled(
    exports: Exports, steps: LifecycleSteps, slow: SlowFormat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nexus.services.exports.export_run.NOTE_SECONDS", 0.0)
    save_some(exports, steps)
    made = exports.ask("bookmarks")
    background, exporter = exports.worker(formats={"bookmarks": slow})
    background.start()
    assert slow.wrote.acquire(timeout=300)
    slow.may_write.release()
    assert slow.wrote.acquire(timeout=300)
    assert {name: exports.get(made)[name] for name in ("status", "done", "total")} == {
        "status": "running", "done": 1, "total": 3,
    }  # fmt: skip
    assert exports.http.delete(f"/api/exports/{made}").status_code == 204
    eventually(lambda: not exporter.is_busy(), "it stops")
    background.stop(60)
    found = exports.get(made)
    assert (found["status"], found["done"], found["size"]) == ("cancelled", 1, None)
    assert not slow.wrote.acquire(blocking=False), "the third entry was not written"
    assert list(exports.scratch.iterdir()) == []
    assert exports.http.delete(f"/api/exports/{made}").status_code == 204
    assert exports.http.get("/api/exports").json() == {"exports": []}


def test_a_worker_that_stops_leaves_it_to_another(exports: Exports, steps: LifecycleSteps, slow: SlowFormat) -> None:
    save_some(exports, steps)
    made = exports.ask("bookmarks")
    background, _ = exports.worker(formats={"bookmarks": slow})
    background.start()
    assert slow.wrote.acquire(timeout=300)
    background.stop(60)
    assert exports.get(made)["status"] == "queued"
    exports.work()
    assert exports.get(made)["status"] == "finished"
    assert steps.row("SELECT attempts FROM exports")[0] == 1, "stopping is no failed attempt"


def test_a_lease_that_ran_out_is_taken_over(exports: Exports, steps: LifecycleSteps, slow: SlowFormat) -> None:
    """The first worker was only slow: what it writes in the end does not count."""
    save_some(exports, steps, 1)
    made = exports.ask("bookmarks")
    background, exporter = exports.worker(formats={"bookmarks": slow}, lease_seconds=0)
    background.start()
    assert slow.wrote.acquire(timeout=300)
    exports.work()
    found = exports.get(made)
    assert (found["status"], found["done"]) == ("finished", 1)
    slow.may_write.release()
    eventually(lambda: not exporter.is_busy(), "it ends")
    background.stop(60)
    assert exports.get(made) == found


def test_a_store_that_is_away_is_waited_for(exports: Exports, steps: LifecycleSteps) -> None:
    save_some(exports, steps, 1)
    made = exports.ask("bookmarks")
    away = SlowFormat(fails=[StoreUnavailableError("The store is away.")])
    exports.work(formats={"bookmarks": away})
    found = exports.get(made)
    assert (found["status"], found["message"]) == ("queued", "The store is away.")
    exports.work()
    assert exports.get(made)["status"] == "queued", "not at once"
    make_due(steps)
    exports.work()
    found = exports.get(made)
    assert (found["status"], found["message"]) == ("finished", None)


def test_what_breaks_again_and_again_fails(exports: Exports, steps: LifecycleSteps) -> None:
    made = exports.ask("bookmarks")
    broken = SlowFormat(fails=[ValueError("a bug")] * 5)
    said = set()
    for _ in range(5):
        assert exports.get(made)["status"] == "queued"
        make_due(steps)
        exports.work(formats={"bookmarks": broken})
        said.add(exports.get(made)["message"])
    assert exports.get(made)["status"] == "failed"
    # While it waits for another attempt it has not failed, and nobody needs to try again.
    assert said == {"An error on the server interrupted the export. The server's log has the details."}


def make_due(steps: LifecycleSteps) -> None:
    steps.row("UPDATE exports SET due_at = now() RETURNING 1")


def test_an_export_expires_and_its_file_is_collected(exports: Exports, steps: LifecycleSteps) -> None:
    save_some(exports, steps, 1)
    made = exports.ask("bookmarks")
    exports.work()
    blob = bytes(steps.row("SELECT sha256 FROM exports")[0])
    _, exporter = exports.worker()
    store = exporter._destinations.store
    steps.row("UPDATE blobs SET touched_at = now() - interval '1 day' RETURNING 1")
    collect(store, grace=timedelta(hours=1))
    assert store.exists(blob)
    steps.row("UPDATE exports SET expires_at = now() RETURNING 1")
    problem(exports.download(made), 404, "not_found")
    assert exports.http.get("/api/exports").json() == {"exports": []}
    exports.work()
    assert steps.row("SELECT count(*) FROM exports")[0] == 0
    collect(store, grace=timedelta(hours=1))
    assert not store.exists(blob)


def test_open_pages_are_told(exports: Exports) -> None:
    with listening(str(exports.http.base_url), ALICE) as mine, listening(str(exports.http.base_url), BOB) as theirs:
        exports.ask("bookmarks")
        assert mine.next() == ("exports", {})
        exports.work()
        assert mine.next() == ("exports", {})
        theirs.nothing_more()


def test_an_empty_library_is_a_file_without_entries(exports: Exports) -> None:
    assert b"<DL><p>\n</DL><p>" in exports.file("bookmarks")
