"""Audio in the store: which is kept, that it is fetched once, and what happens where the store cannot take it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest

from nexus.db.session import Database
from nexus.podcasts.config import load_podcast_config
from nexus.podcasts.library import PodcastLibrary
from nexus.podcasts.run.kept_audio import RunStore
from nexus.podcasts.transcribe.openai import Endpoint
from nexus.services.lifecycle import remove_media
from nexus.services.users import CurrentUser, ensure_user
from nexus.store import BlobStore
from nexus.store.folder import FolderBackend
from tests.podcasts.feeds import item, rss, vtt
from tests.podcasts.host import Failure, Host
from tests.podcasts.podcast_run import PodcastRunner
from tests.podcasts.speech import Service, encoded, record, transcription_service
from tests.store.test_absent_and_full import no_file_beyond

USER = UUID(int=1)
FIRST, SECOND = "Episode 1", "Episode 2"
KEPT = "SELECT episodes.title, content_type, sha256 FROM media_audio JOIN episodes USING (media_id) ORDER BY 1"


def mp3() -> bytes:
    return encoded(record(), "mp3", "libmp3lame", 22_050)


def ogg() -> bytes:
    return encoded(record(), "ogg", "libopus", 48_000)


def audio_of(*titles: str) -> dict[str, tuple[str, bytes]]:
    both = {FIRST: ("audio/mpeg", mp3()), SECOND: ("audio/ogg", ogg())}
    return {title: both[title] for title in titles}


@pytest.fixture
def service() -> Iterator[Service]:
    with transcription_service() as serving:
        yield serving


@pytest.fixture
def store(database: Database, tmp_path: Path) -> BlobStore:
    return BlobStore(FolderBackend(tmp_path / "blobs"), database)


@pytest.fixture
def keeping(runner: PodcastRunner, database: Database, store: BlobStore, service: Service) -> PodcastRunner:
    runner.library = PodcastLibrary(database, USER, store=store)
    runner.endpoint = Endpoint(service.url, service.key)
    return runner


@pytest.fixture
def feed(host: Host) -> str:
    """Episode 2 has the publisher's transcript, episode 1 only its audio, which the publisher calls a text."""
    words = host.put("/t2.vtt", vtt("Ada: Hello there."), "text/vtt")
    first = host.put("/a1.mp3", mp3(), "text/html", ranges=True)
    second = host.put("/a2", ogg(), "audio/mpeg", ranges=True)
    episodes = [item(2, audio=second, transcripts=((words, "text/vtt"),)), item(1, audio=first)]
    return host.put("/feed.xml", rss(episodes), "application/rss+xml")


def kept(connection: psycopg.Connection, store: BlobStore) -> dict[str, tuple[str, bytes]]:
    """By title: the type, and the bytes that the store has."""
    rows = connection.execute(KEPT).fetchall()
    connection.rollback()
    return {title: (kind, store.read_bytes(sha256)) for title, kind, sha256 in rows}


def waiting_files(runner: PodcastRunner, feed: str) -> list[str]:
    folder = runner.folder(feed).audio
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def audio_requests(host: Host) -> list[str]:
    return [path for path in host.paths() if path.startswith("/a")]


@pytest.mark.parametrize(
    ("choice", "expected"),
    [("none", []), (False, []), ("transcribed", [FIRST]), (True, [FIRST]), ("all", [FIRST, SECOND])],
)
def test_which_audio_is_kept(
    keeping: PodcastRunner, feed: str, host: Host, store: BlobStore, connection: psycopg.Connection, choice: Any,
    expected: list[str],
) -> None:  # fmt: skip
    config = {"transcribe_missing": True, "keep_audio": choice}
    first = keeping.one(feed, **config)
    assert (first.counts["new"], first.audio_kept, first.audio_waiting) == (2, len(expected), [])
    assert kept(connection, store) == audio_of(*expected)
    assert waiting_files(keeping, feed) == []
    fetched = ["/a1.mp3", "/a2"] if SECOND in expected else ["/a1.mp3"]
    assert sorted(audio_requests(host)) == fetched
    host.clear_requests()
    again = keeping.one(feed, **config, skip_existing=True)
    assert (again.counts["unchanged"], again.audio_kept) == (2, 0)
    assert audio_requests(host) == []


