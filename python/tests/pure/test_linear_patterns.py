"""Patterns that read what others wrote take time in proportion to its length; each of these took minutes or more."""

import json
import unicodedata
from itertools import product

import pytest
from lxml import etree

from nexus.errors import FeedsSpecError
from nexus.logging import redact
from nexus.podcasts import feeds_spec
from nexus.podcasts.feeds_yaml import dump_spec_yaml
from nexus.podcasts.transcripts.captions import parse_captions
from nexus.podcasts.transcripts.prose import parse_html_transcript, parse_plain
from nexus.search.tokenizer import fold, words_of
from nexus.text.canonical_text import canonicalize
from nexus.text.extract_text import extract_text
from nexus.text.extraction.charset import decode_bytes
from nexus.text.extraction.features.page_hints import read_hints
from nexus.text.extraction.json_ld import read_json_ld
from nexus.text.page_verdict import page_verdict
from nexus.text.pasted_text import read_paste
from nexus.text.picture_source import picture_candidates
from nexus.text.unicode_form import normalize
from nexus.web.egress.proxy_messages import BadMessageError, RequestHead

pytestmark = pytest.mark.processor_seconds(60)


def test_header_lines_of_spaces() -> None:
    with pytest.raises(BadMessageError, match="header line"):
        RequestHead.parse(b"GET / HTTP/1.1\r\na:" + b" " * 60_000 + b"\0\r\n\r\n")
    head = RequestHead.parse(b"GET / HTTP/1.1\r\na: \t b  c\t \r\n\r\n")
    assert head.headers == [("a", b"b  c")]


def test_a_declared_charset_followed_by_spaces() -> None:
    page = b"<meta" * 55 + b"charset=" + b" " * 3_700 + b"?"
    for _ in range(20):
        assert decode_bytes(page, None).encoding == "utf-8"
    assert decode_bytes(b"<meta charset = ' koi8-r'>", None).encoding == "koi8-r"


def test_a_log_line_that_is_one_long_word() -> None:
    assert redact("a" * 200_000) == "a" * 200_000
    assert redact("at postgresql://me:secret@host/db") == "at postgresql://[hidden]@host/db"


@pytest.mark.parametrize("text", ["<v " * 60_000, "<v" + " " * 60_000 + "x", "{\\" * 100_000])
def test_captions_with_tags_that_do_not_end(text: str) -> None:
    segments = parse_captions(f"WEBVTT\n\n00:00.000 --> 00:01.000\n{text}\n")
    assert len(segments) == 1


def test_captions_with_voices() -> None:
    said = parse_captions("WEBVTT\n\n00:00.000 --> 00:01.000\n<v.loud Ada>{\\an8}Hello <b>you</b>\n")
    assert [(each.speaker, each.text) for each in said] == [("Ada", "Hello you")]


MARKS = "a" + "\u0301\u0323" * 100_000  # an accent and a dot below, in the wrong order


def test_a_letter_with_many_marks() -> None:
    expected = "\u1ea1" + "\u0323" * 99_999 + "\u0301" * 100_000
    assert canonicalize(f"<p>{MARKS}</p>") == expected
    assert read_paste(MARKS).canonical_text == expected
    assert fold(MARKS) == "a"
    assert [word.folded for word in words_of(f"x {MARKS} y")] == ["x", "a", "y"]


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_normalization_gives_what_unicodedata_gives(form: str) -> None:
    marks = ["\u0301", "\u0323", "\u0344", "\u0f73", "\u0f72", "\u034f", "\u0345", "\u3099", "\u2014"]
    for letter, first, second, third in product(("e", "\u00e9", "\ufb01", "\u0b92"), marks, marks, marks):
        text = f"{letter}{(first + second + third) * 12}{letter}"
        assert normalize(form, text) == unicodedata.normalize(form, text)  # type: ignore[arg-type]


def head_with(script: str) -> etree._Element:
    page = etree.fromstring("<html><head><script type='application/ld+json'></script></head></html>")
    page[0][0].text = script
    return page


@pytest.mark.parametrize("script", ['"@type":' + " " * 200_000, '"' + '\\"' * 150_000, "-->" + " " * 200_000 + "x"])
def test_scripts_that_do_not_end(script: str) -> None:
    assert read_hints(head_with(script)).quoted == ""
    assert read_json_ld(head_with(script)) == []


