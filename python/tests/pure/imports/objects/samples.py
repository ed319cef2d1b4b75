"""An entry of each JSON format with every field that is read, and the file around it."""

import json
from collections.abc import Callable
from typing import Any

Entry = dict[str, Any]

WALLABAG: Entry = {
    "id": 7,
    "title": "Cat&#39;s\n  cradle",
    "url": "https://a.example/x?a=1&b=2",
    "given_url": "https://a.example/given",
    "is_archived": 1,
    "archived_at": "2024-03-02T08:15:00+0100",
    "is_starred": 1,
    "content": "<p>Thread</p>",
    "created_at": "2024-03-01T08:15:00+0100",
    "updated_at": "2024-03-05T08:15:00+0100",
    "published_at": "2023-12-24T00:00:00+0000",
    "published_by": ["Ann", "Bo"],
    "tags": ["knots", "long read"],
    "annotations": [
        {"text": "my note", "quote": "the  thread", "ranges": [{"start": "/p[1]", "startOffset": "0"}]},
        {"text": "without a quote", "quote": ""},
    ],
    "mimetype": "text/html",
    "language": "fr_FR",
    "reading_time": 3,
    "domain_name": "a.example",
    "http_status": "200",
    "headers": {"server": "x"},
}
WALLABAG_1: Entry = {
    "0": "3", "1": "Old", "id": "3", "title": "Old", "url": "https://old.example/", "is_read": "1", "is_fav": "0",
    "content": "<p>old</p>", "user_id": "1", "tags": "a,b c",
}  # fmt: skip
OMNIVORE: Entry = {
    "id": "9", "slug": "on-ice", "title": "On ice", "description": "What the page says of itself", "author": "Cy",
    "url": "https://ice.example/on", "state": "Archived", "readingProgress": 1, "thumbnail": None,
    "labels": ["cold", "Water/Ice"], "savedAt": "2023-05-06T07:08:09.120Z", "updatedAt": "2023-05-07T07:08:09.120Z",
    "publishedAt": "2020-01-02T00:00:00.000Z",
}  # fmt: skip
KARAKEEP: Entry = {
    "createdAt": 1700000000, "title": "Salt", "tags": ["food"], "lists": ["l2"], "note": "taste it", "archived": True,
    "content": {"type": "link", "url": "https://salt.example/"},
}  # fmt: skip
LINKWARDEN: Entry = {
    "id": 5, "name": "Wood &amp; glue", "url": "https://wood.example/", "type": "url", "description": "for the shed",
    "tags": [{"name": "diy"}], "createdAt": "2024-02-02T00:00:00.000Z", "importDate": "2019-02-02T00:00:00.000Z",
    "textContent": "Glue holds.",
}  # fmt: skip
PINBOARD: Entry = {
    "href": "https://pin.example/", "description": "Pins", "extended": "sharp", "time": "2015-06-07T08:09:10Z",
    "shared": "no", "toread": "yes", "tags": "metal  sewing", "meta": "x", "hash": "y",
}  # fmt: skip
DELICIOUS: Entry = {
    "title": "Tea", "url": "https://tea.example/", "description": "green", "tags": ["drink", "hot"],
    "created": "1250000000", "private": "1",
}  # fmt: skip
GOODLINKS: Entry = {
    "url": "https://good.example/", "title": "Good", "tags": ["fine"], "starred": True, "addedAt": 1600000000.5,
    "summary": "What the page says of itself", "readAt": 1600000100,
}  # fmt: skip
READABILITY: Entry = {
    "article__url": "https://able.example/", "article__title": "Able", "archive": True, "favorite": False,
    "date_added": "2013-04-05T06:07:08", "article__excerpt": "x",
}  # fmt: skip
GOOGLE_READER: Entry = {
    "guid": "g1", "title": "Rain", "alternate": [{"href": "https://rain.example/1", "type": "text/html"}],
    "published": 1500000000, "timestampUsec": "1500000100000000", "author": "Di; Ed",
    "content": {"content": "<p>wet</p>"},
    "origin": {"streamId": "feed/1", "feedUrl": "https://rain.example/feed", "title": "Rain news"},
    "categories": [
        "user/-/state/com.google/starred", "user/-/state/com.google/read", "user/-/label/weather / rain", "of the feed",
    ],
}  # fmt: skip
FEEDBIN: Entry = {
    "id": 1, "title": "Bin", "author": None, "content": "<p>kept</p>", "url": "https://bin.example/",
    "published": "2022-01-01T00:00:00.000000Z", "created_at": "2022-01-02T00:00:00.000000Z",
}  # fmt: skip
MINIFLUX: Entry = {
    "id": 1, "title": "Flux", "url": "https://flux.example/", "content": "<p>flow</p>", "author": "Fay",
    "status": "read", "starred": True, "published_at": "2022-01-01T00:00:00Z", "created_at": "2022-01-02T00:00:00Z",
    "tags": ["of the feed"], "enclosures": [], "feed": {"title": "Flux news", "feed_url": "https://flux.example/feed"},
}  # fmt: skip
CHROME: Entry = {
    "date_added": "13244473600000000", "guid": "x", "id": "5", "name": "Chrome page", "type": "url",
    "url": "https://chrome.example/",
}  # fmt: skip
FIREFOX: Entry = {
    "guid": "abc", "title": "Fox", "index": 0, "dateAdded": 1500000000000000, "typeCode": 1, "type": "text/x-moz-place",
    "uri": "https://fox.example/", "tags": "red,quick", "keyword": "f",
    "annos": [{"name": "bookmarkProperties/description", "value": "a fox"}],
}  # fmt: skip

