"""Reads a captured page and finds in it what was selected. Run it in a ProcessPool: imports only text functions."""

from dataclasses import dataclass

from nexus.text.quotes.find_quote import Quote, SearchedText
from nexus.text.quotes.joined_text import Span
from nexus.text.readings.process_page import ProcessedPage, process_page
from nexus.text.unicode_form import normalize

# A browser's page is a string, whatever its meta elements say about the bytes it once came in.
UTF8_HTML = "text/html; charset=utf-8"


@dataclass(frozen=True)
class ReadCapture:
    """`selected`: where its text has what was selected; None: it was not found there."""

    page: ProcessedPage
    selected: Span | None = None


def read_capture(html: bytes, *, url: str, selection: str | None, max_original: int) -> ReadCapture:
    page = process_page(
        html,
        original_kind="captured",
        max_original=max_original,
        content_type=UTF8_HTML,
        url=url,
        status=None,
        base_url=None,
    )
    words = selection and canonical_selection(selection)
    found = SearchedText(page.text).find(Quote(words, "", "", 0.0)) if words and page.text else None
    return ReadCapture(page, found)


def canonical_selection(selection: str) -> str:
    """With the white space of canonical text: one space between words, one line break between blocks."""
    lines = (" ".join(line.split()) for line in normalize("NFC", selection).splitlines())
    return "\n".join(line for line in lines if line)
