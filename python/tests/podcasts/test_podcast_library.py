"""Episodes in the library: with times, in the right library, each once."""

from typing import Any
from uuid import UUID

import httpx2
import psycopg
import pytest

from nexus.app import create_app
from nexus.config import Settings
from nexus.db.embedded import EmbeddedServer
from nexus.db.session import Database
from nexus.podcasts.library import PodcastLibrary
from tests.conftest import serving, settings_for
from tests.podcasts.feeds import item, rss, vtt
from tests.podcasts.host import Host
from tests.podcasts.podcast_run import PodcastRunner
from tests.processes import TRUSTS_NOBODY

USER, OTHER = UUID(int=1), UUID(int=2)


@pytest.fixture
def library_runner(runner: PodcastRunner, database: Database) -> PodcastRunner:
    runner.library = PodcastLibrary(database, USER)
    return runner


@pytest.fixture
def feed(host: Host) -> str:
    listed = '{"chapters": [{"startTime": 1.5, "title": "Start", "url": "/more", "img": "/c.png"}]}'
    chapters = host.put("/c.json", listed, "application/json+chapters")
    where = host.put("/t1.vtt", vtt("Ada: Hello there.", "Ada: How are you?", "Bob: Fine."), "text/vtt")
    extra = (
        f'<podcast:chapters url="{chapters}" type="application/json+chapters"/><link>https://show.example/1</link>'
        "<itunes:duration>12</itunes:duration><description>&lt;p&gt;The notes&lt;/p&gt;</description>"
        '<itunes:image href="https://show.example/1.png"/>'
    )
    first = item(1, audio=f"{host.url}/a1.mp3", transcripts=((where, "text/vtt"),), extra=extra)
    return host.put("/feed.xml", rss([item(2, audio=f"{host.url}/a2.mp3"), first]), "application/rss+xml")


def rows(connection: psycopg.Connection, query: str) -> list[dict[str, Any]]:
    with connection.cursor(row_factory=psycopg.rows.dict_row) as cursor:
        return cursor.execute(query).fetchall()


def test_transcript_becomes_media_with_times(
    library_runner: PodcastRunner, feed: str, host: Host, connection: psycopg.Connection
) -> None:
    assert library_runner.one(feed).counts["new"] == 1
    (media,) = rows(connection, "SELECT * FROM media")
    assert (media["kind"], media["processing_status"]) == ("podcast_episode", "ready_for_reading")
    assert (media["title"], media["site_name"], media["byline"], media["lang"]) == (
        "Episode 1",
        "A Show",
        "Ada, Bob",
        "en",
    )
    assert (media["audio_url"], media["declared_url"]) == (f"{host.url}/a1.mp3", "https://show.example/1")
    assert (media["lead_image_url"], media["word_count"]) == ("https://show.example/1.png", 8)
    assert media["excerpt"] == "The notes"
    fragments = rows(connection, "SELECT * FROM fragments ORDER BY idx")
    assert [(each["start_ms"], each["end_ms"], each["canonical_text"]) for each in fragments] == [
        (0, 6600, "Ada: Hello there. How are you?"),
        (8000, 10_600, "Bob: Fine."),
        (None, None, "The notes"),
    ]
    (episode,) = rows(connection, "SELECT * FROM episodes")
    assert (episode["media_id"], episode["transcript_source"]) == (media["id"], "publisher")
    assert (episode["duration_ms"], episode["chapters"][0]["title"]) == (12_000, "Start")
    (podcast,) = rows(connection, "SELECT * FROM podcasts")
    assert (podcast["title"], podcast["consecutive_failures"], podcast["etag"] is not None) == ("A Show", 0, True)


@pytest.fixture
def server_settings(postgres: EmbeddedServer, database_name: str) -> Settings:
    return settings_for(postgres, database_name)


@pytest.mark.parametrize("allowed", [True, False])
def test_private_addresses_are_served_only_if_allowed(
    library_runner: PodcastRunner, feed: str, host: Host, database: Database, server_settings: Settings, allowed: bool
) -> None:
    """As stored by an older version, or with another list of exceptions."""
    library_runner.one(feed)
    exceptions = (host.url.removeprefix("http://"),) if allowed else ()
    app = create_app(server_settings.model_copy(update={"egress_allow": exceptions}), database)
    with serving(app) as url, httpx2.Client(base_url=url, timeout=60, verify=TRUSTS_NOBODY) as http:
        (entry,) = http.get("/api/library").json()["entries"]
        media = http.get(f"/media/{entry['media_id']}").json()["data"]
    (chapter,) = media["chapters"]
    addresses = (media["audio_url"], media["capabilities"]["can_play"], chapter["url"])
    assert addresses == ((f"{host.url}/a1.mp3", True, f"{host.url}/more") if allowed else (None, False, None))
    assert chapter["title"] == "Start"


