import pytest
from hypothesis import given
from hypothesis import strategies as st

from nexus.errors import BlankTextError
from nexus.text.canonical_text import canonicalize
from nexus.text.pasted_text import read_paste
from nexus.text.reading_time import count_words, reading_minutes
from nexus.text.sanitize import sanitize_html


def test_blank_lines_part_paragraphs_and_line_ends_break_lines() -> None:
    page = read_paste("Title\r\n\r\nfirst\nsecond\n \n\n  third  ")
    assert page.html_sanitized == "<p>Title</p><p>first<br>second</p><p>third</p>"
    assert page.canonical_text == "Title\nfirst\nsecond\nthird"
    assert page.title == "Title"
    assert page.excerpt == "first second third"
    assert page.word_count == 4


def test_markup_is_text() -> None:
    page = read_paste("<script>alert(1)</script> & <img src=x onerror=alert(1)>")
    assert "<script" not in page.html_sanitized
    assert "<img" not in page.html_sanitized
    assert page.canonical_text == "<script>alert(1)</script> & <img src=x onerror=alert(1)>"


@pytest.mark.parametrize("blank", ["", " \n\t ", "\u3000\u2028", "\x01\x02"])
def test_nothing_to_read(blank: str) -> None:
    with pytest.raises(BlankTextError):
        read_paste(blank)


def test_long_titles_and_excerpts_end_at_a_word() -> None:
    page = read_paste("word " * 200)
    assert len(page.title) <= 120
    assert page.title.endswith("word…")
    assert page.excerpt is not None
    assert len(page.excerpt) <= 300
    assert read_paste("x" * 500).title == "x" * 119 + "…"


@pytest.mark.parametrize(
    ("pasted", "title", "excerpt"),
    [
        ("Buy milk", "Buy milk", None),
        ("One. Two. Three.\nMore.", "One. Two. Three.", "More."),
        ("Tides turn twice a day. " + "So they say. " * 20, "Tides turn twice a day.", "So they say. " * 20),
        ("Dr. Who never ends, they say! " + "Nor do I. " * 20, "Dr. Who never ends, they say!", "Nor do I. " * 20),
        (
            "潮は一日に二回満ち引きするものです。" + "そう言われる。" * 20,
            "潮は一日に二回満ち引きするものです。",
            "そう言われる。" * 20,
        ),
    ],
)
def test_title_of_a_paragraph_is_its_first_sentence_and_the_excerpt_goes_on(
    pasted: str, title: str, excerpt: str | None
) -> None:
    page = read_paste(pasted)
    assert (page.title, page.excerpt) == (title, excerpt.strip() if excerpt else None)


@given(st.text())
def test_any_text_is_stable_and_keeps_its_words(text: str) -> None:
    try:
        page = read_paste(text)
    except BlankTextError:
        return
    assert sanitize_html(page.html_sanitized, "") == page.html_sanitized
    assert canonicalize(page.html_sanitized) == page.canonical_text
    assert "\0" not in page.html_sanitized + page.canonical_text


def test_words_are_counted_in_scripts_without_spaces_too() -> None:
    assert count_words("one, two - three's") == 3
    assert count_words("日本語の文") == 5
    assert count_words("Python 入門 guide") == 4
    assert count_words("— … !") == 0


def test_reading_takes_at_least_a_minute() -> None:
    assert reading_minutes(0, None) == 0
    assert reading_minutes(1, "en") == 1
    assert reading_minutes(460, None) == 2
    assert reading_minutes(1000, "ja-JP") == 2
