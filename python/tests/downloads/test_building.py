"""Building takes time: one user does not wait for another, and nobody builds for a client that left."""

import secrets
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx2
import psutil
import pytest

from nexus.app import create_app
from nexus.db.embedded import EmbeddedServer
from nexus.db.session import Database
from nexus.http.responses import downloads
from nexus.services.downloads.builder import DownloadBuilder
from nexus.services.downloads.picture_files import StoredPicture
from nexus.services.users import CurrentUser
from nexus.text.sanitize import sanitize_html
from tests.api.pictures import picture
from tests.api.saving import ALICE, BOB, as_user, save
from tests.api.test_errors import problem
from tests.conftest import serving, settings_for
from tests.downloads.books import read_book
from tests.lifecycle_steps import LifecycleSteps
from tests.operator.disks_and_pids import SmallDisk, small_disk
from tests.processes import TRUSTS_NOBODY, eventually

TEXT = "<p>Words</p>" + "".join(f'<img src="https://example.org/{n}.png">' for n in range(3))


@dataclass
class SlowPictures:
    """Pictures that are returned when `go` is set."""

    go: threading.Event = field(default_factory=threading.Event)
    asked: list[str] = field(default_factory=list)

    def read(self, _user: CurrentUser, url: str) -> StoredPicture | None:
        self.asked.append(url)
        self.go.wait(300)
        return StoredPicture(picture())


@pytest.fixture
def pictures() -> SlowPictures:
    return SlowPictures()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(tmp_path / "disk") as made:
        yield made


@pytest.fixture
def http(
    postgres: EmbeddedServer, database_name: str, database: Database, disk: SmallDisk, pictures: SlowPictures
) -> Iterator[httpx2.Client]:
    app = create_app(settings_for(postgres, database_name, data_dir=disk.root), database)
    app.state.downloads.close()
    app.state.downloads = DownloadBuilder(database, disk.root / "downloads", pictures.read)
    with serving(app) as url, httpx2.Client(base_url=url, timeout=60, verify=TRUSTS_NOBODY) as client:
        yield client
        pictures.go.set()


def save_text(http: httpx2.Client, steps: LifecycleSteps, user: UUID, html: str = TEXT) -> UUID:
    return steps.succeed_item(save(http, user), html_sanitized=sanitize_html(html, "https://example.org/"))


def download(http: httpx2.Client, media_id: UUID, user: UUID, kind: str = "html") -> httpx2.Response:
    return http.get(f"/media/{media_id}/download?format={kind}", headers=as_user(user))


def test_one_user_does_not_wait_for_another(http: httpx2.Client, steps: LifecycleSteps, pictures: SlowPictures) -> None:
    slow, plain = save_text(http, steps, ALICE), save_text(http, steps, BOB, "<p>No pictures</p>")
    with ThreadPoolExecutor(3) as pool:
        waiting = [pool.submit(download, http, slow, ALICE) for _ in range(3)]
        eventually(lambda: len(pictures.asked) == 1, "one of them is being built")
        assert download(http, plain, BOB).status_code == 200
        assert not any(each.done() for each in waiting)
        pictures.go.set()
        assert [each.result().status_code for each in waiting] == [200] * 3


def test_nobody_builds_for_a_client_that_left(
    http: httpx2.Client, steps: LifecycleSteps, pictures: SlowPictures, disk: SmallDisk
) -> None:
    media_id = save_text(http, steps, ALICE)
    with socket.create_connection((http.base_url.host, http.base_url.port or 0)) as raw:
        path = f"/media/{media_id}/download?format=epub"
        raw.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-User-Id: {ALICE}\r\n\r\n".encode())
        eventually(lambda: len(pictures.asked) == 1, "it is being built")
    http.get("/api/me", headers=as_user(ALICE))  # its end has been seen by then
    pictures.go.set()
    plain = save_text(http, steps, ALICE, "<p>No pictures</p>")
    assert download(http, plain, ALICE).status_code == 200, "the next one has its turn"
    assert len(pictures.asked) == 1, "the other pictures were not read"
    assert list((disk.root / "downloads").iterdir()) == []


@pytest.mark.usefixtures("sent_when_built")
@pytest.mark.parametrize("kind", ["html", "epub"])
def test_a_full_disk_is_said(
    http: httpx2.Client, steps: LifecycleSteps, pictures: SlowPictures, disk: SmallDisk, kind: str
) -> None:
    pictures.go.set()
    media_id = save_text(http, steps, ALICE, TEXT + "<p>More words</p>" * 20_000)
    with disk.full(psutil.Process()):
        problem(download(http, media_id, ALICE, kind), 507, "disk_full")
    assert download(http, media_id, ALICE, kind).status_code == 200
    assert list((disk.root / "downloads").iterdir()) == []


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """All responses begin before the file is built."""
    monkeypatch.setattr(downloads, "START_SECONDS", 0.0)
    monkeypatch.setattr(downloads, "KEEPALIVE_SECONDS", 0.05)