def test_a_feed_and_a_flag_can_choose() -> None:
    config = load_podcast_config("keep_audio: transcribed", flags={"keep_audio": "all"})
    assert config.keep_audio == "all"
    assert load_podcast_config("keep_audio: true").keep_audio == "transcribed"
    assert load_podcast_config("keep_audio: all", flags={"keep_audio": "none"}).keep_audio == "none"


def test_of_one_feed(keeping: PodcastRunner, feed: str, store: BlobStore, connection: psycopg.Connection) -> None:
    keeping.one({"url": feed, "keep_audio": "all"})
    assert list(kept(connection, store)) == [SECOND]  # the other one has no text


def test_a_run_fetches_what_is_missing(
    keeping: PodcastRunner, feed: str, host: Host, store: BlobStore, connection: psycopg.Connection
) -> None:
    """Of the episodes it selects, also where they are not to be fetched again."""
    keeping.one(feed, transcribe_missing=True)
    host.clear_requests()
    few = keeping.one(feed, transcribe_missing=True, keep_audio="all", skip_existing=True, max_episodes=1)
    assert (few.counts["unchanged"], few.audio_kept) == (1, 1)
    assert audio_requests(host) == ["/a2"]
    host.clear_requests()
    assert keeping.one(feed, transcribe_missing=True, keep_audio="all", skip_existing=True).audio_kept == 1
    assert audio_requests(host) == ["/a1.mp3"]
    assert kept(connection, store) == audio_of(FIRST, SECOND)
    keeping.one(feed, transcribe_missing=True, keep_audio="none")
    assert kept(connection, store) == audio_of(FIRST, SECOND)


def test_kept_audio_is_transcribed_again_without_a_request(
    keeping: PodcastRunner, feed: str, host: Host, service: Service
) -> None:
    config = {"transcribe_missing": True, "keep_audio": "transcribed"}
    keeping.one(feed, **config)
    host.clear_requests()
    asked = len(service.requests)
    assert keeping.one(feed, **config, transcription_model="whisper-2").counts["updated"] == 1
    assert len(service.requests) > asked
    assert audio_requests(host) == []
    assert waiting_files(keeping, feed) == []
    # At another address it is another recording.
    host.put("/a3.mp3", mp3(), ranges=True)
    host.put("/feed.xml", host.files["/feed.xml"].body.replace(b"/a1.mp3", b"/a3.mp3"), "application/rss+xml")
    keeping.one(feed, **config, transcription_model="whisper-2")
    assert audio_requests(host) == ["/a3.mp3"]


def test_what_comes_from_the_store_may_be_read_by_the_same_accounts_as_a_download(
    store: BlobStore, tmp_path: Path
) -> None:
    """Audio holds no address; a run that is killed then leaves it for whoever serves the corpus."""
    blob = store.put(ogg())
    RunStore(store).copy(blob.sha256, tmp_path / "work" / "audio")
    (tmp_path / "plain").touch()
    assert (tmp_path / "work" / "audio").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_the_text_does_not_wait_for_a_store_that_is_away(
    keeping: PodcastRunner, feed: str, host: Host, store: BlobStore, connection: psycopg.Connection, tmp_path: Path
) -> None:
    (tmp_path / "blobs").write_text("a disk that is not mounted here")
    config: dict[str, Any] = {
        "transcribe_missing": True, "keep_audio": "all", "workers": 1, "episode_order": "oldest",
    }  # fmt: skip
    run = keeping.run(feed, **config)
    (summary,) = run.feeds
    assert (summary.counts["new"], summary.counts["failed"], summary.audio_kept) == (2, 0, 0)
    assert {each["code"] for each in summary.audio_waiting} == {"store_unavailable"}
    assert connection.execute("SELECT count(*) FROM media").fetchone() == (2,)
    connection.rollback()
    assert (run.counts()["audio_waiting"], run.counts()["failed"]) == (2, 0)
    assert [each["episode"] for each in run.document()["audio_waiting"]] == [FIRST, SECOND]
    incidents = [each for each in keeping.incidents() if each["stage"] == "audio"]
    assert [(each["code"], each["lost"]) for each in incidents] == [("store_unavailable", False)] * 2
    # What was transcribed waits; for the other one nothing was fetched after the store had failed.
    assert waiting_files(keeping, feed) == ["0001 - Episode 1.mp3"]
    assert audio_requests(host) == ["/a1.mp3"]

    (tmp_path / "blobs").unlink()
    host.clear_requests()
    again = keeping.one(feed, **config)
    assert (again.counts["unchanged"], again.audio_kept, again.audio_waiting) == (2, 2, [])
    assert audio_requests(host) == ["/a2"]
    assert (kept(connection, store), waiting_files(keeping, feed)) == (audio_of(FIRST, SECOND), [])


