"""Which bytes begin as a feed, and that this is decided quickly for any bytes."""

import pytest

from nexus.text.feeds import has_audio, is_feed

ATOM = b'<feed xmlns="http://www.w3.org/2005/Atom">'
RDF = b'<rdf:RDF xmlns="http://purl.org/rss/1.0/">'

PROLOGUES = {
    "nothing": b"",
    "white space": b" \r\n\t",
    "declaration": b'<?xml version="1.0" encoding="UTF-8"?>\n',
    "style sheets": b'<?xml version="1.0"?><?xml-stylesheet href="a.xsl"?><?xml-stylesheet href="b>c.css"?>',
    "comments": b"<!-- a --><!----><!-- b -> c -- d\n-->",
    "doctype": b'<!DOCTYPE rss PUBLIC "-//N//DTD RSS 0.91//EN" "http://my.example/rss-0.91.dtd">\n',
    "all": b'\n<?xml version="1.0"?>\n<!-- a -->\n<!doctype rss>\n<!-- b -->\n',
    "many": b"<!-- a -->\n" * 40,
}


@pytest.mark.parametrize("prologue", PROLOGUES.values(), ids=PROLOGUES.keys())
@pytest.mark.parametrize("root", [b"<rss>", b'<RSS version="2.0">', ATOM, RDF])
def test_a_feed_is_one_behind_any_prologue(prologue: bytes, root: bytes) -> None:
    assert is_feed(prologue + root)


@pytest.mark.parametrize(
    "start",
    [
        b"",
        b"  ",
        b"rss",
        b"<rss",
        b"<rssx>",
        b"<feed>",
        b"<rdf:RDF>",
        b"<html><rss>",
        b"text <rss>",
        b"<!-- <rss>",
        b"<!--><rss>",
        b"<? <rss>",
        b"<!doctype html <rss",
        b"<!doctype><rss>",
        b"<!doctype rss [<!ENTITY a 'b'>]><rss>",
    ],
)
def test_what_is_no_feed(start: bytes) -> None:
    assert not is_feed(start)


PARTS = [
    b"<!---->", b"<!-- -->", b"<!--", b"-->", b"<!---->\n", b"<!----><?a?>",
    b"<??>", b"<?xml?>", b"<?", b"?>", b"<?a?> ",
    b"<!doctype >", b"<!doctype a>\n", b"<!doctype ", b"<!", b">",
    b"\xef\xbb\xbf", b"\xff\xfe", b" ", b"\r\n", b"\x0c", b"<", b"<rss", b"<feed ",
]  # fmt: skip


@pytest.mark.processor_seconds(60)
@pytest.mark.parametrize("end", [b"<html>", b"", b"<!--", b"<?"])
@pytest.mark.parametrize("part", PARTS)
def test_no_repetition_takes_long(part: bytes, end: bytes) -> None:
    for length in (1_000, 200_000):
        assert not is_feed((part * length)[:length] + end)


@pytest.mark.parametrize(
    "tag",
    [
        b'<enclosure length="1" url="https://a.example/1.mp3" type="audio/mpeg"/>',
        b"<ENCLOSURE TYPE = 'audio/mpeg'>",
        b"<link rel='enclosure'\ntype='audio/ogg' href='/a'/>",
        b'<media:content url="' + b"a" * 5000 + b'" type="audio/mp4">',
    ],
)
def test_a_feed_with_audio(tag: bytes) -> None:
    assert has_audio(b"<rss><channel><link>https://a.example/</link><item>" + tag)


@pytest.mark.parametrize(
    "tag", [b'<enclosure type="image/png"/>', b'<link/><p type="audio/mpeg">', b'<enclosure url="a">type="audio/a"']
)
def test_a_feed_without_audio(tag: bytes) -> None:
    assert not has_audio(b"<rss><channel><item>" + tag)


@pytest.mark.processor_seconds(60)
@pytest.mark.parametrize(
    "part", [b"<link ", b"<enclosure type", b"<link type=", b"type ", b" ", b"type  =  ", b"<link type = \n"]
)
def test_no_repetition_of_tags_takes_long(part: bytes) -> None:
    assert not has_audio(part * (1_000_000 // len(part)))
    assert not has_audio((b"<link " * 330 + b"type" + b" " * 1_000_000 + part) * 2)
