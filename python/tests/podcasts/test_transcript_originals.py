"""The transcript of an episode is kept as it came, and gives the same fragments when it is read again."""

from uuid import UUID

import psycopg
import pytest

from nexus.db.session import Database
from nexus.podcasts.library import PodcastLibrary
from nexus.podcasts.reread_transcript import reread_transcript
from nexus.text.originals.original_file import OriginalFacts, unpack
from tests.podcasts.feeds import item, rss, vtt
from tests.podcasts.host import Host
from tests.podcasts.podcast_run import PodcastRunner

TRANSCRIPT = vtt("Ada: Hello there.", "Ada: How are you?", "Bob: Fine, and what a fine day it is.")


@pytest.fixture
def feed(host: Host) -> str:
    where = host.put("/t1.vtt", TRANSCRIPT, "text/vtt")
    notes = "<description>&lt;p&gt;The notes &lt;b&gt;in bold&lt;/b&gt;&lt;/p&gt;</description>"
    first = item(1, audio=f"{host.url}/a1.mp3", transcripts=((where, "text/vtt"),), extra=notes)
    return host.put("/feed.xml", rss([first]), "application/rss+xml")


@pytest.fixture
def library(database: Database) -> PodcastLibrary:
    return PodcastLibrary(database, UUID(int=1), max_original=1_000_000)


def original(connection: psycopg.Connection) -> tuple[OriginalFacts, bytes]:
    row = connection.execute("SELECT content FROM originals").fetchone()
    assert row is not None
    facts, pieces = unpack([row[0]])
    return facts, b"".join(pieces)


def gives_the_fragments_that_are_there(connection: psycopg.Connection) -> bool:
    facts, data = original(connection)
    fragments, words = reread_transcript(data, facts)
    read = [(each.html, each.text, each.start_ms, each.end_ms) for each in fragments]
    columns = "html_sanitized, canonical_text, start_ms, end_ms"
    there = connection.execute(f"SELECT {columns} FROM fragments ORDER BY idx").fetchall()
    counted = connection.execute("SELECT word_count FROM media").fetchone()
    return read == there and counted == (words,)


def test_the_publishers_file_is_kept_as_it_came(
    runner: PodcastRunner, library: PodcastLibrary, feed: str, host: Host, connection: psycopg.Connection
) -> None:
    runner.library = library
    runner.one(feed)
    facts, data = original(connection)
    assert data == TRANSCRIPT.encode()
    assert (facts.how, facts.url, facts.format) == ("transcript", f"{host.url}/t1.vtt", "vtt")
    assert gives_the_fragments_that_are_there(connection)


def test_of_a_transcript_that_only_the_corpus_has_the_segments_are_kept(
    runner: PodcastRunner, library: PodcastLibrary, feed: str, connection: psycopg.Connection
) -> None:
    runner.one(feed)
    runner.library = library
    runner.one(feed)
    assert original(connection)[0].format == "json"
    assert gives_the_fragments_that_are_there(connection)
