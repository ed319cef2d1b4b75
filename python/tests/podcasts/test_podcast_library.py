"""Episodes in the library: time-coded, on the right shelf, each once whatever happens."""

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
def shelved(runner: PodcastRunner, database: Database) -> PodcastRunner:
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
    shelved: PodcastRunner, feed: str, host: Host, connection: psycopg.Connection
) -> None:
    assert shelved.one(feed).counts["new"] == 1
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
def test_private_addresses_are_handed_out_only_where_they_are_allowed(
    shelved: PodcastRunner, feed: str, host: Host, database: Database, server_settings: Settings, allowed: bool
) -> None:
    """As stored by an older version, or with another list of exceptions."""
    shelved.one(feed)
    exceptions = (host.url.removeprefix("http://"),) if allowed else ()
    app = create_app(server_settings.model_copy(update={"egress_allow": exceptions}), database)
    with serving(app) as url, httpx2.Client(base_url=url, verify=TRUSTS_NOBODY) as http:
        (entry,) = http.get("/api/library").json()["entries"]
        media = http.get(f"/media/{entry['media_id']}").json()["data"]
    (chapter,) = media["chapters"]
    addresses = (media["audio_url"], media["capabilities"]["can_play"], chapter["url"])
    assert addresses == ((f"{host.url}/a1.mp3", True, f"{host.url}/more") if allowed else (None, False, None))
    assert chapter["title"] == "Start"


@pytest.mark.parametrize("private", ["http://192.168.1.1/x", "http://localhost:1/x", "http://[::1]/x", "http://10.1/x"])
def test_private_addresses_of_a_feed_are_not_kept(
    shelved: PodcastRunner, host: Host, connection: psycopg.Connection, private: str
) -> None:
    where = host.put("/t1.vtt", vtt("Ada: Hello there."), "text/vtt")
    extra = f'<itunes:image href="{private}.png"/><psc:chapters><psc:chapter start="1" title="One" href="{private}"/>'
    extra += "</psc:chapters>"
    first = item(1, audio=f"{private}.mp3", transcripts=((where, "text/vtt"),), extra=extra)
    head = f'<itunes:image href="{private}.png"/>'
    url = host.put("/feed.xml", rss([first], head=head), "application/rss+xml")
    assert shelved.one(url).counts["new"] == 1
    (media,) = rows(connection, "SELECT * FROM media")
    assert (media["audio_url"], media["lead_image_url"]) == (None, None)
    (episode,) = rows(connection, "SELECT * FROM episodes")
    assert (episode["enclosure_url"], episode["chapters"][0]["url"]) == (None, None)
    assert rows(connection, "SELECT image_url FROM podcasts") == [{"image_url": None}]
    assert private not in str(shelved.metadata(url))
    assert [each["stage"] for each in shelved.incidents()] == ["audio address"]


def test_it_can_be_read_over_http(shelved: PodcastRunner, feed: str, client: httpx2.Client) -> None:
    shelved.one(feed)
    (entry,) = client.get("/api/library").json()["entries"]
    assert (entry["kind"], entry["can_read"], entry["can_play"]) == ("podcast_episode", True, True)
    fragments = client.get(f"/media/{entry['media_id']}/fragments").json()["data"]
    assert [each["start_ms"] for each in fragments] == [0, 8000, None]
    (chapter,) = client.get(f"/media/{entry['media_id']}").json()["data"]["chapters"]
    assert (chapter["start_ms"], chapter["title"]) == (1500, "Start")
    # The proxy knows it as a picture of mine, though this server may not fetch from loopback.
    assert client.get(chapter["image"]).json()["detail"]["error"] == "image_unavailable"
    stranger = {"X-User-Id": str(OTHER)}
    assert client.get(chapter["image"], headers=stranger).status_code == 404
    assert client.get(f"/media/{entry['media_id']}", headers=stranger).status_code == 404


def test_again_and_again_changes_nothing(shelved: PodcastRunner, feed: str, connection: psycopg.Connection) -> None:
    def everything() -> list[Any]:
        connection.rollback()
        return [
            rows(connection, f"SELECT * FROM {table} ORDER BY 1")
            for table in ("media", "fragments", "library_media", "episodes", "episode_aliases")
        ]

    shelved.one(feed)
    before = everything()
    shelved.one(feed)
    assert shelved.one(feed, rss_conditional_get=False, prefer_types=["vtt"]).counts["updated"] == 1
    assert everything() == before


def test_corpus_from_before_is_taken_in(
    runner: PodcastRunner, feed: str, database: Database, host: Host, connection: psycopg.Connection
) -> None:
    runner.one(feed)
    host.forget()
    runner.library = PodcastLibrary(database, USER)
    assert runner.one(feed).counts["unchanged"] == 2
    assert len(rows(connection, "SELECT * FROM media")) == 1
    assert set(host.paths()) == {"/feed.xml"}
    connection.rollback()
    runner.library = PodcastLibrary(database, OTHER)  # somebody else's shelf: the same work
    runner.one(feed)
    assert len(rows(connection, "SELECT * FROM media")) == 1
    assert len(rows(connection, "SELECT * FROM library_media")) == 2


