"""Feeds as publishers write them, and as attackers do."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from nexus.errors import NotAFeedError, ProcessPoolError
from nexus.podcasts.feed.identity import title_alias
from nexus.podcasts.feed.model import Chapter, Feed
from nexus.podcasts.feed.parse import parse_feed
from nexus.podcasts.transcripts.clock import clock_ms
from nexus.podcasts.transcripts.link import TranscriptLink
from nexus.text.process_pool import ProcessPool
from tests.podcasts.feeds import item, rss
from tests.processes import WAIT_SECONDS

URL = "https://show.example/feed.xml"


def parse(data: bytes, content_type: str | None = "application/rss+xml") -> Feed:
    return parse_feed(data, content_type=content_type, url=URL)


def test_rss_with_all_namespaces() -> None:
    extra = (
        "<itunes:duration>01:02:03</itunes:duration><itunes:author>Ada</itunes:author><itunes:season>2</itunes:season>"
        '<itunes:episode>7</itunes:episode><itunes:image href="/cover.png"/><link>/e/1</link>'
        '<podcast:transcript url="/t.vtt" type="text/vtt" language="en"/>'
        '<podcast:transcript url="/t.srt" type="application/srt"/>'
        '<podcast:chapters url="/c.json" type="application/json+chapters"/>'
        '<psc:chapters><psc:chapter start="00:01:00.500" title="One" href="/one"/></psc:chapters>'
        "<description>short</description><content:encoded><![CDATA[<p>much longer notes</p>]]></content:encoded>"
    )
    head = "<itunes:new-feed-url>https://new.example/f</itunes:new-feed-url><itunes:author>The Show</itunes:author>"
    feed = parse(rss([item(1, audio="/a.mp3", extra=extra)], head=head))
    (entry,) = feed.entries
    assert (feed.title, feed.lang, feed.author, feed.new_feed_url) == (
        "A Show",
        "en",
        "The Show",
        "https://new.example/f",
    )
    assert entry.guid == "guid-1"
    assert entry.published_at == datetime(2024, 1, 2, 12, tzinfo=UTC)
    assert (entry.enclosure_url, entry.enclosure_type) == ("https://show.example/a.mp3", "audio/mpeg")
    assert (entry.duration_ms, entry.author, entry.season, entry.episode_number) == (3_723_000, "Ada", "2", "7")
    assert (entry.image_url, entry.link) == ("https://show.example/cover.png", "https://show.example/e/1")
    assert entry.transcripts == (
        TranscriptLink("https://show.example/t.vtt", "text/vtt", "en"),
        TranscriptLink("https://show.example/t.srt", "application/srt", None),
    )
    assert entry.chapters_url == "https://show.example/c.json"
    assert entry.chapters == (Chapter(60_500, "One", None, "https://show.example/one", None),)
    assert entry.notes == "<p>much longer notes</p>"


def test_podcast_namespace_under_its_other_address_and_prefix() -> None:
    data = rss([item(1, extra='<pod:transcript url="/t.json" type="application/json"/>')]).replace(
        b"<channel>",
        b'<channel xmlns:pod="https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/1.0.md">',
    )
    assert parse(data).entries[0].transcripts[0].url == "https://show.example/t.json"


def test_atom() -> None:
    data = b"""<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Atomic</title>
        <entry><id>tag:1</id><title>E</title><updated>2024-05-06T07:08:09+02:00</updated>
        <content type="html">&lt;p&gt;n&lt;/p&gt;</content>
        <link rel="enclosure" type="audio/mpeg" href="https://cdn.example/e.mp3"/><link href="https://show.example/e"/></entry></feed>"""
    (entry,) = parse(data).entries
    assert (entry.guid, entry.enclosure_url, entry.link) == (
        "tag:1",
        "https://cdn.example/e.mp3",
        "https://show.example/e",
    )
    assert entry.published_at == datetime(2024, 5, 6, 5, 8, 9, tzinfo=UTC)


def test_audio_is_chosen_among_enclosures() -> None:
    extra = '<enclosure url="/cover.jpg" type="image/jpeg"/><enclosure url="/a.m4a" type="audio/x-m4a"/>'
    assert parse(rss([item(1, extra=extra)])).entries[0].enclosure_url == "https://show.example/a.m4a"


@pytest.mark.parametrize(
    ("date", "found"),
    [
        ("Tue, 02 Jan 2024 10:00:00 GMT", (2024, 1, 2)),
        ("2024-01-02", (2024, 1, 2)),
        ("2 Jan 24 10:00 EST", (2024, 1, 2)),
        ("yesterday", None),
        ("", None),
        ("Tue, 99 Foo 2024 10:00:00 GMT", None),
        ("Thu, 01 Jan 1970 00:00:00 GMT", None),
        ("0001-01-01T00:00:00", None),
    ],
)
def test_dates(date: str, found: tuple[int, int, int] | None) -> None:
    published = parse(rss([item(1, date=date)])).entries[0].published_at
    assert (published and (published.year, published.month, published.day)) == found


@pytest.mark.parametrize(
    ("data", "content_type"),
    [
        (rss([], title="Grüße"), "text/xml; charset=iso-8859-1"),
        (rss([], title="Grüße").replace(b"utf-8", b"iso-8859-1"), "application/xml"),
        (rss([], title="Grüße", encoding="iso-8859-1"), "text/xml"),
        (rss([], title="Grüße", encoding="iso-8859-1"), "text/xml; charset=iso-8859-1"),
        (rss([], title="Grüße", encoding="iso-8859-1").replace(b"iso-8859-1", b"utf-8"), None),
        (rss([], title="Grüße", encoding="utf-16"), "application/xml"),
    ],
)
def test_wrong_charsets(data: bytes, content_type: str | None) -> None:
    assert parse(data, content_type).title == "Grüße"


def test_broken_xml_is_read_with_a_complaint() -> None:
    feed = parse(rss([item(2), item(1)]).replace(b"</channel></rss>", b"<item><title>open & bold"))
    assert [entry.title for entry in feed.entries][:2] == ["Episode 2", "Episode 1"]
    assert feed.complaint is not None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"hello",
        b"<html><body>Not found</body></html>",
        b'{"a": 1}',
        b"https://show.example/feed.xml",
        b"/etc/passwd",
    ],
)
def test_not_a_feed(data: bytes) -> None:
    with pytest.raises(NotAFeedError):
        parse(data)


def test_urls_of_other_schemes_are_dropped() -> None:
    extra = '<podcast:transcript url="file:///etc/passwd" type="text/plain"/><link>javascript:alert(1)</link>'
    (entry,) = parse(rss([item(1, audio="data:audio/mpeg;base64,AAAA", extra=extra)])).entries
    assert (entry.enclosure_url, entry.transcripts, entry.link) == (None, (), None)


def test_titles_are_one_clean_line() -> None:
    (entry,) = parse(rss([item(1, title="a\u0000b\n\tc\u202ed" + "x" * 5000)])).entries
    assert entry.title is not None
    assert entry.title.startswith("a b c d") or entry.title.startswith("ab c d")
    assert len(entry.title) <= 1000


@pytest.mark.parametrize(
    "title",
    [
        "\u0645\u06cc\u200c\u0631\u0648\u0645",  # Persian: "I go", a word of two parts
        "The \U0001f468\u200d\U0001f469\u200d\U0001f467 show",
        "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",  # the flag of England
    ],
)
def test_titles_keep_the_characters_that_join(title: str) -> None:
    chapter = f'<psc:chapters><psc:chapter start="1" title="{title}"/></psc:chapters>'
    feed = parse(rss([item(1, title=title, extra=f"<itunes:author>{title}</itunes:author>{chapter}")], title=title))
    (entry,) = feed.entries
    assert (feed.title, entry.title, entry.author, entry.chapters[0].title) == (title,) * 4


def test_an_episode_stays_the_same_whatever_is_invisible_in_its_feed() -> None:
    data = rss([item(1, guid="a\u200cb", title="\u0645\u06cc\u200c\u0631\u0648\u0645")])
    (entry,) = parse(data).entries
    assert (entry.guid, title_alias(entry)) == ("a b", "title:2024-01-02:\u0645\u06cc \u0631\u0648\u0645")


def test_what_is_invisible_around_words_and_addresses_is_left_out() -> None:
    head = "<itunes:new-feed-url>\ufeffhttps://new.example/f\u200b</itunes:new-feed-url>"
    feed = parse(rss([item(1, title="\u200b")], title="\ufeffA\u200bShow", head=head))
    assert (feed.title, feed.new_feed_url, feed.entries[0].title) == ("A Show", "https://new.example/f", None)


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [("90", 90_000), ("1:30", 90_000), ("01:01:01", 3_661_000), ("00:00:01.5", 1500), ("1:2:3:4", None), ("x", None),
     ("-5", None), ("1e99", None), ("nan", None), ("", None), (None, None)],
)  # fmt: skip
def test_clock_times(text: str | None, milliseconds: int | None) -> None:
    assert clock_ms(text) == milliseconds


LAUGHS = (
    b"<!DOCTYPE r [<!ENTITY a0 'ha'>"
    + b"".join(b"<!ENTITY a%d '%s'>" % (n, b"&a%d;" % (n - 1) * 10) for n in range(1, 12))
    + b"]>"
)


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPool]:
    with ProcessPool(workers=1, deadline_seconds=3, clock_seconds=WAIT_SECONDS, memory_bytes=700 << 20) as children:
        yield children


def hostile(tmp_path: Path) -> dict[str, bytes]:
    secret = tmp_path / "secret"
    secret.write_text("hunter2")
    plain = rss([item(1, title="TITLE")])
    outside = b"<!DOCTYPE r [<!ENTITY x SYSTEM 'file://%s'>]>" % bytes(secret)
    parameter = b"<!DOCTYPE r [<!ENTITY %% x SYSTEM 'file://%s'> %%x;]>" % bytes(secret)
    return {
        "billion laughs": plain.replace(b"<rss", LAUGHS + b"<rss", 1).replace(b"TITLE", b"&a11;"),
        "quadratic": plain.replace(b"<rss", b"<!DOCTYPE r [<!ENTITY x '" + b"A" * 100_000 + b"'>]><rss", 1).replace(
            b"TITLE", b"&x;" * 10_000
        ),
        "external entity": plain.replace(b"<rss", outside + b"<rss", 1).replace(b"TITLE", b"&x;"),
        "parameter entity": plain.replace(b"<rss", parameter + b"<rss", 1),
        "include": plain.replace(
            b"TITLE",
            b"<xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href='file://%s' parse='text'/>" % bytes(secret),
        ),
        "deep": b"<rss><channel>" + b"<a>" * 100_000,
        "attributes": b"<rss><channel><item "
        + b" ".join(b"a%d='x'" % n for n in range(40_000))
        + b"></item></channel></rss>",
    }


def test_hostile_feeds_do_not_affect_others(pool: ProcessPool, tmp_path: Path) -> None:
    """Each is read without expanding, or fails with its code; nothing leaks, and the pool keeps working."""
    for name, data in hostile(tmp_path).items():
        try:
            feed = pool.run(parse_feed, data, content_type="application/xml", url=URL)
        except (NotAFeedError, ProcessPoolError):
            continue
        said = repr(feed)
        assert "hunter2" not in said, name
        assert len(said) < 100_000, name
    assert pool.run(parse_feed, rss([item(1)]), content_type=None, url=URL).title == "A Show"
