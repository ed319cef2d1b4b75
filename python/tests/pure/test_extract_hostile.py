"""Hostile bytes give text or a named error, and no text is silently cut."""

import re

import pytest

from nexus.errors import UnparsableHtmlError
from nexus.text.extract_text import extract_text
from nexus.text.extraction.blocks import collect_blocks
from nexus.text.extraction.parse_html import parse_html
from nexus.text.extraction.result import Extraction

PROSE = "<p>The lighthouse keeper wrote one line a day, and on most days the line was about the wind.</p>" * 4


def extract(source: str | bytes) -> Extraction:
    data = source if isinstance(source, bytes) else source.encode("utf-8", "surrogatepass")
    return extract_text(data, content_type="text/html", url=None)


@pytest.mark.parametrize("depth", [250, 300, 2000, 3000, 30_000])
def test_deep_nesting_keeps_the_text_inside_and_after(depth: int) -> None:
    source = "<div>" * depth + PROSE + "</div>" * depth + "<p>And after the tower, the sea went on.</p>"
    texts = [block.text for block in collect_blocks(parse_html(source)).blocks]
    assert "\n".join(texts).count("lighthouse keeper") == 4
    assert texts[-1] == "And after the tower, the sea went on."
    assert "lighthouse keeper" in extract(source).text


@pytest.mark.parametrize("data", [b"", b"   \n", b"\x00\x00\x00"])
def test_an_empty_page_is_named(data: bytes) -> None:
    with pytest.raises(UnparsableHtmlError):
        extract(data)


def test_nul_bytes_and_lone_surrogates_are_dropped() -> None:
    text = extract(PROSE.replace("wind", "w\x00ind") + "<p>\ud800 end</p>").text
    assert "about the wind." in text
    assert "\x00" not in text
    assert text.encode("utf-8")


def test_one_very_long_line() -> None:
    text = extract("<article><p>" + "word after word, " * 100_000 + "</p></article>").text
    assert len(text) > 1_600_000


@pytest.mark.parametrize("source", ["just words, no tags", "<", "<<<>>>&&&;", "<html><body>x"])
def test_scraps_give_what_text_they_hold(source: str) -> None:
    words = re.findall(r"[a-z]+", re.sub(r"<[^>]*>", " ", source))
    assert re.findall(r"[a-z]+", extract(source).text) == words


@pytest.mark.parametrize("head", ["<title>Wind</title>", "<head><title>Wind</title>", "<meta charset=utf-8>"])
@pytest.mark.parametrize("body", ["<article>{}</article>", "<main>{}</main>and the sea", "<my-page>{}</my-page><p>x"])
def test_head_and_body_may_be_left_out(head: str, body: str) -> None:
    root = parse_html(head + body.format(PROSE))
    assert [child.tag for child in root] == ["head", "body"]
    assert extract(head + body.format(PROSE)).text.count("lighthouse keeper") == 4
    assert "".join(map(str, root.itertext())).endswith(("wind.", "and the sea", "x"))


@pytest.mark.parametrize("source", ["<html></html>", "<frameset><frame src=x></frameset>", "<script>x</script>"])
def test_pages_without_text_give_none(source: str) -> None:
    assert extract(source).text == ""


def test_the_same_bytes_give_the_same_answer() -> None:
    source = "<main>" + PROSE + "</main><nav><a href='/'>Home</a></nav>"
    assert extract(source) == extract(source)


def test_a_long_link_around_many_paragraphs_is_not_written_for_each() -> None:
    paragraphs = "".join(f"<p>Line {i}: {PROSE[3:90]}</p>" for i in range(400))
    source = f"<article><a href='https://example.org/{'x' * 30_000}'>{paragraphs}</a></article>"
    found = extract(source)
    assert "Line 399:" in found.text
    assert len(found.content_html) < 300_000
