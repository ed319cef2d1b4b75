import pytest

from nexus.errors import UnparsableHtmlError
from nexus.text.extraction.charset import decode_html

POLISH = "<p>Zażółć gęślą jaźń</p>"


def test_a_byte_order_mark_beats_the_header() -> None:
    assert decode_html(b"\xef\xbb\xbf" + POLISH.encode(), "text/html; charset=iso-8859-2") == POLISH
    assert decode_html(b"\xff\xfe" + POLISH.encode("utf-16-le"), "text/html; charset=utf-8") == POLISH


def test_utf_16_without_a_mark_is_seen_by_its_first_character() -> None:
    assert decode_html(POLISH.encode("utf-16-le"), None) == POLISH
    assert decode_html(POLISH.encode("utf-16-be"), "text/html") == POLISH


def test_the_header_is_believed_before_the_page() -> None:
    data = b'<meta charset="windows-1251">' + POLISH.encode("iso-8859-2")
    assert decode_html(data, "text/html; charset=ISO-8859-2").endswith(POLISH)


@pytest.mark.parametrize(
    "declaration",
    [
        '<meta charset="windows-1250">',
        '<meta http-equiv="Content-Type" content="text/html; charset=windows-1250">',
    ],
)
def test_the_page_is_believed_where_the_header_is_silent(declaration: str) -> None:
    assert decode_html((declaration + POLISH).encode("cp1250"), "text/html") == declaration + POLISH


def test_utf_8_is_recognised_under_a_wrong_label() -> None:
    assert decode_html(POLISH.encode(), "text/html; charset=iso-8859-1") == POLISH


def test_latin_1_means_windows_1252_as_in_browsers() -> None:
    assert decode_html(b"\x93quoted\x94 caf\xe9", "text/html; charset=iso-8859-1") == "“quoted” café"


def test_a_few_broken_bytes_do_not_turn_a_utf_8_page_into_another() -> None:
    text = decode_html(POLISH.encode() * 20 + b"\xff", "text/html; charset=utf-8")
    assert text.startswith(POLISH)
    assert text.endswith("\ufffd")


def test_unlabelled_text_is_detected() -> None:
    russian = "<p>Старую мельницу на окраине города превратили в мастерскую для всех жителей.</p>" * 5
    assert decode_html(russian.encode("cp1251"), None) == russian


@pytest.mark.parametrize("label", ["utf-7", "unicode_escape", "hex", "no-such-charset"])
def test_labels_that_are_no_page_encoding_are_ignored(label: str) -> None:
    assert decode_html(POLISH.encode(), f"text/html; charset={label}") == POLISH
    assert decode_html(b"+ADw-script+AD4-", f"text/html; charset={label}") == "+ADw-script+AD4-"


@pytest.mark.parametrize("data", [b"%PDF-1.7\n...", b"\x89PNG\r\n\x1a\n", bytes(range(32)) * 40])
def test_binary_data_is_named_as_such(data: bytes) -> None:
    with pytest.raises(UnparsableHtmlError, match="binary"):
        decode_html(data, "text/html")