def both(http: httpx2.Client, kind: str, media_ids: list[UUID]) -> AbstractContextManager[httpx2.Response]:
    query: dict[str, Any] = {"format": kind, "media_id": [str(media_id) for media_id in media_ids]}
    return http.stream("GET", "/api/library/download", params=query, headers=as_user(ALICE))


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("kind", ["html", "epub"])
def test_large_file_begins_to_come_before_it_is_built(
    http: httpx2.Client, steps: LifecycleSteps, pictures: SlowPictures, kind: str
) -> None:
    """The first text is sent while the pictures of the second are awaited."""
    texts = [save_text(http, steps, ALICE, "<p>The first text</p>"), save_text(http, steps, ALICE)]
    with both(http, kind, texts) as response:
        assert (response.status_code, "content-length" in response.headers) == (200, False)
        assert response.headers["content-disposition"].startswith(f'attachment; filename="Selection.{kind}"')
        pieces = response.iter_raw()
        received = next(pieces)
        assert received.startswith(b"PK" if kind == "epub" else b"<!DOCTYPE html>\n")
        assert not pictures.go.is_set()
        pictures.go.set()
        received += b"".join(pieces)
    pictures.go.set()
    whole = http.get(
        "/api/library/download",
        params={"format": kind, "media_id": [str(media_id) for media_id in texts]},
        headers=as_user(ALICE),
    )
    assert b"".join(received.split()) == b"".join(whole.content.split())
    if kind == "epub":
        read_book(received)


@pytest.mark.usefixtures("soon")
def test_single_text_gives_its_title_to_the_file(
    http: httpx2.Client, steps: LifecycleSteps, pictures: SlowPictures
) -> None:
    """It belongs to the user, whether it is sent before or after it is built."""
    media_id = save_text(http, steps, ALICE)
    renamed = http.patch(f"/api/library/{media_id}", json={"title": "Mine"}, headers=as_user(ALICE))
    assert renamed.is_success
    by_id = http.stream("GET", f"/media/{media_id}/download", params={"format": "html"}, headers=as_user(ALICE))
    for asked in (by_id, both(http, "html", [media_id])):
        with asked as response:
            assert not pictures.go.is_set()
            assert response.headers["content-disposition"].startswith('attachment; filename="Mine.html"')
    pictures.go.set()


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("kind", ["html", "epub"])
def test_something_comes_while_the_first_text_is_awaited(
    http: httpx2.Client, steps: LifecycleSteps, pictures: SlowPictures, kind: str
) -> None:
    """Piece by piece: a proxy that hears nothing for a minute ends the connection."""
    texts = [save_text(http, steps, ALICE), save_text(http, steps, ALICE, "<p>The second text</p>")]
    with both(http, kind, texts) as response:
        pieces = response.iter_raw()
        received = b"".join(next(pieces) for _ in range(5))
        assert not pictures.go.is_set()
        pictures.go.set()
        received += b"".join(pieces)
    whole = http.get(
        "/api/library/download",
        params={"format": kind, "media_id": [str(media_id) for media_id in texts]},
        headers=as_user(ALICE),
    )
    assert b"".join(received.split()) == b"".join(whole.content.split())


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("kind", ["html", "epub"])
def test_file_that_breaks_off_is_not_taken_for_whole(
    http: httpx2.Client, steps: LifecycleSteps, pictures: SlowPictures, disk: SmallDisk, kind: str
) -> None:
    long = TEXT + f"<p>{secrets.token_hex(500_000)}</p>"  # which a book cannot make short
    texts = [save_text(http, steps, ALICE, "<p>The first text</p>"), save_text(http, steps, ALICE, long)]
    with both(http, kind, texts) as response:
        pieces = response.iter_raw()
        next(pieces)
        eventually(lambda: len(pictures.asked) == 1, "the first text is written")
        with disk.full(psutil.Process()):
            pictures.go.set()
            with pytest.raises(httpx2.RemoteProtocolError):
                b"".join(pieces)
    assert list((disk.root / "downloads").iterdir()) == []


@pytest.mark.usefixtures("soon")
def test_file_without_chunks_has_its_length(http: httpx2.Client, steps: LifecycleSteps, pictures: SlowPictures) -> None:
    """Some proxies ask with HTTP/1.0, where an interrupted response would look whole."""
    media_id = save_text(http, steps, ALICE)
    with socket.create_connection((http.base_url.host, http.base_url.port or 0)) as raw:
        path = f"/media/{media_id}/download?format=html"
        raw.sendall(f"GET {path} HTTP/1.0\r\nHost: 127.0.0.1\r\nX-User-Id: {ALICE}\r\n\r\n".encode())
        eventually(lambda: len(pictures.asked) == 1, "it is being built")
        pictures.go.set()
        answer = b"".join(iter(lambda: raw.recv(65536), b""))
    head, _, body = answer.partition(b"\r\n\r\n")
    assert f"content-length: {len(body)}" in head.decode().lower()
