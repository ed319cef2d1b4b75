"""HTML pages and EPUB books, of more texts than one file holds."""

import io
import re
import zipfile
from urllib.parse import unquote
from uuid import uuid4

import pytest
from lxml import html as lxml_html

from nexus.services.exports.formats import books
from tests.api.saving import save
from tests.downloads.books import read_book
from tests.downloads.conftest import SaveText
from tests.exports.exporting import Exports
from tests.lifecycle_steps import LifecycleSteps
from tests.pictures.picture_steps import PictureSteps


@pytest.fixture
def small_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(books, "MAX_ENTRIES", 2)


def save_texts(exports: Exports, steps: LifecycleSteps, *titles: str) -> None:
    for title in titles:
        saved = save(exports.http, url=f"https://example.org/{uuid4()}")
        steps.succeed_item(saved, f"Words of {title}", title=title)


def members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def test_few_texts_are_one_file(exports: Exports, picture_steps: PictureSteps, save_text: SaveText) -> None:
    shown = picture_steps.publish("/shown.png")
    save_text(f'<p>Words and <img src="{shown}"></p>', title="With a picture")
    save_text("<p>Other words</p>", title="Plain")
    save(exports.http, url="https://example.org/waiting")
    made = exports.ask("epub")
    exports.work()
    found = exports.get(made)
    assert (found["status"], found["done"], found["total"]) == ("finished", 3, 3)
    assert [each["reason"] for each in found["left_out"]] == ["its text is not there yet"]
    data = exports.download(made).content
    book = read_book(data)
    assert book.facts("title") == ["Library"]
    assert any(name.endswith(".png") for name in book.files)
    page = exports.file("html").decode()
    assert page.count("<article ") == 2
    assert "data:image/png;base64," in page
    assert "its text is not there yet" in page


@pytest.mark.usefixtures("small_files")
def test_many_texts_are_several_books(exports: Exports, steps: LifecycleSteps) -> None:
    save_texts(exports, steps, "One", "Two", "Three", "Four", "Five")
    save(exports.http, url="https://example.org/waiting")
    made = exports.ask("epub", query="words")
    exports.work()
    found = exports.get(made)
    assert found["filename"].endswith("-epub.zip")
    files = members(exports.download(made).content)
    assert sorted(files) == [f"Search words 00{number}.epub" for number in (1, 2, 3)]
    titles = [read_book(data).facts("title")[0] for data in files.values()]
    assert titles[:2] == ["Search: words, part 1", "Search: words, part 2"]


@pytest.mark.usefixtures("small_files")
def test_many_texts_are_pages_with_a_list(exports: Exports, steps: LifecycleSteps) -> None:
    save_texts(exports, steps, "One", "one", "100% <b>#1</b>?")
    save(exports.http, url="https://example.org/waiting")
    files = members(exports.file("html"))
    index = lxml_html.fromstring(files.pop("index.html"))
    linked = {unquote(link.get("href", "")): link.text for link in index.iter("a")}
    assert set(linked) == set(files)
    assert sorted(linked.values(), key=str) == ["100% <b>#1</b>?", "One", "one"]
    assert len({name.casefold() for name in files}) == 3
    for name, content in files.items():
        assert re.search(r"Words of (One|one|100%)", content.decode()), name


def test_without_a_text_there_is_no_book(exports: Exports) -> None:
    save(exports.http, url="https://example.org/waiting")
    for kind in ("epub", "html"):
        made = exports.ask(kind)
        exports.work()
        found = exports.get(made)
        assert (found["status"], found["size"]) == ("failed", None)
        assert found["message"] == "None of these has a text to read yet, so there is nothing to export."
