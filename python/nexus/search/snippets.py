"""A few words around the hits, as segments that are marked as a hit or not. Never HTML."""

from dataclasses import dataclass
from typing import NamedTuple

from nexus.search.matching import Matcher, Span

MAX_CHARS = 240
CHARS_BEFORE = 70


@dataclass(frozen=True, slots=True)
class Segment:
    text: str
    hit: bool


class Snippet(NamedTuple):
    segments: list[Segment]
    start: int  # of the first hit in it


def mark(text: str, matcher: Matcher) -> list[Segment]:
    """The whole of a short text."""
    return _segments(text, 0, len(text), matcher.spans(text))


def cut_snippet(text: str, matcher: Matcher) -> Snippet | None:
    """Where most of the terms occur together; None when the text has none of them."""
    spans = matcher.spans(text)
    if not spans:
        return None
    best = _best(spans, len(matcher.terms))
    at = spans[best].start
    begin = _word_start(text, max(0, at - CHARS_BEFORE), at)
    end = _word_end(text, spans[best].end, min(len(text), begin + MAX_CHARS))
    segments = _segments(text, begin, end, [span for span in spans if span.start >= begin and span.end <= end])
    if begin > 0:
        segments.insert(0, Segment("… ", hit=False))
    if end < len(text):
        segments.append(Segment(" …", hit=False))
    return Snippet(
        [Segment(segment.text.replace("\n", " ").replace("\t", " "), segment.hit) for segment in segments], at
    )


def _best(spans: list[Span], terms: int) -> int:
    """The number of the first span that most terms follow within a snippet."""
    counts = []
    for number in range(len(spans)):
        counts.append(_count_together(spans, number, terms))
        if counts[-1] == terms:
            break
    return max(range(len(counts)), key=lambda number: (counts[number], -number))


def _count_together(spans: list[Span], first: int, max_terms: int) -> int:
    """How many different terms occur within a snippet from this span on."""
    limit = spans[first].start + MAX_CHARS - CHARS_BEFORE
    found: set[int] = set()
    for span in spans[first:]:
        if span.end > limit or len(found) == max_terms:
            break
        found.add(span.term)
    return len(found)


def _word_start(text: str, begin: int, at: int) -> int:
    """Preferably the beginning of a paragraph, else of a word."""
    line = text.rfind("\n", begin, at)
    if line >= 0:
        return line + 1
    if begin == 0:
        return 0
    space = text.find(" ", begin, at)
    return space + 1 if space >= 0 else begin


def _word_end(text: str, least: int, end: int) -> int:
    if end >= len(text):
        return len(text)
    space = max(text.rfind(" ", least, end), text.rfind("\n", least, end))
    return space if space > least else max(least, end)


def _segments(text: str, begin: int, end: int, spans: list[Span]) -> list[Segment]:
    segments: list[Segment] = []
    at = begin
    for span in spans:
        if span.start > at:
            segments.append(Segment(text[at : span.start], hit=False))
        segments.append(Segment(text[span.start : span.end], hit=True))
        at = span.end
    if end > at:
        segments.append(Segment(text[at:end], hit=False))
    return segments
