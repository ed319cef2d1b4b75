"""Lists of links."""

import pytest

from nexus.errors import ImportNotRecognisedError
from tests.pure.imports.reading import items, problems, read


def test_one_link_on_a_line() -> None:
    text = "# my list\nhttps://a.example/1\n\n- https://b.example/2\n3. <https://c.example/3>\n  HTTPS://D.example/x?a=b|c\n"
    assert [(item.line, item.url) for item in items({"list.txt": text})] == [
        (2, "https://a.example/1"), (4, "https://b.example/2"), (5, "https://c.example/3"),
        (6, "HTTPS://D.example/x?a=b|c"),
    ]  # fmt: skip


def test_onetab() -> None:
    text = (
        "https://a.example/1 | On salt | and sea\nhttps://b.example/2 | https://b.example/2\n\nchrome://flags | Flags\n"
    )
    _, records = read({"onetab.txt": text})
    assert [(record.line, record.url, record.title) for record in records] == [
        (1, "https://a.example/1", "On salt | and sea"), (2, "https://b.example/2", None),
        (4, "chrome://flags | Flags", None),
    ]  # fmt: skip
    assert [each.code for each in problems({"onetab.txt": text})] == ["unsupported_link"]


def test_markdown_links() -> None:
    text = "- [Salt](https://a.example/Salt_(sea)) and [ice](<https://b.example/>)\n"
    text += "* [ ] [Todo](https://c.example/x)\nSome words.\n"
    assert [(item.line, item.url, item.title) for item in items({"a.md": text})] == [
        (1, "https://a.example/Salt_(sea)", "Salt"), (1, "https://b.example/", "ice"),
        (2, "https://c.example/x", "Todo"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "A note about https://a.example/ and more.\nAnother line.\nA third.",
        "# Title\n\nWords, words.\n\n[A link](https://a.example/) at the end.\n\nMore words.",
        "",
        "%PDF-1.7\nhttps://a.example/",
    ],
)
def test_a_text_is_no_list(text: str) -> None:
    with pytest.raises(ImportNotRecognisedError, match="not a known export"):
        read({"note.txt": text})


def test_links_in_sentences_of_a_list() -> None:
    text = "https://a.example/\nhttps://b.example/\nread https://c.example/x.\n"
    assert items({"list.txt": text})[2].url == "https://c.example/x"
