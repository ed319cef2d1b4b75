"""Patterns that read what others wrote take time in proportion to its length; each of these took minutes or more."""

import pytest

from nexus.logging import redact
from nexus.podcasts.transcripts.captions import parse_captions
from nexus.text.extraction.charset import decode_bytes
from nexus.web.egress.proxy_messages import BadMessageError, RequestHead

pytestmark = pytest.mark.timeout(60)


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
