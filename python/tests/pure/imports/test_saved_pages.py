"""Folders of pages that were saved as files."""

from datetime import UTC, datetime

import pytest

from nexus.text.imports import page_file
from tests.pure.imports.reading import items, problems, read, zipped

SINGLE_FILE = """<!DOCTYPE html> <html lang=en><!--
 Page saved with SingleFile
 url: https://a.example/salt?x=1&y=2
 saved date: Sat Mar 02 2024 10:05:07 GMT+0100 (Central European Standard Time)
--><meta charset=utf-8><title>On salt &amp; sea</title><link rel=canonical href="https://other.example/"><p>Wörter"""


def test_a_page_of_singlefile() -> None:
    item, _ = items({"a.html": SINGLE_FILE, "b.html": "<html><p>x"})
    assert (item.url, item.title, item.lang, item.html) == (
        "https://a.example/salt?x=1&y=2", "On salt & sea", "en", SINGLE_FILE,
    )  # fmt: skip
    assert item.saved_at == datetime(2024, 3, 2, 9, 5, 7, tzinfo=UTC)


def test_where_a_page_says_what_its_link_is() -> None:
    pages = {
        "browser.html": "<!-- saved from url=(0024)https://a.example/1 -->\n<html><title>A</title>",
        "canonical.html": "<html><head><link href='https://a.example/2?x=1&amp;y=2' rel='canonical'></head>",
        "social.htm": '<html><meta property="og:url" content="https://a.example/3">',
        "internet.html": "<!-- saved from url=(0014)about:internet --><html><link rel=canonical href=/relative>",
    }
    found = items({"pages.zip": zipped({**pages, "pages_files/style.css": "p {}", "pages_files/x.png": b"\x89PNG"})})
    assert [(item.url, item.title) for item in found] == [
        ("https://a.example/1", "A"), ("https://a.example/2?x=1&y=2", "canonical"), ("https://a.example/3", "social"),
        (None, "internet"),
    ]  # fmt: skip


def test_a_page_in_the_encoding_that_it_declares() -> None:
    page = "<html><meta charset=koi8-r><title>Соль</title>".encode("koi8-r")
    assert items({"x.zip": zipped({"a.html": page})})[0].title == "Соль"


def test_a_page_that_is_too_large_leaves_its_link(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_file, "MAX_PAGE_BYTES", 400)
    summary, _ = read({"x.zip": zipped({"a.html": SINGLE_FILE + "x" * 400})})
    assert (summary.counts.items, summary.counts.with_content, summary.counts.problems) == (1, 0, 1)
    assert summary.rows[0].url == "https://a.example/salt?x=1&y=2"


def test_other_files_of_a_folder_are_named_once() -> None:
    (problem,) = problems(
        {"x.zip": zipped({"a.html": SINGLE_FILE, "b.txt": "Words.", "c.json": "{}", "d.css": "p {}"})}
    )
    assert (problem.file, problem.code) == ("x.zip", "not_recognised")
    assert "b.txt, c.json." in problem.message
