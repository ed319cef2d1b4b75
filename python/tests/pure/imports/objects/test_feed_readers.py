import json
from datetime import UTC, datetime
from typing import Any

from nexus.text.imports.records import ImportedFeed, ImportedItem
from tests.pure.imports.objects.samples import FEEDBIN, GOOGLE_READER, MINIFLUX
from tests.pure.imports.reading import items, read, zipped

STARRED = "user/-/state/com.google/starred"
OPML = '<opml version="2.0"><body><outline text="Rain" xmlUrl="https://rain.example/feed"/></body></opml>'


def reader(*entries: Any, stream: str = "user/-/state/com.google/reading-list") -> str:
    return json.dumps({"id": stream, "title": "x", "items": entries})


def test_every_field_of_google_reader() -> None:
    (item,) = items({"a.json": reader(GOOGLE_READER)})
    assert item == ImportedItem(
        "a.json",
        1,
        url="https://rain.example/1",
        title="Rain",
        saved_at=datetime(2017, 7, 14, 2, 41, 40, tzinfo=UTC),
        tags=("weather/rain",),
        starred=True,
        read=True,
        html="<p>wet</p>",
        author="Di, Ed",
        site_name="Rain news",
        published_at=datetime(2017, 7, 14, 2, 40, tzinfo=UTC),
    )


def test_its_older_fields_and_feedlys_milliseconds() -> None:
    entry = {
        "title": "T", "canonical": [{"href": "https://c.example/"}], "summary": {"content": "s"},
        "crawlTimeMsec": 1.5e12, "published": 1500000000000, "origin": {},
        "categories": ["user/1/state/com.google/kept-unread"],
    }  # fmt: skip
    (item,) = items({"starred.json": reader(entry)})
    assert (item.url, item.html, item.read) == ("https://c.example/", "s", False)
    assert item.saved_at == item.published_at == datetime(2017, 7, 14, 2, 40, tzinfo=UTC)


def test_what_was_only_received_is_of_a_subscription() -> None:
    def found(*categories: str) -> ImportedItem:
        return items({"a.json": reader(GOOGLE_READER | {"categories": categories})})[0]

    assert found().is_feed_item
    assert found("user/-/state/com.google/read").is_feed_item
    assert not found(STARRED).is_feed_item
    assert not found("user/-/label/kept").is_feed_item


def test_a_file_of_starred_entries_has_labelled_ones_too() -> None:
    plain, labelled = GOOGLE_READER | {"categories": []}, GOOGLE_READER | {"categories": ["user/-/label/l"]}
    for name, stream in (("starred.json", "x"), ("a.json", STARRED)):
        first, second = items({name: reader(plain, labelled, stream=stream)})
        assert (first.starred, first.is_feed_item) == (True, False)
        assert (second.starred, second.is_feed_item, second.tags) == (False, False, ("l",))


def test_an_episode_has_only_its_audio() -> None:
    entry = {"title": "E", "alternate": [], "enclosure": [{"href": "https://c.example/e.mp3"}], "origin": {}}
    assert items({"starred.json": reader(entry)})[0].url == "https://c.example/e.mp3"


def test_freshrss() -> None:
    stream = "user/u/state/org.freshrss/starred"
    files = {
        "feeds_2024.opml.xml": OPML,
        "starred_2024.json": reader(GOOGLE_READER, stream=stream),
        "feed_1.json": reader(GOOGLE_READER | {"categories": []}, stream="user/u/state/org.freshrss/feed"),
    }
    summary, records = read({"freshrss.zip": zipped(files)})
    assert summary.labels == ("FreshRSS", "feed readers (OPML)")
    assert [(record.file, getattr(record, "is_feed_item", None)) for record in records] == [
        ("freshrss.zip/starred_2024.json", False),
        ("freshrss.zip/feed_1.json", True),
        ("freshrss.zip/feeds_2024.opml.xml", None),
    ]
    assert isinstance(records[-1], ImportedFeed)


def test_every_field_of_feedbin() -> None:
    (item,) = items({"starred_1.json": json.dumps([FEEDBIN])})
    assert item == ImportedItem(
        "starred_1.json", 1, url="https://bin.example/", title="Bin", starred=True, html="<p>kept</p>",
        saved_at=datetime(2022, 1, 2, tzinfo=UTC), published_at=datetime(2022, 1, 1, tzinfo=UTC),
    )  # fmt: skip
    assert items({"s.json": json.dumps([FEEDBIN | {"author": "Bea"}])})[0].author == "Bea"


def test_every_field_of_miniflux() -> None:
    (item,) = items({"m.json": json.dumps({"total": 1, "entries": [MINIFLUX]})})
    assert item == ImportedItem(
        "m.json", 1, url="https://flux.example/", title="Flux", starred=True, read=True, html="<p>flow</p>",
        author="Fay", site_name="Flux news", saved_at=datetime(2022, 1, 2, tzinfo=UTC),
        published_at=datetime(2022, 1, 1, tzinfo=UTC),
    )  # fmt: skip
    entries = [MINIFLUX | {"starred": False, "status": "unread"}, MINIFLUX | {"status": "removed"}]
    unread, removed = items({"m.json": json.dumps({"total": 2, "entries": entries})})
    assert (unread.read, unread.is_feed_item) == (False, True)
    assert (removed.read, removed.is_feed_item) == (None, False)
