"""Kept audio over HTTP: in ranges, with the type of its bytes, and for those who have the episode."""

import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID, uuid4

import httpx2
import pytest
from psycopg import Connection

from nexus.app import create_app
from nexus.db.embedded import EmbeddedServer
from nexus.db.session import Database
from nexus.services.audio import keep_audio
from nexus.store import BlobStore
from nexus.store.folder import FolderBackend
from tests.api.saving import ALICE, BOB, as_user, save
from tests.api.test_errors import problem
from tests.conftest import serving, settings_for
from tests.episodes import fragments_of, save_episode
from tests.lifecycle_steps import LifecycleSteps
from tests.processes import TRUSTS_NOBODY

AUDIO = random.Random(17).randbytes(3_000_000)  # more than one piece of the store
PUBLISHER = "https://cdn.example.com:8443/a.mp3?token=1"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data") / "blobs"


@pytest.fixture(scope="module")
def audio_server(
    postgres: EmbeddedServer, database_name: str, shared_database: Database, folder: Path
) -> Iterator[str]:
    settings = settings_for(postgres, database_name, data_dir=folder.parent)
    with serving(create_app(settings, shared_database)) as url:
        yield url


@pytest.fixture
def http(audio_server: str, database: Database, folder: Path) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=audio_server, timeout=60, verify=TRUSTS_NOBODY, headers=as_user(ALICE)) as client:
        yield client
    shutil.rmtree(folder, ignore_errors=True)


def kept_episode(database: Database, folder: Path, audio_url: str | None) -> UUID:
    episode = save_episode(database, ALICE, fragments_of("One"), audio_url=audio_url)
    blob = BlobStore(FolderBackend(folder), database).put(AUDIO)
    with database.transaction() as session:
        keep_audio(session, episode, blob, "audio/mpeg")
    return episode


@pytest.fixture
def path(http: httpx2.Client, database: Database, folder: Path) -> str:
    return f"/media/{kept_episode(database, folder, PUBLISHER)}/audio"


def test_the_whole(http: httpx2.Client, path: str) -> None:
    response = http.get(path)
    assert (response.status_code, response.content == AUDIO) == (200, True)
    said = response.headers
    assert (said["content-type"], said["content-length"]) == ("audio/mpeg", str(len(AUDIO)))
    assert (said["accept-ranges"], said["cache-control"]) == ("bytes", "private, no-cache")
    assert (said["x-content-type-options"], said["content-security-policy"]) == (
        "nosniff",
        "default-src 'none'; sandbox",
    )
    head = http.head(path)
    assert (head.status_code, head.content) == (200, b"")
    same = ("content-type", "content-length", "accept-ranges", "etag", "cache-control")
    assert [head.headers[name] for name in same] == [said[name] for name in same]


@pytest.mark.parametrize(
    ("wanted", "start", "end"),
    [
        ("bytes=0-", 0, len(AUDIO)),
        ("bytes=0-0", 0, 1),
        ("bytes=1000-1999", 1000, 2000),
        ("bytes=1048570-1048590", 1_048_570, 1_048_591),
        ("bytes=2999999-9999999", len(AUDIO) - 1, len(AUDIO)),
        ("bytes=-500", len(AUDIO) - 500, len(AUDIO)),
    ],
)
def test_one_range(http: httpx2.Client, path: str, wanted: str, start: int, end: int) -> None:
    response = http.get(path, headers={"Range": wanted})
    assert (response.status_code, response.content == AUDIO[start:end]) == (206, True)
    assert response.headers["content-range"] == f"bytes {start}-{end - 1}/{len(AUDIO)}"
    assert response.headers["content-length"] == str(end - start)


@pytest.mark.parametrize("wanted", ["bytes=0-1,5-6", "bytes=x", "seconds=0-1", "bytes=9-1"])
def test_other_ranges_are_answered_with_the_whole(http: httpx2.Client, path: str, wanted: str) -> None:
    response = http.get(path, headers={"Range": wanted})
    assert (response.status_code, response.content == AUDIO, "content-range" in response.headers) == (200, True, False)