LISTS = [
    {"id": "l2", "name": "Kitchen/Pantry", "parentId": "l1", "type": "manual"},
    {"id": "l1", "name": "Home", "parentId": None, "type": "manual"},
    {"id": "l3", "name": "Everything", "parentId": None, "type": "smart", "query": "x"},
]

# By the source that is recognised: an entry, and the file of some of them.
FILES: dict[str, tuple[Entry, Callable[[list[Any]], Any]]] = {
    "wallabag": (WALLABAG, lambda entries: entries),
    "wallabag 1": (WALLABAG_1, lambda entries: entries),
    "wallabag API": (WALLABAG, lambda entries: {"page": 1, "_embedded": {"items": entries}}),
    "omnivore": (OMNIVORE, lambda entries: entries),
    "karakeep": (KARAKEEP, lambda entries: {"bookmarks": entries, "lists": LISTS}),
    "linkwarden": (
        LINKWARDEN,
        lambda entries: {"collections": [{"id": 1, "name": "Shed", "links": entries}], "pinnedLinks": [{"id": 5}]},
    ),
    "pinboard": (PINBOARD, lambda entries: entries),
    "delicious": (DELICIOUS, lambda entries: entries),
    "goodlinks": (GOODLINKS, lambda entries: entries),
    "readability": (READABILITY, lambda entries: {"bookmarks": entries, "recommendations": []}),
    "google-reader": (GOOGLE_READER, lambda entries: {"id": "user/-/state/com.google/starred", "items": entries}),
    "freshrss": (GOOGLE_READER, lambda entries: {"id": "user/u/state/org.freshrss/starred", "items": entries}),
    "feedbin": (FEEDBIN, lambda entries: entries),
    "miniflux": (MINIFLUX, lambda entries: {"total": 2, "entries": entries}),
    "chrome": (
        CHROME,
        lambda entries: {
            "checksum": "x",
            "roots": {"bookmark_bar": {"children": entries, "name": "Bookmarks bar", "type": "folder"}, "version": 1},
        },
    ),
    "firefox": (
        FIREFOX,
        lambda entries: {
            "guid": "root________",
            "children": [{"guid": "toolbar_____", "title": "toolbar", "typeCode": 2, "children": entries}],
        },
    ),
}


def file_of(name: str, entries: list[Any]) -> str:
    return json.dumps(FILES[name][1](entries))
