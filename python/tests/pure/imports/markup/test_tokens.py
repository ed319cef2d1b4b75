"""HTML and XML as a stream, in pieces of every size."""

import tracemalloc
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nexus.text.imports.markup.tokens import MAX_TAG, MAX_VALUE, End, Start, Text, Token, root_element, tokens
from nexus.text.imports.values import decode_entities


class ShortReads(StringIO):
    """A file that returns few bytes at each read."""

    def __init__(self, text: str, size: int) -> None:
        super().__init__(text)
        self.size = size

    def read(self, _size: int | None = -1) -> str:
        return super().read(self.size)


def joined(found: list[Token]) -> list[Token]:
    """The tokens, with texts that came in several parts joined."""
    result: list[Token] = []
    for token in found:
        if isinstance(token, Text) and result and isinstance(last := result[-1], Text):
            result[-1] = Text(last.text + token.text)
        else:
            result.append(token)
    return result


def read(markup: str) -> list[Token]:
    whole = joined(list(tokens(StringIO(markup))))
    for size in (1, 2, 7):
        assert joined(list(tokens(ShortReads(markup, size)))) == whole
    return whole


def test_tags_and_text() -> None:
    assert read('a<B Href="x">c</B >d') == [Text("a"), Start("b", {"href": "x"}), Text("c"), End("b"), Text("d")]
    assert read("<a/><a b/>") == [Start("a", {}, is_empty=True), Start("a", {"b": ""}, is_empty=True)]


@pytest.mark.parametrize(
    ("tag", "attributes"),
    [
        ("<a b='1' c=2 d>", {"b": "1", "c": "2", "d": ""}),
        ('<a\n b = "1"\r\n\tC="2">', {"b": "1", "c": "2"}),
        ('<a b="x > y" c=\'"\'>', {"b": "x > y", "c": '"'}),
        ('<a b="1"c="2">', {"b": "1", "c": "2"}),
        ('<a b="1" B="2">', {"b": "1"}),
        ("<a b=http://x.example/?q=1&r=2>", {"b": "http://x.example/?q=1&r=2"}),
        ("<a b=>", {"b": ""}),
        ('<a "b">', {'"b"': ""}),
    ],
)
def test_attributes(tag: str, attributes: dict[str, str]) -> None:
    assert read(tag + "x") == [Start("a", attributes), Text("x")]


def test_what_is_no_tag_is_text_and_what_is_no_text_is_skipped() -> None:
    assert read("1 < 2 <3") == [Text("1 < 2 <3")]
    assert read("a<!-- <b> -- > -->c<!DOCTYPE x>d<?xml version='1'?>e</>f") == [Text("acdef")]
    assert read("<script>if (a<b) '<dt>'</script ><style><b></STYLE>x") == [
        Start("script", {}),
        Start("style", {}),
        Text("x"),
    ]
    assert read("a<![CDATA[<b> &amp; ]] ]]>c")[1:] == []
    assert list(tokens(StringIO("<![CDATA[&amp;]]>"))) == [Text("&amp;", is_literal=True)]


@pytest.mark.parametrize(
    "end", ["<", "<a", '<a b="', "<a b='x", "</", "</a", "<!--", "<!", "<![CDATA[", "<script>", "<?"]
)
def test_a_file_that_ends_anywhere(end: str) -> None:
    assert read("x" + end)[0] == Text("x<" if end == "<" else "x")


def test_references_and_bare_ampersands() -> None:
    assert decode_entities("a&amp;b &lt; &#39;&#x41;&eacute;") == "a&b < 'Aé"
    assert decode_entities("?a=1&copy=2&lang=en&b") == "?a=1&copy=2&lang=en&b"
    assert decode_entities("&nothing; &#99999999; &#x110000; &#0;") == "&nothing; &#99999999; \ufffd \ufffd"


def test_a_tag_beyond_the_limit_loses_its_end() -> None:
    found = list(tokens(StringIO('<a b="1" icon="' + "x" * (MAX_TAG + 10) + '" c="2">y')))
    assert isinstance(found[0], Start)
    assert found[0].raw["b"] == "1"
    assert found[-1] == Text("y")
    (tag,) = tokens(StringIO(f'<a b="{"x" * 2 * MAX_VALUE}" c="2">'))
    assert isinstance(tag, Start)
    assert (len(tag.raw["b"]), tag.raw["c"]) == (MAX_VALUE, "2")


class RepeatedText(StringIO):
    def __init__(self, text: str, times: int) -> None:
        super().__init__()
        self.text, self.times = text, times

    def read(self, _size: int | None = -1) -> str:
        self.times -= 1
        return self.text if self.times >= 0 else ""


def test_a_long_file_is_not_held() -> None:
    entry = f'<DT><A HREF="https://x.example/" ICON="data:image/png;base64,{"A" * 50_000}">Title</A>\n'
    tracemalloc.start()
    try:
        count = sum(isinstance(token, Start) for token in tokens(RepeatedText(entry, 400)))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count == 800
    assert peak < 2_000_000  # of 20 MB


@pytest.mark.processor_seconds(60)  # in proportion to the square of the length it would be minutes
@pytest.mark.parametrize(
    "markup",
    [
        "<",
        "<a ",
        "<a b=",
        "<a b='",
        '<a b="',
        "<!--",
        "<![CDATA[",
        "</a",
        "<a b='\"",
        "&",
        "&amp",
        "<script>",
        "<a/",
        "= ",
    ],
)
def test_what_never_ends_is_one_token_and_found_in_time(markup: str) -> None:
    found = joined(list(tokens(StringIO(markup * (200_000 // len(markup))))))
    assert len(found) == (0 if markup == "<!--" else 1)


@given(st.text(alphabet="<>/!-=\"' \nabAB&;#x[]C?", max_size=60))
def test_any_text_is_read_the_same_in_pieces(markup: str) -> None:
    read(markup)


def test_the_root_of_a_file() -> None:
    assert root_element('<?xml version="1.0"?>\n<!-- <a> -->\n<!DOCTYPE opml [<!ENTITY a "<b>">]><OPML v=1>') == "opml"
    assert root_element("text") is None