@pytest.mark.parametrize("wanted", [f"bytes={len(AUDIO)}-", "bytes=-0"])
def test_a_range_beyond_the_end(http: httpx2.Client, path: str, wanted: str) -> None:
    response = http.get(path, headers={"Range": wanted})
    problem(response, 416, "range_not_satisfiable")
    assert response.headers["content-range"] == f"bytes */{len(AUDIO)}"
    assert http.head(path, headers={"Range": wanted}).status_code == 200


def test_versions(http: httpx2.Client, path: str) -> None:
    etag = http.head(path).headers["etag"]
    for offered in (etag, f'"other", W/{etag}', "*"):
        unchanged = http.get(path, headers={"If-None-Match": offered, "Range": "bytes=0-9"})
        assert (unchanged.status_code, unchanged.content, unchanged.headers["etag"]) == (304, b"", etag)
    part = {"Range": "bytes=0-9", "If-None-Match": '"other"'}
    assert http.get(path, headers=part | {"If-Range": etag}).status_code == 206
    for other in ('"other"', f"W/{etag}", "Sat, 01 Jan 2028 00:00:00 GMT"):
        assert http.get(path, headers=part | {"If-Range": other}).status_code == 200


def test_what_a_media_says_about_its_audio(http: httpx2.Client, path: str, database: Database, folder: Path) -> None:
    data = http.get(path.removesuffix("/audio")).json()["data"]
    assert data["audio"] == {"kept": True, "url": path, "host": None}
    assert data["audio_url"] == PUBLISHER
    there = save_episode(database, ALICE, fragments_of("Two"), audio_url=PUBLISHER)
    data = http.get(f"/media/{there}").json()["data"]
    assert data["audio"] == {"kept": False, "url": PUBLISHER, "host": "cdn.example.com"}
    assert (data["audio_url"], data["capabilities"]["can_play"]) == (PUBLISHER, True)
    nowhere = save_episode(database, ALICE, fragments_of("Three"))
    data = http.get(f"/media/{nowhere}").json()["data"]
    assert (data["audio"], data["audio_url"], data["capabilities"]["can_play"]) == (None, None, False)


@pytest.mark.parametrize("address", [None, "http://192.168.0.1/a.mp3"])
def test_kept_audio_plays_when_the_publishers_cannot(
    http: httpx2.Client, database: Database, folder: Path, address: str | None
) -> None:
    episode = kept_episode(database, folder, address)
    data = http.get(f"/media/{episode}").json()["data"]
    assert (data["audio"]["kept"], data["audio_url"], data["capabilities"]["can_play"]) == (True, None, True)
    (entry,) = http.get("/api/library").json()["entries"]
    assert entry["can_play"] is True


def test_audio_of_others_and_of_nobody(http: httpx2.Client, path: str) -> None:
    for method in ("GET", "HEAD"):
        assert http.request(method, path, headers=as_user(BOB)).status_code == 404
    theirs = problem(http.get(path, headers=as_user(BOB)), 404, "not_found")
    never = problem(http.get(f"/media/{uuid4()}/audio"), 404, "not_found")
    assert (theirs["error"], theirs["message"]) == (never["error"], never["message"])


def test_where_none_is_kept(http: httpx2.Client, database: Database, steps: LifecycleSteps) -> None:
    episode = save_episode(database, ALICE, fragments_of("One"), audio_url=PUBLISHER)
    problem(http.get(f"/media/{episode}/audio"), 404, "audio_not_kept")
    article = steps.succeed_item(save(http))
    problem(http.get(f"/media/{article}/audio"), 404, "audio_not_kept")


def test_a_store_that_lost_it_or_is_away(http: httpx2.Client, path: str, folder: Path, connection: Connection) -> None:
    (blob,) = folder.glob("??/*")
    blob.write_bytes(AUDIO[:1000])
    problem(http.get(path, headers={"Range": "bytes=2000-"}), 500, "blob_damaged")
    with pytest.raises(httpx2.RemoteProtocolError):  # fewer bytes than were announced: the client notices
        http.get(path)
    blob.unlink()
    problem(http.get(path), 500, "blob_missing")
    shutil.rmtree(folder)
    folder.write_text("not mounted")
    try:
        problem(http.get(path), 503, "store_unavailable")
        assert http.get(path.removesuffix("/audio")).status_code == 200
    finally:
        folder.unlink()
