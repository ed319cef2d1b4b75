"""Files for an import are streamed to disk and read in another process; only the preview is kept."""

import os
import resource
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import httpx2
import psutil
import psycopg
import pytest

from nexus.db.embedded import EmbeddedServer
from nexus.db.session import Database
from nexus.errors import DiskFullError
from nexus.services.imports import limits
from nexus.services.imports.uploads import Uploads
from nexus.services.tokens import create_token
from nexus.text.imports.read_export import read_export
from tests.api.test_errors import problem
from tests.conftest import running_app, settings_for
from tests.imports.uploading import LINKS, preview, send
from tests.processes import TRUSTS_NOBODY, eventually
from tests.pure.imports.reading import zipped

BOUNDARY = "x" * 20
HEAD = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\n'.encode()
TAIL = f"\r\n--{BOUNDARY}--\r\n".encode()
TYPE = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}


@pytest.fixture
def uploads(data_of_process: Path) -> Iterator[Path]:
    folder = data_of_process / "uploads"
    yield folder
    assert left_in(folder) == []


def left_in(folder: Path) -> list[str]:
    return [name for name in os.listdir(folder) if name != "lock"] if folder.exists() else []  # noqa: PTH208


def test_a_preview_changes_nothing(client: httpx2.Client, connection: psycopg.Connection, uploads: Path) -> None:
    made = preview(client, {"links.txt": LINKS})
    assert (made["status"], made["total"], made["counts"]["items"]) == ("previewed", 2, 2)
    assert [row["url"] for row in made["rows"]] == LINKS.split()
    assert made["files"] == [{"name": "links.txt", "size": len(LINKS)}]
    assert made["outcomes"] == {"added": 0, "merged": 0, "unchanged": 0, "failed": 0, "waiting": 2}
    assert (made["started_at"], made["rate_per_second"], made["seconds_left"]) == (None, None, None)
    assert client.get(f"/api/imports/{made['id']}").json() == made
    assert client.get("/api/library").json()["entries"] == []
    counted = connection.execute("SELECT (SELECT count(*) FROM items) + (SELECT count(*) FROM import_rows)").fetchone()
    assert counted == (0,)


def test_what_cannot_be_read_says_so(client: httpx2.Client, uploads: Path) -> None:
    unknown = problem(send(client, {"photo.bin": b"\0\1\2" * 1000}), 422, "import_not_recognised")
    assert unknown["message"]
    problem(send(client, {"links.txt": LINKS}, source="abacus"), 422, "import_not_recognised")
    problem(send(client, {"links.zip": b"PK\3\4 and then nothing"}), 422, "import_not_recognised")
    assert client.get("/api/imports").json() == {"imports": [], "next_cursor": None}


def test_forms_that_are_none(client: httpx2.Client, uploads: Path) -> None:
    def refused(content: bytes, headers: dict[str, str] = TYPE, status: int = 422) -> None:
        problem(client.post("/api/imports", content=content, headers=headers), status, "invalid_upload")

    refused(b"{}", {"Content-Type": "application/json"})
    refused(HEAD + LINKS.encode() + TAIL, {"Content-Type": "multipart/form-data"})
    refused(b"")
    refused(b"no part at all")
    refused(HEAD + LINKS.encode())  # it ends in the middle
    refused(HEAD.replace(b'"files"', b'"file"') + LINKS.encode() + TAIL)
    refused(HEAD.replace(b'; filename="a.txt"', b"") + LINKS.encode() + TAIL)
    refused(HEAD.replace(b'"a.txt"', b'""') + TAIL)  # a file input in which nothing was chosen
    refused(HEAD.replace(b"a.txt", b"a" * 10_000) + LINKS.encode() + TAIL)
    field = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="source"\r\n\r\n'.encode()
    refused(field + b"pocket" * 1000 + TAIL)
    refused(field + b"pocket" + TAIL)  # and no file


