"""``nexus export`` against a real server, with a worker beside it and connections that break."""

import csv
import json
import socket
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import StringIO
from pathlib import Path
from typing import get_args
from urllib.parse import urlsplit
from uuid import uuid4

import pytest

from nexus.cli.exports import resuming
from nexus.services.exports.formats.format import ExportFormat
from nexus.services.exports.formats.format_name import FormatName
from nexus.services.search.index_process import index_here
from tests.api.saving import ALICE, save
from tests.exports.exporting import Exports
from tests.lifecycle_steps import LifecycleSteps
from tests.processes import Nexus


@pytest.fixture
def nexus(data_dir: Path, exports: Exports) -> Iterator[Nexus]:
    """The command, with a worker that writes the exports."""
    background, _ = exports.worker()
    background.start()
    yield Nexus(data_dir, {"NEXUS_URL": str(exports.http.base_url), "DEV_USER_ID": str(ALICE)})
    background.stop(60)


def save_texts(exports: Exports, steps: LifecycleSteps, words: str = "Some words", count: int = 1) -> list[str]:
    saved = [save(exports.http, url=f"https://example.org/{uuid4()}") for _ in range(count)]
    return [str(steps.succeed_item(item, words, title=f"Text {n}")) for n, item in enumerate(saved)]


def test_a_library_becomes_a_file(nexus: Nexus, exports: Exports, steps: LifecycleSteps, tmp_path: Path) -> None:
    save_texts(exports, steps, count=2)
    target = tmp_path / "library.zip"
    target.write_text("an earlier one")
    done = nexus.invoke("export", str(target), "--format", "markdown")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"Wrote {target} ({target.stat().st_size:,} bytes): 2 entries.\n"
    with zipfile.ZipFile(target) as archive:
        assert sorted(archive.namelist()) == ["Text 0.md", "Text 1.md"]
    assert [path.name for path in tmp_path.iterdir()] == ["library.zip"]
    assert exports.http.get("/api/exports").json() == {"exports": []}, "nothing stays on the server"


def test_into_a_folder_and_as_json(nexus: Nexus, exports: Exports, steps: LifecycleSteps, tmp_path: Path) -> None:
    save_texts(exports, steps)
    save(exports.http, pasted_text="A paste without a link")
    assert index_here(exports.database, exports.settings.data_dir)
    done = nexus.invoke("export", str(tmp_path), "--format", "bookmarks", "--query", "words OR paste", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    said = json.loads(done.stdout)
    assert said["status"] == "finished"
    assert [each["reason"] for each in said["left_out"]] == ["it has no web address"]
    assert [str(path) for path in tmp_path.iterdir()] == [said["path"]]


def test_to_stdout(nexus: Nexus, exports: Exports, steps: LifecycleSteps) -> None:
    (media,) = save_texts(exports, steps)
    exports.highlight(media, 0, 4)
    done = nexus("export", "-", "--format", "readwise-csv")
    assert done.returncode == 0, done.stderr
    assert [row[0] for row in csv.reader(StringIO(done.stdout))] == ["Highlight", "Some"]


def test_what_cannot_be_exported_is_said(nexus: Nexus, exports: Exports, tmp_path: Path) -> None:
    target = tmp_path / "book.epub"
    refused = {
        ("export", str(tmp_path / "no" / "folder.zip")): (1, "There is no folder"),
        ("export", str(target), "--format", "papyrus"): (2, "papyrus"),
        ("export", str(target), "--query", "zebra"): (1, "Nothing in your library matches this"),
        ("export", str(target), "--format", "epub"): (1, "None of these has a text to read yet"),
        ("export", "-", "--json"): (2, "--json"),
    }
    for arguments, (code, words) in refused.items():
        done = nexus.invoke(*arguments)
        assert (done.returncode, len(done.stderr.splitlines())) == (code, 1), done.stderr
        assert words in done.stderr
    assert list(tmp_path.iterdir()) == []
    assert exports.http.get("/api/exports").json() == {"exports": []}


class BreakingRelay:
    """Passes connections on to a server; those of downloads end after so many bytes, so many times."""

    def __init__(self, url: str, after: int, times: int) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self._target = (urlsplit(url).hostname or "", urlsplit(url).port or 0)
        self._after = after
        self.left = times
        self.ranges: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.getsockname()[1]}"

    def run(self) -> None:
        with suppress(OSError):  # closed
            while True:
                client, _ = self._server.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()

    def _serve(self, client: socket.socket) -> None:
        with client, socket.create_connection(self._target) as server, suppress(OSError):
            while request := _whole_request(client):
                server.sendall(request)
                is_download = b"/download " in request
                if is_download:
                    lines = request.decode().split("\r\n")
                    self.ranges += [line for line in lines if line.lower().startswith("range:")]
                if not self._answer(server, client, breaks=is_download and self.left > 0):
                    return

    def _answer(self, server: socket.socket, client: socket.socket, *, breaks: bool) -> bool:
        """True if the connection stays open."""
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += server.recv(65536)
        head, _, body = answer.partition(b"\r\n\r\n")
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        left = int(fields.get(b"content-length", b"0"))
        client.sendall(head + b"\r\n\r\n")
        sent = 0
        while True:
            if breaks and sent + len(body) > self._after:
                self.left -= 1
                return False
            client.sendall(body)
            sent += len(body)
            if sent >= left:
                return True
            body = server.recv(16384)


def _whole_request(client: socket.socket) -> bytes:
    request = client.recv(65536)
    while request and b"\r\n\r\n" not in request:
        request += client.recv(65536)
    head, _, body = request.partition(b"\r\n\r\n")
    length = next((int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0)
    while len(body) < length:
        body += client.recv(65536)
    return head + b"\r\n\r\n" + body if request else b""


@contextmanager
def breaking(url: str, after: int, times: int) -> Iterator[BreakingRelay]:
    relay = BreakingRelay(url, after, times)
    thread = threading.Thread(target=relay.run)
    thread.start()
    try:
        yield relay
    finally:
        relay.close()
        thread.join()


def test_a_connection_that_breaks_is_taken_up_again(
    nexus: Nexus, exports: Exports, steps: LifecycleSteps, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resuming, "FIRST_PAUSE_SECONDS", 0.01)
    save_texts(exports, steps, " ".join(uuid4().hex for _ in range(12_000)))
    with breaking(str(exports.http.base_url), after=100_000, times=2) as relay:
        done = nexus.invoke("export", str(tmp_path / "page.html"), "--format", "html", NEXUS_URL=relay.url)
        assert (done.returncode, done.stderr) == (0, "")
    assert len(relay.ranges) == 2
    page = (tmp_path / "page.html").read_text()
    assert page.rstrip().endswith("</html>")
    assert len(page) > 390_000
    with breaking(str(exports.http.base_url), after=0, times=100) as relay:
        done = nexus.invoke("export", str(tmp_path / "other.html"), "--format", "html", NEXUS_URL=relay.url)
        assert done.returncode == 1
        assert "The download was interrupted" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_formats_are_those_of_the_worker(formats: dict[str, ExportFormat]) -> None:
    assert set(formats) == set(get_args(FormatName))
