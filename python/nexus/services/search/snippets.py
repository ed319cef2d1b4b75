"""The few words around what was found, in pieces that say which of them were asked for. Never HTML."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from nexus.services.search.query import Term
from nexus.services.search.tokenizer import Word, words_of

CHARS = 240
BEFORE = 70


class Span(NamedTuple):
    """Where a term stands in a text, in code points."""

    start: int
    end: int
    term: int


class Piece(NamedTuple):
    text: str
    hit: bool


class Snippet(NamedTuple):
    pieces: list[Piece]
    start: int  # of the first word in it that was asked for


def mark(text: str, terms: Sequence[Term]) -> list[Piece]:
    """The whole of a short text."""
    return _pieces(text, 0, len(text), list(_spans(text, terms)))


def cut_snippet(text: str, terms: Sequence[Term]) -> Snippet | None:
    """From where most of what was asked for stands together; None when the text has nothing of it."""
    spans = list(_spans(text, terms))
    if not spans:
        return None
    best = max(range(len(spans)), key=lambda place: (_together(spans, place, len(terms)), -place))
    at = spans[best].start
    begin = _word_start(text, max(0, at - BEFORE), at)
    end = _word_end(text, spans[best].end, min(len(text), begin + CHARS))
    pieces = _pieces(text, begin, end, [span for span in spans if span.start >= begin and span.end <= end])
    if begin > 0:
        pieces.insert(0, Piece("… ", hit=False))
    if end < len(text):
        pieces.append(Piece(" …", hit=False))
    return Snippet([Piece(piece.text.replace("\n", " ").replace("\t", " "), piece.hit) for piece in pieces], at)


def _spans(text: str, terms: Sequence[Term]) -> Iterator[Span]:
    """In order, none inside another."""
    words = list(words_of(text))
    reached = 0
    for place, word in enumerate(words):
        if word.start < reached:
            continue
        for number, term in enumerate(terms):
            last = _matches(words, place, term)
            if last is not None:
                yield Span(word.start, last.end, number)
                reached = last.end
                break


def _matches(words: list[Word], place: int, term: Term) -> Word | None:
    """The last word of the term, if the whole of it stands there."""
    end = place + len(term.words)
    there = tuple(word.folded for word in words[place:end])
    if there == term.words or (
        term.is_beginning
        and len(there) == len(term.words)
        and there[:-1] == term.words[:-1]
        and there[-1].startswith(term.words[-1])
    ):
        return words[end - 1]
    return None


def _together(spans: list[Span], place: int, most: int) -> int:
    """How many different terms stand within a snippet that begins here."""
    limit = spans[place].start + CHARS - BEFORE
    found: set[int] = set()
    for span in spans[place:]:
        if span.end > limit or len(found) == most:
            break
        found.add(span.term)
    return len(found)


def _word_start(text: str, begin: int, at: int) -> int:
    """A paragraph's beginning is a better one than the middle of the one before."""
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


def _pieces(text: str, begin: int, end: int, spans: list[Span]) -> list[Piece]:
    pieces: list[Piece] = []
    at = begin
    for span in spans:
        if span.start > at:
            pieces.append(Piece(text[at : span.start], hit=False))
        pieces.append(Piece(text[span.start : span.end], hit=True))
        at = span.end
    if end > at:
        pieces.append(Piece(text[at:end], hit=False))
    return pieces