def test_names_of_files_are_only_names(client: httpx2.Client, uploads: Path, data_of_process: Path) -> None:
    made = preview(client, {"../../../evil\u2028\x7f.txt": LINKS, "/etc/passwd": LINKS})
    assert [file["name"] for file in made["files"]] == ["../../../evil .txt", "/etc/passwd"]
    # The databases beside it come and go: `walk` passes over a folder that is gone.
    names = {name for _, _, files in os.walk(data_of_process.parent) for name in files}
    assert "PG_VERSION" in names
    assert not [name for name in names if name.startswith("evil")]


def test_a_thousand_files(client: httpx2.Client, uploads: Path) -> None:
    made = preview(client, {f"list-{n}.txt": f"https://example.org/{n}\n" for n in range(1000)})
    assert (made["total"], made["counts"]["files"], len(made["files"]), len(made["rows"])) == (1000, 1000, 100, 20)
    too_many = send(client, {f"list-{n}.txt": "https://example.org/" for n in range(5011)})
    assert "ZIP" in problem(too_many, 422, "invalid_upload")["message"]


def test_memory_stays_small_and_so_does_the_limit(
    postgres: EmbeddedServer, database: Database, database_name: str, data_dir: Path
) -> None:
    """A chunked body, whose length is not known before its end."""
    settings = settings_for(postgres, database_name, data_dir=data_dir, import_max_bytes=64 << 20)
    line = b"https://example.org/a-page-with-a-long-name-and-more-of-it\n" * 17_000
    with running_app(settings, database) as url, httpx2.Client(base_url=url, timeout=60, verify=TRUSTS_NOBODY) as http:
        before = psutil.Process().memory_info().rss
        peaks: list[int] = []

        def pieces(count: int) -> Iterator[bytes]:
            yield HEAD
            for _ in range(count):
                peaks.append(psutil.Process().memory_info().rss)
                yield line
            yield TAIL

        problem(http.post("/api/imports", content=pieces(70), headers=TYPE), 413, "body_too_large")
        assert max(peaks) - before < 30 << 20
        announced = {**TYPE, "Content-Length": str(65 << 20)}
        problem(http.post("/api/imports", content=b"x" * (65 << 20), headers=announced), 413, "body_too_large")
        assert left_in(data_dir / "uploads") == []


def raw_connection(url: str) -> socket.socket:
    parts = urlsplit(url)
    return socket.create_connection((parts.hostname, parts.port), timeout=60)


def head_of(url: str, length: int, **headers: str) -> bytes:
    lines = {"Host": urlsplit(url).netloc, "Content-Length": str(length), **TYPE, **headers}
    return "\r\n".join(["POST /api/imports HTTP/1.1", *(f"{n}: {v}" for n, v in lines.items()), "", ""]).encode()


def test_an_upload_that_breaks_off_leaves_nothing(dev_server: str, client: httpx2.Client, uploads: Path) -> None:
    with raw_connection(dev_server) as peer:
        peer.sendall(head_of(dev_server, 50 << 20) + HEAD + b"x" * (2 << 20))
        eventually(lambda: left_in(uploads), "nothing was received")
    eventually(lambda: not left_in(uploads), "what was received is still there")
    assert client.get("/api/imports").json()["imports"] == []


def test_unknown_users_are_refused_before_their_upload(
    token_server: str, token_client: httpx2.Client, database: Database, uploads: Path
) -> None:
    """A client that sends Expect: 100-continue, as curl does, sends nothing of the body."""
    with raw_connection(token_server) as peer:
        peer.sendall(head_of(token_server, 50 << 20, Expect="100-continue"))
        assert b" 401 " in peer.recv(1000).splitlines()[0]
    problem(send(token_client, {"a.txt": b"x" * 1_000_000}), 401, "unauthenticated")
    with database.transaction() as session:
        token = create_token(session, uuid4(), operator=False, label="test").secret
    allowed = {"Authorization": f"Bearer {token}"}
    problem(send(token_client, {"a.txt": LINKS}, headers=allowed | {"Origin": "https://evil.example"}), 403,
            "foreign_origin")  # fmt: skip
    problem(send(token_client, {"a.txt": LINKS}, headers=allowed | {"X-Expected-User": str(uuid4())}), 409,
            "other_user")  # fmt: skip
    assert preview(token_client, {"a.txt": LINKS}, headers=allowed)["total"] == 2


