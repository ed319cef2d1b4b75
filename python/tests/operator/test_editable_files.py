"""What may stand where a file of the operator's should be: links, folders, pipes. Nothing outside is touched."""

import os
import socket
import stat
import time
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest

from nexus.errors import NexusError, UnreadableOperatorConfigError
from nexus.operator.corpus import CorpusDirectory
from nexus.operator.feeds_file import read_feeds
from nexus.operator.operator_config import OperatorConfigFile
from nexus.system.atomic_files import temporary_prefix
from tests.operator.conftest import OperatorServer

FEED = "https://example.com/feed.xml"
KINDS = {
    "/api/feeds": ("feeds.spec.yaml", {"feeds": [FEED]}, "unreadable_feeds", "feeds: []\n"),
    "/api/operator-config": (
        "viewer_operator.yaml",
        {"content": "timeout: 3\n"},
        "unreadable_operator_config",
        "a: 1\n",
    ),
}
ROUTES = pytest.mark.parametrize("route", list(KINDS))


def code(response: httpx2.Response) -> tuple[int, str]:
    return response.status_code, response.json()["detail"]["error"]


def a_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def a_large_file(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


@ROUTES
@pytest.mark.parametrize(
    "make",
    [Path.mkdir, os.mkfifo, lambda path: path.symlink_to("/dev/zero"), lambda path: path.symlink_to(path), a_socket],
    ids=["folder", "pipe", "device", "loop", "socket"],
)
def test_what_is_not_a_regular_file_is_refused(
    served: OperatorServer, route: str, make: Callable[[Path], None]
) -> None:
    name, body, error, _ = KINDS[route]
    make(served.corpus / name)
    assert code(served.http.get(route)) == (409, error)
    assert code(served.http.put(route, json=body)) == (409, error)
    assert code(served.http.put(route, json=body, headers={"If-Match": "*"})) == (409, error)


@ROUTES
def test_a_file_too_large_to_read_can_be_replaced(served: OperatorServer, route: str) -> None:
    name, body, error, _ = KINDS[route]
    a_large_file(served.corpus / name)
    assert code(served.http.get(route)) == (409, error)
    assert served.http.put(route, json=body).status_code == 200
    assert served.http.get(route).status_code == 200


@ROUTES
@pytest.mark.parametrize("exists", [True, False])
@pytest.mark.parametrize("by_folder", [True, False])
def test_a_link_out_of_the_corpus_is_not_followed(
    served: OperatorServer, tmp_path: Path, route: str, exists: bool, by_folder: bool
) -> None:
    name, body, error, text = KINDS[route]
    outside = tmp_path / "outside"
    outside.mkdir()
    if exists:
        (outside / name).write_text(text)
    if by_folder:
        (served.corpus / "within").symlink_to(outside)
        (served.corpus / name).symlink_to(f"within/{name}")
    else:
        (served.corpus / name).symlink_to(outside / name)
    before = {path: path.read_text() for path in outside.iterdir()}
    assert code(served.http.get(route)) == (409, error)
    assert code(served.http.put(route, json=body)) == (409, error)
    assert {path: path.read_text() for path in outside.iterdir()} == before


@ROUTES
def test_a_link_within_the_corpus_stays_a_link(served: OperatorServer, route: str) -> None:
    name, body, _, text = KINDS[route]
    real = served.corpus / "real.yaml"
    real.write_text(text)
    (served.corpus / name).symlink_to("real.yaml")
    assert served.http.put(route, json=body).status_code == 200
    assert (served.corpus / name).is_symlink()
    assert real.read_text() != text


@ROUTES
def test_a_planted_lock_or_temporary_file_is_not_followed(served: OperatorServer, tmp_path: Path, route: str) -> None:
    name, body, _, _ = KINDS[route]
    target = tmp_path / "target"
    (served.corpus / f"{temporary_prefix(name)}0123.tmp").symlink_to(target)
    assert served.http.put(route, json=body).status_code == 200
    (served.corpus / f".{name}.lock").unlink()
    (served.corpus / f".{name}.lock").symlink_to(target)
    assert code(served.http.put(route, json=body)) == (503, "corpus_not_writable")
    assert not target.exists()


@ROUTES
def test_a_planted_folder_at_the_name_of_a_temporary_file_stops_no_change(served: OperatorServer, route: str) -> None:
    name, body, _, _ = KINDS[route]
    (served.corpus / f"{temporary_prefix(name)}0123.tmp").mkdir()
    left = served.corpus / f"{temporary_prefix(name)}4567.tmp"
    left.touch()
    assert served.http.put(route, json=body).status_code == 200
    assert not left.exists()


def test_only_what_a_killed_writer_left_is_removed(tmp_path: Path) -> None:
    config = OperatorConfigFile(tmp_path / "[ab].yaml")
    other = tmp_path / f"{temporary_prefix('a.yaml')}0123.tmp"
    own = tmp_path / f"{temporary_prefix('[ab].yaml')}0123.tmp"
    for path in (other, own):
        path.touch()
    config.write("timeout: 3\n", None)
    assert (other.exists(), own.exists()) == (True, False)


@ROUTES
def test_only_the_owner_may_read_what_is_stored(served: OperatorServer, route: str) -> None:
    """An address of a private feed is a secret. A file that was open to others is closed when it is written."""
    name, body, _, text = KINDS[route]
    path = served.corpus / name
    assert served.http.put(route, json=body).status_code == 200
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.write_text(text)
    path.chmod(0o664)
    assert served.http.put(route, json=body).status_code == 200
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("to_write", [True, False])
def test_a_folder_that_becomes_a_link_after_the_check_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, to_write: bool
) -> None:
    corpus, outside = tmp_path / "corpus", tmp_path / "outside"
    for folder in (corpus / "inside", outside):
        folder.mkdir(parents=True)
        (folder / "real.yaml").write_text(f"user_agent: {folder.name}\n")
    (corpus / "viewer_operator.yaml").symlink_to("inside/real.yaml")
    config = OperatorConfigFile(corpus / "viewer_operator.yaml", within=corpus)
    look = Path.resolve

    def then_flip(path: Path, strict: bool = False) -> Path:
        found = look(path, strict)
        if not (corpus / "inside").is_symlink():
            (corpus / "inside").rename(corpus / "moved")
            (corpus / "inside").symlink_to(outside)
        return found

    monkeypatch.setattr(Path, "resolve", then_flip)
    with pytest.raises(NexusError):
        config.write("timeout: 3\n", None) if to_write else config.read()
    assert [(path.name, path.read_text()) for path in outside.iterdir()] == [("real.yaml", "user_agent: outside\n")]


