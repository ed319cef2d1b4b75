"""The few lines that a list shows of a text: what the page says about itself, or the first sentence of the text."""

import re

from nexus.text.extraction.metadata.dates import written_date
from nexus.text.extraction.metadata.person_names import is_byline
from nexus.text.extraction.metadata.text_words import key, word_count
from nexus.text.html_tree import parse_fragment

_MAX_EXCERPT_CHARS = 300
_SENTENCE_CHARS = 80
_MAX_LINES = 200
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_CJK_WIDTH = 2.5
_SHORT_CHARS = 60
_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’»)」』]?$")


def opening(text: str, html: str, title: str | None) -> str | None:
    """The first line that is long enough for a sentence and is no caption, date, byline or title, cut at a word."""
    captions = _captions(html)
    lines = [line for line in text.split("\n", _MAX_LINES)[:_MAX_LINES] if line]
    own = [line for line in lines if line not in captions and not _is_title(line, title or "") and not _is_about(line)]
    long = (line for line in own if _width(line) > _SENTENCE_CHARS)
    line = next(long, "") or next(filter(_is_sentence, own), "") or next(iter(own or lines), "")
    if len(line) > _MAX_EXCERPT_CHARS:
        line = line[:_MAX_EXCERPT_CHARS].rsplit(" ", 1)[0] + "…"
    return line or None


def _is_title(line: str, title: str) -> bool:
    """Alone or with the site's name."""
    return bool(title) and key(line).startswith(key(title)) and len(line) < len(title) + _SHORT_CHARS


def _is_sentence(line: str) -> bool:
    return _SENTENCE_END.search(line) is not None and word_count(line) > 1


def _captions(html: str) -> set[str]:
    if "<figcaption" not in html:
        return set()
    found = parse_fragment(html).css("figcaption")
    return {line for node in found for each in node.text().split("\n") if (line := " ".join(each.split()))}


def _is_about(line: str) -> bool:
    """A date or a byline on a line of its own, or a row of a table."""
    return "\t" in line or (len(line) <= _SHORT_CHARS and (is_byline(line) or written_date(line) is not None))


def _width(line: str) -> float:
    """One Chinese, Japanese or Korean character says as much as two or three letters."""
    return len(line) + (_CJK_WIDTH - 1) * len(_CJK.findall(line))