@pytest.mark.parametrize("private", ["http://192.168.1.1/x", "http://localhost:1/x", "http://[::1]/x", "http://10.1/x"])
def test_private_addresses_of_a_feed_are_not_stored(
    library_runner: PodcastRunner, host: Host, connection: psycopg.Connection, private: str
) -> None:
    where = host.put("/t1.vtt", vtt("Ada: Hello there."), "text/vtt")
    extra = f'<itunes:image href="{private}.png"/><psc:chapters><psc:chapter start="1" title="One" href="{private}"/>'
    extra += "</psc:chapters>"
    first = item(1, audio=f"{private}.mp3", transcripts=((where, "text/vtt"),), extra=extra)
    head = f'<itunes:image href="{private}.png"/>'
    url = host.put("/feed.xml", rss([first], head=head), "application/rss+xml")
    assert library_runner.one(url).counts["new"] == 1
    (media,) = rows(connection, "SELECT * FROM media")
    assert (media["audio_url"], media["lead_image_url"]) == (None, None)
    (episode,) = rows(connection, "SELECT * FROM episodes")
    assert (episode["enclosure_url"], episode["chapters"][0]["url"]) == (None, None)
    assert rows(connection, "SELECT image_url FROM podcasts") == [{"image_url": None}]
    assert private not in str(library_runner.metadata(url))
    assert [each["stage"] for each in library_runner.incidents()] == ["audio address"]


def test_episode_over_http(library_runner: PodcastRunner, feed: str, client: httpx2.Client) -> None:
    library_runner.one(feed)
    (entry,) = client.get("/api/library").json()["entries"]
    assert (entry["kind"], entry["can_read"], entry["can_play"]) == ("podcast_episode", True, True)
    fragments = client.get(f"/media/{entry['media_id']}/fragments").json()["data"]
    assert [each["start_ms"] for each in fragments] == [0, 8000, None]
    (chapter,) = client.get(f"/media/{entry['media_id']}").json()["data"]["chapters"]
    assert (chapter["start_ms"], chapter["title"]) == (1500, "Start")
    # The proxy knows it as an image of the user, though this server may not fetch from loopback.
    assert client.get(chapter["image"]).json()["detail"]["error"] == "image_unavailable"
    other_user = {"X-User-Id": str(OTHER)}
    assert client.get(chapter["image"], headers=other_user).status_code == 404
    assert client.get(f"/media/{entry['media_id']}", headers=other_user).status_code == 404


def test_repeated_runs_change_nothing(library_runner: PodcastRunner, feed: str, connection: psycopg.Connection) -> None:
    def everything() -> list[Any]:
        connection.rollback()
        return [
            rows(connection, f"SELECT * FROM {table} ORDER BY 1")
            for table in ("media", "fragments", "library_media", "episodes", "episode_aliases")
        ]

    library_runner.one(feed)
    before = everything()
    library_runner.one(feed)
    assert library_runner.one(feed, rss_conditional_get=False, prefer_types=["vtt"]).counts["updated"] == 1
    assert everything() == before


def test_existing_corpus_is_added_to_the_library(
    runner: PodcastRunner, feed: str, database: Database, host: Host, connection: psycopg.Connection
) -> None:
    runner.one(feed)
    host.clear_requests()
    runner.library = PodcastLibrary(database, USER)
    assert runner.one(feed).counts["unchanged"] == 2
    assert len(rows(connection, "SELECT * FROM media")) == 1
    assert set(host.paths()) == {"/feed.xml"}
    connection.rollback()
    runner.library = PodcastLibrary(database, OTHER)  # another user's library: the same media
    runner.one(feed)
    assert len(rows(connection, "SELECT * FROM media")) == 1
    assert len(rows(connection, "SELECT * FROM library_media")) == 2


def test_lost_corpus_adds_no_second_episode(
    library_runner: PodcastRunner, feed: str, host: Host, connection: psycopg.Connection
) -> None:
    library_runner.one(feed)
    library_runner.root = library_runner.root.with_name("another")
    body = host.files["/feed.xml"].body.replace(b"guid-1", b"changed-guid")
    host.put("/feed.xml", body, "application/rss+xml")
    assert library_runner.one(feed).counts["new"] == 1
    assert len(rows(connection, "SELECT * FROM media")) == 1
    (episode,) = rows(connection, "SELECT * FROM episodes")
    assert episode["guid"] == "guid-1"