def test_strings_and_types_of_scripts() -> None:
    long = "A sentence that the page shows too, " * 3
    script = json.dumps({"@type": ["Recipe"], "a": 'b "c"', "text": long + 'and "so" on'})
    hints = read_hints(head_with(script))
    assert (hints.kinds, hints.quoted) == (
        frozenset({"recipe"}),
        ("a sentence that the page shows too " * 3) + "and so on",
    )
    assert read_json_ld(head_with(f"//<![CDATA[\n{script}\n//]]> ; \n"))[0]["a"] == 'b "c"'


def test_one_quote_too_many_hides_no_other_string() -> None:
    long = "A sentence that the page shows too, " * 3
    broken = '{"name": "A 27" screen", "articleBody": "' + long + '", "url": "/"}'
    assert read_hints(head_with(broken)).quoted == ("a sentence that the page shows too " * 3).strip()


def test_line_breaks_in_the_middle_of_a_text() -> None:
    sentence = "The old bridge over the river was closed in March and will stay closed until the end of the year. "
    page = f"<article><p>{sentence * 9}<span>{'<br> ' * 100_000}</span>{sentence * 9}</p></article>"
    assert extract_text(page.encode(), content_type="text/html; charset=utf-8", url=None).text.count("bridge") == 18


def test_file_names_of_placeholders() -> None:
    long = "https://a.example/" + "-blank" * 200_000
    assert list(picture_candidates({"src": long, "srcset": "b.png 2x"}, ())) == [long, "b.png"]
    blank = "https://a.example/i/blank-1x1.gif?v=2"
    assert list(picture_candidates({"src": blank, "srcset": "b.png 2x"}, ())) == ["b.png", blank]


def test_titles_of_spaces() -> None:
    page = f"<title>Just a moment...{' ' * 200_000}|{' ' * 200_000}Site</title><p>Wait"
    assert page_verdict(page, text="Wait").reason == "bot_wall"
    page = f"<title>x</title><meta property='og:title' content='A{'&amp;nbsp;' * 100_000}B'><p>Text"
    assert extract_text(page.encode(), content_type="text/html; charset=utf-8", url=None).title == "A B"


@pytest.mark.parametrize(
    "text",
    ["00:00.000" + " " * 200_000 + "--> ", "00:00.000 " + "-" * 200_000 + "-->", "&#" + "1" * 200_000 + ";"],
    ids=["spaces", "dashes", "digits"],
)
def test_captions_with_lines_that_look_like_times(text: str) -> None:
    assert len(parse_captions(f"WEBVTT\n\n00:00.000 --> 00:01.000\n{text}\n")) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Ada:" + " " * 300_000, "a-" * 300_000, "a\n" + " \t" * 300_000 + "a", "1:00" + " " * 300_000 + "-",
        "Ada (" + "1:" * 300_000, "Ada " * 300_000, "." + "'" * 300_000 + "a",
    ],
    ids=["name", "word", "line", "time", "bracket", "words", "quotes"],
)  # fmt: skip
def test_paragraphs_of_one_kind_of_character(text: str) -> None:
    assert parse_plain(f"{text}\n\n{text}\n\nx")


@pytest.mark.parametrize("html", ["<i>a" * 60_000, "<p>" + "a<b>b</b>" * 300_000], ids=["depth", "length"])
def test_transcripts_with_many_elements(html: str) -> None:
    """Each text looked at all elements around it, and was added to a copy of those before."""
    (segment,) = parse_html_transcript(f"<cite>Ada</cite>{html}")
    assert (segment.speaker, len(segment.text)) == ("Ada", html.count("a<b>") * 2 or 60_000)


@pytest.mark.parametrize("text", ["a_" * 200_000 + ">", "_" * 300_000 + " "], ids=["words", "underscores"])
def test_comments_of_a_feeds_spec(text: str) -> None:
    written = dump_spec_yaml({"_comment": text}, [])
    assert feeds_spec.parse(written, name="feeds.yaml").comments["_comment"] == text


def test_a_feeds_spec_of_many_keys_with_the_last_one_twice() -> None:
    keys = ",".join(f'"key {number}": 1' for number in range(200_000))
    with pytest.raises(FeedsSpecError, match="the key 'z' occurs twice"):
        feeds_spec.parse(f'{{{keys}, "z": 1, "z": 2}}', name="feeds.json")
