"""Bookmarks and Readwise's table, read back as other programs read them."""

import csv
import re
from datetime import UTC, datetime
from html.parser import HTMLParser
from io import StringIO
from typing import Any
from uuid import uuid4

from tests.api.saving import BOB, save
from tests.exports.exporting import Exports
from tests.lifecycle_steps import LifecycleSteps
from tests.pure.imports.reading import items


class BookmarkReader(HTMLParser):
    """Links with their attributes, title, description and the folders around them; `p` and `DT` are never closed."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[dict[str, Any]] = []
        self.folders: list[str] = []
        self._at: str | None = None

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self.links.append(dict(attributes) | {"title": "", "about": "", "folders": tuple(self.folders)})
        elif tag == "h3":
            self.folders.append("")
        if tag in ("a", "dd", "h3", "dt", "dl"):
            self._at = tag

    def handle_endtag(self, tag: str) -> None:
        if tag == "dl" and self.folders:
            self.folders.pop()
        self._at = None

    def handle_data(self, data: str) -> None:
        if self._at == "h3":
            self.folders[-1] += data
        elif self._at == "a":
            self.links[-1]["title"] += data
        elif self._at == "dd":
            self.links[-1]["about"] += data


def read_bookmarks(file: bytes) -> list[dict[str, Any]]:
    assert file.startswith(b"<!DOCTYPE NETSCAPE-Bookmark-file-1>")
    reader = BookmarkReader()
    reader.feed(file.decode())
    assert reader.folders == [], "all folders are closed"
    return reader.links


def save_link(exports: Exports, steps: LifecycleSteps, url: str, **facts: Any) -> str:
    saved = save(exports.http, url=f"https://example.org/{uuid4()}")
    return str(steps.succeed_item(saved, canonical_url=url, **facts))


def test_bookmarks_have_what_other_programs_read(exports: Exports, steps: LifecycleSteps) -> None:
    url = "https://example.org/a?b=1&c=%22<'>"
    media = save_link(exports, steps, url, title='Tom & "Jerry"\n</A><script>alert(1)</script>', excerpt="In short")
    changes = {"tags": ["two words", "a/b", "c, d"], "note": 'My <b>note</b>\nin two lines "&"', "starred": True}
    assert exports.http.patch(f"/api/library/{media}", json=changes).is_success
    plain = save_link(exports, steps, "https://example.org/plain", title="Plain", excerpt="In short")
    old = save_link(exports, steps, "https://example.org/old", title="Old", excerpt=None)
    assert exports.http.patch(f"/api/library/{old}", json={"archived": True}).is_success
    assert exports.http.patch(f"/api/library/{plain}", json={"read": True}).is_success
    save(exports.http, pasted_text="Words without a link")
    save(exports.http, BOB, url="https://example.org/of-bob")
    made = exports.ask("bookmarks")
    exports.work()
    assert [each["reason"] for each in exports.get(made)["left_out"]] == ["it has no web address"]
    file = exports.download(made).content
    assert b"<script" not in file
    first, second, third = read_bookmarks(file)
    assert (first["href"], first["title"]) == (url, 'Tom & "Jerry" </A><script>alert(1)</script>')
    assert set(first["tags"].split(",")) == {"two words", "a/b", "c d"}
    assert first["about"].rstrip() == 'My <b>note</b>\nin two lines "&"'
    facts = {name: first[name] for name in ("private", "toread", "data-important", "folders")}
    assert facts == {"private": "1", "toread": "1", "data-important": "true", "folders": ()}
    saved = datetime.fromtimestamp(int(first["add_date"]), UTC)
    assert abs((datetime.now(UTC) - saved).total_seconds()) < 300
    assert int(first["last_modified"]) >= int(first["add_date"])
    assert (second["title"], second["about"].strip(), second["toread"]) == ("Plain", "In short", "0")
    assert (third["href"], third["folders"], third["toread"]) == ("https://example.org/old", ("Archive",), "0")
    own = {item.url: item for item in items({"bookmarks.html": file})}
    assert set(own) == {url, "https://example.org/plain", "https://example.org/old"}
    assert (own[url].title, own[url].note) == (first["title"], 'My <b>note</b>\nin two lines "&"')
    assert set(own[url].tags) == {"two words", "a/b", "c d"}
    assert (own[url].read, own[url].starred) == (False, True)
    assert own[url].saved_at == saved


def test_highlights_go_to_readwise(exports: Exports, steps: LifecycleSteps) -> None:
    words = "The first words. The second words, with a comma."
    media = save_link(exports, steps, "https://example.org/read", words=words, title="Read me", byline="Ada")
    other = save_link(exports, steps, "https://example.org/other", words=words, title="Other")
    exports.highlight(media, 17, 48, note="=SUM(1)\nsecond line", tags=["two words"])
    exports.highlight(media, 0, 16)
    exports.highlight(other, 0, 9)
    rows = list(csv.reader(StringIO(exports.file("readwise-csv", media_ids=[media]).decode(), newline="")))
    assert rows[0] == ["Highlight", "Title", "Author", "URL", "Note", "Location", "Date"]
    about = ["Read me", "Ada", "https://example.org/read"]
    assert [row[:6] for row in rows[1:]] == [
        ["The first words.", *about, "", "1"],
        ["The second words, with a comma.", *about, ".two-words\n=SUM(1)\nsecond line", "2"],
    ]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", row[6]) for row in rows[1:])
    assert len(list(csv.reader(StringIO(exports.file("readwise-csv").decode(), newline="")))) == 4