def test_corrections_reach_the_library_but_the_text_stays(
    library_runner: PodcastRunner, feed: str, host: Host, connection: psycopg.Connection
) -> None:
    """Users quote it: fragments never change."""
    library_runner.one(feed)
    before = rows(connection, "SELECT * FROM fragments ORDER BY idx")
    connection.rollback()
    better = host.put("/better.vtt", vtt("Ada: Other words."), "text/vtt")
    changed = item(1, title="Better title", audio=f"{host.url}/a1.mp3", transcripts=((better, "text/vtt"),))
    host.put("/feed.xml", rss([changed]), "application/rss+xml")
    assert library_runner.one(feed).counts["updated"] == 1
    (media,) = rows(connection, "SELECT * FROM media")
    assert media["title"] == "Better title"
    assert rows(connection, "SELECT * FROM fragments ORDER BY idx") == before
    assert library_runner.texts(feed) == ["Ada: Other words.\n\n"]


def test_moved_feed_is_the_same_podcast(
    library_runner: PodcastRunner, feed: str, host: Host, connection: psycopg.Connection
) -> None:
    library_runner.one(feed)
    new = host.put("/new.xml", host.files["/feed.xml"].body, "application/rss+xml")
    host.put("/feed.xml", "", status=301, headers={"location": "/new.xml"}, etag=False)
    library_runner.one(feed)
    (podcast,) = rows(connection, "SELECT feed_url, moved_from FROM podcasts")
    assert podcast == {"feed_url": new, "moved_from": [feed]}


def test_health_of_a_feed(library_runner: PodcastRunner, feed: str, host: Host, connection: psycopg.Connection) -> None:
    library_runner.one(feed)
    del host.files["/feed.xml"]
    for _ in range(2):
        library_runner.one(feed)
    (podcast,) = rows(connection, "SELECT * FROM podcasts")
    assert (podcast["last_error_code"], podcast["consecutive_failures"]) == ("http_404", 2)
    assert podcast["last_succeeded_at"] < podcast["last_fetched_at"]


def test_unavailable_library_loses_no_transcript(
    runner: PodcastRunner, feed: str, database: Database, connection: psycopg.Connection
) -> None:
    """The corpus is complete; the next run adds it to the library."""

    class Away(PodcastLibrary):
        def save_episode(self, *_: Any) -> None:
            with database.transaction() as session:
                session.connection().exec_driver_sql("SELECT no_such_column")

    runner.library = Away(database, USER)
    summary = runner.one(feed)
    assert [failure["code"] for failure in summary.failures] == ["database_unavailable"]
    runner.library = PodcastLibrary(database, USER)
    assert runner.one(feed).counts["unchanged"] == 2
    assert len(rows(connection, "SELECT * FROM media")) == 1


def titles_in_library(client: httpx2.Client, user: UUID) -> list[str]:
    entries = client.get("/api/library", headers={"X-User-Id": str(user)}).json()["entries"]
    return [entry["media_id"] for entry in entries]


def test_removed_episode_is_added_only_on_request(
    library_runner: PodcastRunner, feed: str, host: Host, database: Database, client: httpx2.Client
) -> None:
    library_runner.one(feed)
    (media_id,) = titles_in_library(client, USER)
    assert client.delete(f"/media/{media_id}").status_code == 204
    assert client.delete(f"/media/{media_id}").status_code == 404
    assert library_runner.one(feed).removed == 1  # unchanged
    body = host.files["/feed.xml"].body.replace(b"Episode 1", b"Another title").replace(b"guid-1", b"changed-guid")
    host.put("/feed.xml", body, "application/rss+xml")
    summary = library_runner.one(feed)
    assert (summary.counts["updated"], summary.removed) == (1, 1)
    library_runner.root = library_runner.root.with_name("another")
    assert library_runner.one(feed).removed == 1  # also from an empty folder
    assert titles_in_library(client, USER) == []

    library_runner.library = PodcastLibrary(database, OTHER)
    assert library_runner.one(feed).removed == 0
    library_runner.library = PodcastLibrary(database, USER)
    library_runner.one(feed)
    assert (len(titles_in_library(client, OTHER)), titles_in_library(client, USER)) == (1, [])
    library_runner.library = PodcastLibrary(database, USER, restore_removed=True)
    assert library_runner.one(feed).removed == 0
    library_runner.library = PodcastLibrary(database, USER)
    assert library_runner.one(feed).removed == 0
    assert titles_in_library(client, USER) == titles_in_library(client, OTHER)


def test_episode_removed_while_a_run_is_about_to_save_it(
    library_runner: PodcastRunner, feed: str, host: Host, client: httpx2.Client
) -> None:
    """The run has read it as present; what it saves afterwards must not add it again."""
    library_runner.one(feed)
    (media_id,) = titles_in_library(client, USER)
    host.put("/feed.xml", host.files["/feed.xml"].body.replace(b"Episode 1", b"New title"), "application/rss+xml")

    def remove_meanwhile(path: str) -> None:
        if path == "/c.json":
            client.delete(f"/media/{media_id}").raise_for_status()

    host.on_request = remove_meanwhile
    assert library_runner.one(feed).counts["updated"] == 1
    assert titles_in_library(client, USER) == []
    assert library_runner.one(feed).removed == 1