def test_what_is_no_audio_is_asked_for_again(
    keeping: PodcastRunner, feed: str, host: Host, store: BlobStore, connection: psycopg.Connection
) -> None:
    host.put("/a2", b"<html>Please sign in</html>", "audio/mpeg")
    config = {"keep_audio": "all"}
    assert [each["code"] for each in keeping.one(feed, **config).audio_waiting] == ["unreadable_audio"]
    assert (kept(connection, store), waiting_files(keeping, feed)) == ({}, [])
    host.put("/a2", ogg(), "audio/mpeg")
    too_small = keeping.one(feed, **config, max_audio_bytes=1000)
    assert [each["code"] for each in too_small.audio_waiting] == ["max_bytes_exceeded"]
    assert keeping.one(feed, **config).audio_kept == 1
    assert kept(connection, store) == audio_of(SECOND)


def test_an_interrupted_download_goes_on(keeping: PodcastRunner, feed: str, host: Host) -> None:
    host.files["/a2"].failures = [Failure(cut_after=len(ogg()) // 2)]
    once = {"keep_audio": "all", "http_retry_total": 0}
    assert keeping.one(feed, **once).audio_waiting[0]["code"] == "connection_error"
    assert keeping.one(feed, **once).audio_kept == 1
    assert sum(each.sent for each in host.requests_to("/a2")) == len(ogg())


def test_audio_goes_with_its_episode(
    keeping: PodcastRunner, feed: str, host: Host, connection: psycopg.Connection, database: Database
) -> None:
    """A removed episode is not fetched; its blob is only no longer named."""
    keeping.one(feed, keep_audio="all")
    (media,) = connection.execute("SELECT media_id FROM media_audio").fetchone() or (None,)
    connection.rollback()
    with database.transaction() as session:
        user = CurrentUser(USER, ensure_user(session, USER), is_operator=False)
        remove_media(session, user, media)
    assert connection.execute("SELECT count(*) FROM media_audio").fetchone() == (0,)
    assert connection.execute("SELECT count(*) FROM blobs").fetchone() == (1,)
    connection.rollback()
    host.clear_requests()
    assert keeping.one(feed, keep_audio="all", rss_conditional_get=False).audio_kept == 0
    assert audio_requests(host) == []


def test_files_of_earlier_versions_move_into_the_store(
    keeping: PodcastRunner, feed: str, host: Host, store: BlobStore, connection: psycopg.Connection
) -> None:
    library, keeping.library = keeping.library, None  # keeps them in the corpus, as all runs did
    config = {"transcribe_missing": True, "keep_audio": True}
    assert keeping.one(feed, **config).counts["new"] == 2
    assert waiting_files(keeping, feed) == ["0001 - Episode 1.mp3"]
    keeping.library = library
    host.clear_requests()
    assert keeping.one(feed, **config).audio_kept == 1
    assert (kept(connection, store), waiting_files(keeping, feed)) == (audio_of(FIRST), [])
    assert audio_requests(host) == []


def test_what_waits_is_put_once_there_is_room(
    keeping: PodcastRunner, feed: str, host: Host, store: BlobStore, connection: psycopg.Connection, tmp_path: Path
) -> None:
    (tmp_path / "blobs").write_text("a disk that is not mounted here")
    config = {"transcribe_missing": True, "keep_audio": "transcribed"}
    assert len(keeping.one(feed, **config).audio_waiting) == 1
    (tmp_path / "blobs").unlink()
    with no_file_beyond(len(mp3()) // 2):  # more than any other file of this run has
        assert [each["code"] for each in keeping.one(feed, **config).audio_waiting] == ["store_full"]
    assert (kept(connection, store), waiting_files(keeping, feed)) == ({}, ["0001 - Episode 1.mp3"])
    assert keeping.one(feed, **config).audio_kept == 1
    assert (kept(connection, store), waiting_files(keeping, feed)) == (audio_of(FIRST), [])
    assert audio_requests(host) == ["/a1.mp3"]
