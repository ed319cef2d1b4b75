"""All that a text process works out of a page, so that the closing transaction only writes."""

from dataclasses import dataclass
from typing import Any

from nexus.services.search.passages import Passage, passages_of
from nexus.text.read_page import ReadPage, read_page
from nexus.text.reading_time import count_words


@dataclass(frozen=True)
class LibraryPage(ReadPage):
    word_count: int
    passages: tuple[Passage, ...]


def read_for_library(data: bytes, **about: Any) -> LibraryPage:
    """The arguments of `read_page`; run it in a TextPool."""
    page = read_page(data, **about)
    passages = tuple(passages_of([(0, page.text)]))
    words = count_words(page.text)
    return LibraryPage(page.about, page.html_sanitized, page.text, page.verdict, page.charset, words, passages)