def test_lost_corpus_makes_no_second_episode(
    shelved: PodcastRunner, feed: str, host: Host, connection: psycopg.Connection
) -> None:
    shelved.one(feed)
    shelved.root = shelved.root.with_name("another")
    body = host.files["/feed.xml"].body.replace(b"guid-1", b"changed-guid")
    host.put("/feed.xml", body, "application/rss+xml")
    assert shelved.one(feed).counts["new"] == 1
    assert len(rows(connection, "SELECT * FROM media")) == 1
    (episode,) = rows(connection, "SELECT * FROM episodes")
    assert episode["guid"] == "guid-1"


def test_corrections_reach_the_library_but_the_text_stays(
    shelved: PodcastRunner, feed: str, host: Host, connection: psycopg.Connection
) -> None:
    """People quote it: fragments never change once written."""
    shelved.one(feed)
    before = rows(connection, "SELECT * FROM fragments ORDER BY idx")
    connection.rollback()
    better = host.put("/better.vtt", vtt("Ada: Other words."), "text/vtt")
    changed = item(1, title="Better title", audio=f"{host.url}/a1.mp3", transcripts=((better, "text/vtt"),))
    host.put("/feed.xml", rss([changed]), "application/rss+xml")
    assert shelved.one(feed).counts["updated"] == 1
    (media,) = rows(connection, "SELECT * FROM media")
    assert media["title"] == "Better title"
    assert rows(connection, "SELECT * FROM fragments ORDER BY idx") == before
    assert shelved.texts(feed) == ["Ada: Other words.\n\n"]


def test_moved_feed_is_the_same_podcast(
    shelved: PodcastRunner, feed: str, host: Host, connection: psycopg.Connection
) -> None:
    shelved.one(feed)
    new = host.put("/new.xml", host.files["/feed.xml"].body, "application/rss+xml")
    host.put("/feed.xml", "", status=301, headers={"location": "/new.xml"}, etag=False)
    shelved.one(feed)
    (podcast,) = rows(connection, "SELECT feed_url, moved_from FROM podcasts")
    assert podcast == {"feed_url": new, "moved_from": [feed]}


def test_health_of_a_feed(shelved: PodcastRunner, feed: str, host: Host, connection: psycopg.Connection) -> None:
    shelved.one(feed)
    del host.files["/feed.xml"]
    for _ in range(2):
        shelved.one(feed)
    (podcast,) = rows(connection, "SELECT * FROM podcasts")
    assert (podcast["last_error_code"], podcast["consecutive_failures"]) == ("http_404", 2)
    assert podcast["last_succeeded_at"] < podcast["last_fetched_at"]


def test_library_that_is_away_costs_no_transcript(
    runner: PodcastRunner, feed: str, database: Database, connection: psycopg.Connection
) -> None:
    """The corpus is complete; the next run brings it into the library."""

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


def on_shelf(client: httpx2.Client, user: UUID) -> list[str]:
    entries = client.get("/api/library", headers={"X-User-Id": str(user)}).json()["entries"]
    return [entry["media_id"] for entry in entries]


def test_removed_episode_stays_away_until_it_is_asked_for(
    shelved: PodcastRunner, feed: str, host: Host, database: Database, client: httpx2.Client
) -> None:
    shelved.one(feed)
    (media_id,) = on_shelf(client, USER)
    assert client.delete(f"/media/{media_id}").status_code == 204
    assert client.delete(f"/media/{media_id}").status_code == 404
    assert shelved.one(feed).removed == 1  # nothing new
    body = host.files["/feed.xml"].body.replace(b"Episode 1", b"Another title").replace(b"guid-1", b"changed-guid")
    host.put("/feed.xml", body, "application/rss+xml")
    summary = shelved.one(feed)
    assert (summary.counts["updated"], summary.removed) == (1, 1)
    shelved.root = shelved.root.with_name("another")
    assert shelved.one(feed).removed == 1  # also from an empty folder
    assert on_shelf(client, USER) == []

    shelved.library = PodcastLibrary(database, OTHER)
    assert shelved.one(feed).removed == 0
    shelved.library = PodcastLibrary(database, USER)
    shelved.one(feed)
    assert (len(on_shelf(client, OTHER)), on_shelf(client, USER)) == (1, [])
    shelved.library = PodcastLibrary(database, USER, restore_removed=True)
    assert shelved.one(feed).removed == 0
    shelved.library = PodcastLibrary(database, USER)
    assert shelved.one(feed).removed == 0
    assert on_shelf(client, USER) == on_shelf(client, OTHER)


def test_episode_removed_while_a_run_is_about_to_save_it(
    shelved: PodcastRunner, feed: str, host: Host, client: httpx2.Client
) -> None:
    """The run has seen it on the shelf; what it writes about it afterwards must not bring it back."""
    shelved.one(feed)
    (media_id,) = on_shelf(client, USER)
    host.put("/feed.xml", host.files["/feed.xml"].body.replace(b"Episode 1", b"New title"), "application/rss+xml")

    def remove_meanwhile(path: str) -> None:
        if path == "/c.json":
            client.delete(f"/media/{media_id}").raise_for_status()

    host.on_request = remove_meanwhile
    assert shelved.one(feed).counts["updated"] == 1
    assert on_shelf(client, USER) == []
    assert shelved.one(feed).removed == 1
