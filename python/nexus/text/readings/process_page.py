"""All that a child process computes from a page, so that the transaction that settles a claim only writes."""

from dataclasses import dataclass
from typing import Any

from nexus.text.originals.original_file import Original, OriginalFacts, OriginalKind, keep_original
from nexus.text.read_page import ReadPage, read_page
from nexus.text.reading_time import count_words


@dataclass(frozen=True)
class ProcessedPage(ReadPage):
    word_count: int
    original: Original | None = None


def process_page(
    data: bytes, *, original_kind: OriginalKind = "fetched", max_original: int = 0, **about: Any
) -> ProcessedPage:
    """The arguments of `read_page`; run it in a ProcessPool.

    The original is packed here, where the page is already, and only of a page whose text can be kept. What a user saw
    in their browser is kept whatever it looks like.
    """
    page = read_page(data, **about)
    words = count_words(page.text)
    original = None
    if page.text and (page.verdict.outcome == "ok" or original_kind == "captured"):
        original = keep_original(data, OriginalFacts(original_kind, **about), max_original)
    return ProcessedPage(page.about, page.html_sanitized, page.text, page.verdict, page.charset, words, original)