def test_a_named_configuration_may_be_anywhere_and_is_resolved_once(tmp_path: Path) -> None:
    real, other = tmp_path / "real.yaml", tmp_path / "other.yaml"
    real.write_text("timeout: 1\n")
    other.write_text("timeout: 2\n")
    link = tmp_path / "link.yaml"
    link.symlink_to(real)
    config = OperatorConfigFile(link)
    assert (config.path, config.read().content) == (real, "timeout: 1\n")
    link.unlink()
    link.symlink_to(other)
    assert config.write("timeout: 3\n", None).path == real
    assert (real.read_text(), other.read_text()) == ("timeout: 3\n", "timeout: 2\n")
    real.unlink()
    real.symlink_to(other)
    with pytest.raises(UnreadableOperatorConfigError):
        config.read()
    with pytest.raises(UnreadableOperatorConfigError):
        config.write("timeout: 4\n", None)
    assert other.read_text() == "timeout: 2\n"


def test_feeds_that_did_not_change_are_not_parsed_again(tmp_path: Path) -> None:
    """The processor's own time, not the clock's: others work on this machine."""
    path = tmp_path / "feeds.spec.yaml"
    path.write_text("feeds:\n" + "".join(f"- url: https://a.example/{n}\n  timeout: 3\n" for n in range(3000)))
    corpus = CorpusDirectory(tmp_path)

    def cost() -> float:
        begun = time.thread_time()
        read_feeds(corpus)
        return time.thread_time() - begun

    first = cost()
    assert max(cost() for _ in range(5)) < first / 5
    path.write_text("feeds: []\n")
    assert read_feeds(corpus).spec.feeds == ()
