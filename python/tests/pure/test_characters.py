import pytest

from nexus.text.characters import is_garbled, one_line, storable, storable_start

TEXTS = [
    "Zażółć gęślą jaźń, mówił, a nikt nie słuchał.",
    "Où est passée cette année ? « Déjà », dit-elle.",
    "Старую мельницу превратили в мастерскую.",
    "東京都の橋は三月に閉鎖された。",
    "Der Fluß trug Schnee — und „Eis“.",
]
CLEAN = [
    "",
    "Plain words.",
    "caf\u00e9",
    "\u00c2ge d\u2019or",
    "\u00c3\u00d3 S\u00c3O",
    "50 \u20ac \u00a9 2026",
    "one \ufffd in Zażółć gęślą",
]


@pytest.mark.parametrize("text", TEXTS + CLEAN)
def test_text_that_is_as_it_was_written_is_not(text: str) -> None:
    assert not is_garbled(text)


@pytest.mark.parametrize("text", TEXTS)
def test_utf_8_that_was_read_as_something_else_is(text: str) -> None:
    as_browsers_do = "".join(bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in text.encode())
    assert is_garbled(as_browsers_do)
    assert is_garbled(text.encode().decode("ascii", "replace"))


def test_cyrillic_that_was_read_as_windows_1251_is() -> None:
    assert is_garbled("Привет, это старый мост".encode().decode("cp1251", "replace"))


def test_storable_drops_nul_and_replaces_lone_surrogates() -> None:
    assert storable("a\0b\ud800c\udfff \U0001f600") == "ab\ufffdc\ufffd \U0001f600"
    assert storable("plain").encode() == b"plain"


def test_storable_start_is_cut_after_cleaning() -> None:
    assert storable_start("\0\0abcdef", 3) == "abc"
    assert storable_start(None, 3) is None


def test_one_line_has_words_and_spaces_alone() -> None:
    assert one_line(" a\x1b[31mb\n\tc\0d\x85e\u2028f\x9bg\ud800 ") == "a[31mb cd e fg"
    assert one_line("soft\u00adhyphen 👩\u200d💻 \u05d0\u200f") == "soft\u00adhyphen 👩\u200d💻 \u05d0\u200f"
