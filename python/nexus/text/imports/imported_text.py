"""The text that came along with a row of an export: HTML of an article, or plain text."""

from dataclasses import dataclass
from typing import Literal

from nexus.errors import BlankTextError
from nexus.text.canonical_text import canonicalize
from nexus.text.pasted_text import read_paste
from nexus.text.reading_time import count_words
from nexus.text.sanitize import sanitize_html

MAX_EXCERPT_CHARS = 300


@dataclass(frozen=True)
class ImportedText:
    html_sanitized: str
    canonical_text: str
    excerpt: str | None
    word_count: int


def read_imported_text(content: str, content_type: Literal["html", "text"], base_url: str) -> ImportedText:
    """Run it in a ProcessPool: the content is hostile. The program that exported it has found the article already."""
    if content_type == "text":
        page = read_paste(content)
        html, words = page.html_sanitized, page.canonical_text
    else:
        html = sanitize_html(content, base_url)
        words = canonicalize(html)
    if not words:
        raise BlankTextError("The text in the import is blank.")
    return ImportedText(
        html, words, " ".join(words[: 2 * MAX_EXCERPT_CHARS].split())[:MAX_EXCERPT_CHARS], count_words(words)
    )
