"""The article's text in JSON-LD, for pages whose elements do not show it; the same text in elements has structure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape, unescape

from nexus.errors import UnparsableHtmlError
from nexus.text.extraction.article_html import content_html
from nexus.text.extraction.blocks import Page, collect_blocks
from nexus.text.extraction.metadata.text_overlap import is_prose, share_in, word_runs
from nexus.text.extraction.metadata.text_words import words
from nexus.text.extraction.parse_html import parse_html
from nexus.text.extraction.pictures.choose_pictures import kept_pictures
from nexus.text.extraction.prepare.prepare_tree import prepare_tree

_MARKUP = re.compile(
    r"<(?:p|br|div|h[1-6]|ul|ol|li|blockquote|pre|table|figure|section|article|img|a|b|i|em|strong|span)(?=[\s/>])",
    re.IGNORECASE,
)
_ESCAPED = re.compile(r"&(?:amp;)?(?:lt|#60|#x3c);", re.IGNORECASE)
# How many times longer than the page's own text it must be to be looked at at all. That alone decides nothing.
_FACTOR = 3
_MAX_CHARS = 1_000_000
_MOST, _HALF = 0.6, 0.5
_ENOUGH_WORDS = 150
_UNESCAPES = 2


@dataclass(frozen=True, slots=True)
class Body:
    html: str
    text: str


def better_body(raw: str, page: Page, kept: Sequence[int]) -> str:
    """The JSON-LD body as HTML, or nothing where the kept blocks are the better text.

    It is better where it is prose that the page does not show, and the blocks are only its beginning, or no prose.
    """
    own = "\n".join(page.blocks[index].text for index in kept)
    if len(raw) <= _FACTOR * len(own):
        return ""
    body = read_body(raw[:_MAX_CHARS])
    body_words, own_words = words(body.text), words(own)
    if len(body_words) <= _FACTOR * len(own_words) or not is_prose(body.text):
        return ""
    runs = word_runs(body_words)
    if share_in(runs, word_runs(words("\n".join(block.text for block in page.blocks)))) > _HALF:
        return ""
    is_beginning = share_in(word_runs(own_words), runs) >= _MOST
    is_poor = len(own_words) < _ENOUGH_WORDS or not is_prose(own)
    return body.html if is_beginning or is_poor else ""


def read_body(raw: str) -> Body:
    """Markup is read as such, also where it was escaped once or twice; nothing of it becomes text."""
    source = raw
    for _ in range(_UNESCAPES):
        if _MARKUP.search(source) or not _ESCAPED.search(source):
            break
        source = unescape(source)
    if not _MARKUP.search(source):
        lines = [line for each in unescape(raw).splitlines() if (line := " ".join(each.split()))]
        return Body("".join(f"<p>{escape(line, quote=False)}</p>" for line in lines), "\n".join(lines))
    try:
        root = parse_html(_with_breaks(source))
    except UnparsableHtmlError:
        return Body("", "")
    prepare_tree(root)
    page = collect_blocks(root)
    everything = range(len(page.blocks))
    html = content_html(page, page.blocks, kept_pictures(page, set(everything)))
    return Body(html, "\n".join(block.text for block in page.blocks))


def _with_breaks(source: str) -> str:
    """Where the markup has no paragraphs, line breaks separate them."""
    has_blocks = re.search(r"<(?:p|div|br|li|h[1-6])[\s/>]", source, re.IGNORECASE)
    return source if has_blocks else "".join(f"<p>{line}</p>" for line in source.splitlines() if line.strip())
