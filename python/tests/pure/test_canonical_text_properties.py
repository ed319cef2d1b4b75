import re
import unicodedata
from html import escape

from hypothesis import given, settings
from hypothesis import strategies as st
from justhtml import JustHTML
from selectolax.lexbor import LexborHTMLParser

from nexus.text.canonical_text import NON_SPACE_CONTROLS, WHITE_SPACE, canonicalize
from nexus.text.sanitize import sanitize_html
from tests.pure.html_soup import SOUP

BASE = "https://site.example/"


@given(SOUP)
@settings(max_examples=300)
def test_every_line_is_trimmed_normalised_and_not_blank(html: str) -> None:
    text = canonicalize(sanitize_html(html, BASE))
    assert text == unicodedata.normalize("NFC", text)
    assert not re.search(f"[{NON_SPACE_CONTROLS}]", text)
    assert not re.search(f"[{WHITE_SPACE}]", text.translate(dict.fromkeys(map(ord, "\n\t "))))
    for line in text.split("\n") if text else []:
        assert line
        assert line == line.strip(" \t")
        assert "  " not in line


@given(SOUP)
@settings(max_examples=300)
def test_the_text_does_not_depend_on_who_serialised_the_html(html: str) -> None:
    sanitized = sanitize_html(html, BASE)
    text = canonicalize(sanitized)
    assert canonicalize(sanitized) == text

    by_lexbor = LexborHTMLParser(f"<div>{sanitized}</div>", is_fragment=True).html or ""
    assert canonicalize(by_lexbor) == text

    by_justhtml = JustHTML(sanitized, fragment=True, sanitize=False).to_html(pretty=False)
    assert canonicalize(by_justhtml) == text


@given(SOUP)
@settings(max_examples=200)
def test_any_string_has_a_text(html: str) -> None:
    assert isinstance(canonicalize(html), str)


@given(st.lists(st.text(min_size=1), max_size=6))
@settings(max_examples=200)
def test_text_written_as_paragraphs_comes_back_as_lines(paragraphs: list[str]) -> None:
    html = "\n".join(f"<p>{escape(paragraph)}</p>" for paragraph in paragraphs)
    text = canonicalize(html)
    again = "\n".join(f"<p>{escape(line)}</p>" for line in text.split("\n"))
    assert canonicalize(again) == text
    assert len(text.split("\n")) <= max(1, len(paragraphs))