def receive(uploads: Uploads, size: int) -> None:
    with uploads.receive() as upload:
        upload.begin("a")
        upload.write(b"x" * size)
        upload.end()


def test_a_full_disk_is_said_and_leaves_nothing(tmp_path: Path) -> None:
    """The reserve is kept free for the database; a write that fails nevertheless gives the same error."""
    with pytest.raises(DiskFullError):
        receive(Uploads(tmp_path / "a", reserve=1 << 60), 1)
    files = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, files[1]))
    try:
        with pytest.raises(DiskFullError):
            receive(Uploads(tmp_path / "b"), 2 << 20)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, files)
    assert left_in(tmp_path / "a") == left_in(tmp_path / "b") == []


def test_what_is_unpacked_leaves_the_reserve(tmp_path: Path) -> None:
    (tmp_path / "inner").write_bytes(zipped({"inner.zip": zipped({"links.txt": LINKS})}))
    (tmp_path / "plain").write_text(LINKS)
    for name in ("inner", "plain"):
        with pytest.raises(DiskFullError):
            read_export([(f"{name}.zip", tmp_path / name)], tmp_path / "rows", reserve=1 << 60)
        assert read_export([(f"{name}.zip", tmp_path / name)], tmp_path / "rows").total == 2


def test_a_full_disk_over_http(
    postgres: EmbeddedServer, database: Database, database_name: str, data_dir: Path
) -> None:
    settings = settings_for(postgres, database_name, data_dir=data_dir, store_reserve_bytes=1 << 60)
    with running_app(settings, database) as url, httpx2.Client(base_url=url, timeout=60, verify=TRUSTS_NOBODY) as http:
        problem(send(http, {"a.txt": b"x" * 100_000}), 507, "disk_full")
    assert left_in(data_dir / "uploads") == []


def test_what_a_killed_server_left_is_removed(tmp_path: Path) -> None:
    folder = tmp_path / "uploads"
    uploads = Uploads(folder)
    with uploads.receive() as running:
        running.begin("a")
        killed = folder / "killed"
        killed.mkdir()
        (killed / "0").write_bytes(b"x")
        assert uploads.remove_leftovers() == 1
        assert running.folder.exists()
    assert left_in(folder) == []


def test_a_user_has_so_many_at_a_time(client: httpx2.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_UNFINISHED", 1)
    made = preview(client, {"a.txt": LINKS})
    problem(send(client, {"b.txt": LINKS}), 409, "too_many_imports")
    assert preview(client, {"b.txt": LINKS}, headers={"X-User-Id": str(uuid4())})
    assert client.delete(f"/api/imports/{made['id']}").status_code == 204
    preview(client, {"b.txt": LINKS})


def test_uploads_of_one_user_at_once(dev_server: str, client: httpx2.Client, uploads: Path) -> None:
    """Uploads of other users go on meanwhile."""
    peers = [raw_connection(dev_server) for _ in range(3)]
    try:
        for peer in peers:
            peer.sendall(head_of(dev_server, 10 << 20) + HEAD)
        eventually(lambda: len(left_in(uploads)) == 3, "not all have begun")
        problem(send(client, {"a.txt": LINKS}), 429, "too_many_uploads")
        assert preview(client, {"a.txt": LINKS}, headers={"X-User-Id": str(uuid4())})
    finally:
        for peer in peers:
            peer.close()
    eventually(lambda: not left_in(uploads), "what was received is still there")


def test_two_uploads_at_once_are_two_imports(client: httpx2.Client, uploads: Path) -> None:
    threads = [threading.Thread(target=preview, args=(client, {f"{n}.txt": LINKS})) for n in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(client.get("/api/imports").json()["imports"]) == 2
