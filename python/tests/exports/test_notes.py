"""Markdown notes, read back: front matter as YAML, links as files, callouts with ids."""

import io
import re
import zipfile
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
import yaml

from nexus.services.exports.formats.notes.front_matter import authors_of, obsidian_tags, quoted
from nexus.services.exports.formats.notes.markdown_notes import note_name
from nexus.text.imports.records import ImportedItem
from nexus.text.markdown import to_markdown
from nexus.text.sanitize import sanitize_html
from tests.api.pictures import picture
from tests.api.saving import save
from tests.downloads.conftest import SaveText
from tests.exports.exporting import Exports
from tests.lifecycle_steps import LifecycleSteps
from tests.pictures.picture_steps import PictureSteps
from tests.pure.imports.reading import read as read_import

UNFIT = re.compile(r'[\\/:*?"<>|#^\[\]]')


@dataclass
class Note:
    facts: dict[str, Any]
    body: str


def read_vault(data: bytes) -> tuple[dict[str, Note], dict[str, bytes]]:
    """The notes by their names, and the other files."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        files = {name: archive.read(name) for name in archive.namelist()}
        assert len({name.casefold() for name in archive.namelist()}) == len(archive.namelist()), "unique on any disk"
    notes = {name: _read(content.decode()) for name, content in files.items() if name.endswith(".md")}
    assert not any(UNFIT.search(name.removesuffix(".md")) or name.startswith(".") for name in notes)
    return notes, {name: content for name, content in files.items() if name not in notes}


def _read(text: str) -> Note:
    assert text.startswith("---\n")
    front, _, body = text.removeprefix("---\n").partition("\n---\n")
    return Note(yaml.safe_load(front), body)


def test_a_note_has_all_that_is_known(
    exports: Exports, steps: LifecycleSteps, picture_steps: PictureSteps, save_text: SaveText
) -> None:
    shown = picture_steps.publish("/shown.png")
    gone = picture_steps.publish("/gone.png", b"", 404)
    html = f'<p>The first words.</p><h2>Then</h2><p><img src="{shown}" alt="A"><img src="{gone}" alt="B"></p>'
    media = save_text(
        html, words="The first words.", title='A "title": with #marks [and] more?', byline="Ada Lovelace, Bob Roe",
        site_name="The Site", canonical_url="https://example.org/a(b)?c=1&d=2",
        published_at=datetime.fromisoformat("2024-05-06T07:08:09+02:00"),
    )  # fmt: skip
    other = save_text(f'<p>The same picture <img src="{shown}"></p>', title="a title with marks and more")
    changes = {"tags": ["two words", "a/b", "2024", "C++"], "note": "Line one\n# two: \u2028x", "starred": True}
    assert exports.http.patch(f"/api/library/{media}", json=changes).is_success
    assert exports.http.patch(f"/api/library/{other}", json={"archived": True, "read": True}).is_success
    highlight = exports.highlight(media, 4, 9, note="Why\n- this", tags=["two words"])
    data = exports.file("markdown")
    notes, files = read_vault(data)
    assert set(notes) == {"A title with marks and more.md", "a title with marks and more 2.md"}
    note = notes["A title with marks and more.md"]
    saved = note.facts.pop("saved")
    assert isinstance(saved, datetime)
    assert note.facts == {
        "title": 'A "title": with #marks [and] more?',
        "url": "https://example.org/a(b)?c=1&d=2",
        "site": "The Site",
        "author": ["Ada Lovelace", "Bob Roe"],
        "published": datetime(2024, 5, 6, 5, 8, 9),  # noqa: DTZ001 - Obsidian knows no zones
        "tags": ["_2024", "a/b", "C", "two-words"],
        "status": "unread",
        "starred": True,
        "archived": False,
        "note": "Line one\n# two: \u2028x",
        "kind": "web_article",
        "id": media,
    }
    (name,) = files
    assert re.fullmatch(r"pictures/[0-9a-f]{24}\.png", name)
    assert files[name] == picture()
    assert f"![A]({name})" in note.body
    assert f"![B]({gone})" in note.body, "what is not kept stays a link"
    assert '\n# A "title": with \\#marks \\[and\\] more?\n' in note.body
    assert "](https://example.org/a%28b%29?c=1&d=2)" in note.body
    assert "> [!note]\n> Line one\n> \\# two:\n> x\n" in note.body
    assert re.search(
        r"\n> \[!quote\] \d{4}-\d\d-\d\d \(yellow\)\n> first\n>\n> > \[!note\]\n> > Why\n> > \\- this\n>\n"
        r"> #two-words\n\n"
        rf"\^hl-{highlight.replace('-', '')[:12]}\n",
        note.body,
    )
    second = notes["a title with marks and more 2.md"]
    assert (second.facts["archived"], second.facts["status"], "tags" in second.facts) == (True, "read", False)
    assert f"![]({name})" in second.body
    check_import(data, note, saved)


def check_import(data: bytes, note: Note, saved: datetime) -> None:
    """Our own import reads the same from the note."""
    (read,) = [each for each in read_import({"notes.zip": data})[1] if getattr(each, "url", "") == note.facts["url"]]
    assert isinstance(read, ImportedItem)
    assert (read.title, read.note) == (note.facts["title"], note.facts["note"])
    assert (read.saved_at, read.read, read.starred, read.archived) == (saved.replace(tzinfo=UTC), False, True, False)
    assert set(read.tags) == set(note.facts["tags"])
    assert [(each.quote, each.note, each.color, each.tags) for each in read.highlights] == [
        ("first", "Why\n- this", "yellow", ("two-words",))
    ]
    assert (read.text or "").startswith("The first words.\n\n## Then")


def test_what_has_no_text_is_a_note_with_its_link(exports: Exports, steps: LifecycleSteps) -> None:
    waiting = save(exports.http, url="https://example.org/waiting")
    failed = save(exports.http, url="https://example.org/failed")
    steps.fail_item(failed)
    note = {"note": "Read this one day"}
    assert exports.http.patch(f"/api/library/{steps.media_of(waiting)}", json=note).is_success
    notes, _ = read_vault(exports.file("markdown"))
    by_url = {each.facts["url"]: each for each in notes.values()}
    assert {url: each.facts["status"] for url, each in by_url.items()} == {
        "https://example.org/waiting": "waiting",
        "https://example.org/failed": "without text",
    }
    body = by_url["https://example.org/waiting"].body
    assert "](https://example.org/waiting)" in body
    assert "> [!note]\n> Read this one day" in body
    assert "not there yet" in body
    assert "could not be read" in by_url["https://example.org/failed"].body


def test_names_are_unique_whatever_is_in_a_title(exports: Exports, steps: LifecycleSteps) -> None:
    titles = [
        "Same",
        "same",
        "SAME 2",
        "CON",
        "...",
        "pictures",
        "é",
        "e\u0301",
        "x" * 300,
        "a/b\\c",
        "?",
        "[[x]]",
    ]
    for title in titles:
        saved = save(exports.http, url=f"https://example.org/{uuid4()}")
        steps.succeed_item(saved, title=title)
    notes, _ = read_vault(exports.file("markdown"))
    assert len(notes) == len(titles)
    assert "_CON.md" in notes


def test_whatever_markdown_gives_a_meaning_to_is_escaped() -> None:
    html = sanitize_html(
        "<p>#tag &lt;script&gt; [[wiki]] ==mark== *x* 1 | 2</p><p># no heading</p><p>1. no list</p>"
        '<p><a href="https://example.org/a_(b)">C#</a></p>', "https://example.org/"
    )  # fmt: skip
    assert to_markdown(html, exact=True).split("\n\n") == [
        r"\#tag \<script\> \[\[wiki\]\] \=\=mark\=\= \*x\* 1 \| 2",
        r"\# no heading",
        r"1\. no list",
        "[C#](https://example.org/a_%28b%29)",
    ]


@pytest.mark.parametrize(
    "words", ["plain", 'a "b" \\ c', "a: b # c", "\x7f \x85 \u2028 \ufeff", "tab\tline\nend", "'", "👍", "\\u0041", ""]
)
def test_yaml_reads_what_was_written(words: str) -> None:
    assert yaml.safe_load(f"key: {quoted(words)}") == {"key": words}


def test_tags_are_those_that_obsidian_takes() -> None:
    names = ["two words", "a / b", "#x", "2024", "2024/05", "C++", "Ärger", "日本語", "🎉", "!!", "Two-Words", "l'été"]
    found = obsidian_tags(names)
    assert found == ["two-words", "a/b", "x", "_2024", "_2024/05", "C", "Ärger", "日本語", "🎉", "l-été"]


def test_authors_are_a_list() -> None:
    assert authors_of(None) == []
    assert authors_of("Ada") == ["Ada"]
    assert authors_of("Doe, Jane") == ["Doe, Jane"]
    assert authors_of("Doe, Jane; Roe, Richard") == ["Doe, Jane", "Roe, Richard"]
    assert authors_of("Ada Lovelace, Charles Babbage") == ["Ada Lovelace", "Charles Babbage"]


def test_name_of_a_note() -> None:
    assert note_name(" .hidden #1 [x]^2 ") == "hidden 1 x 2"
    assert note_name("###") == "document"
