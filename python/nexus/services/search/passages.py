"""A text cut into passages: small enough for what PostgreSQL keeps of one, and for looking closely at one.

A tsvector keeps 16 383 places, 255 of each word, and a megabyte in all. A passage stays far below each of them
whatever it says, and runs on from one fragment into the next: the cues of a transcript break anywhere.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from nexus.services.search.tokenizer import folded_words

CHARS = 4000
_PLACES = [str(place) for place in range(1, CHARS + 1)]
_MAX_PLACES = 255


class Piece(NamedTuple):
    """A line, or as much of one as fits."""

    fragment: int
    start: int
    text: str


class Passage(NamedTuple):
    first_fragment: int
    first_start: int
    last_fragment: int
    vector: str


def passages_of(fragments: Iterable[tuple[int, str]]) -> Iterator[Passage]:
    held: list[Piece] = []
    room = CHARS
    for piece in _pieces(fragments):
        if held and len(piece.text) > room:
            yield _passage(held)
            held, room = [], CHARS
        held.append(piece)
        room -= len(piece.text) + 1
    if held:
        yield _passage(held)


def vector_of(text: str) -> str:
    """As PostgreSQL reads a tsvector: each word with its places."""
    places: defaultdict[str, list[str]] = defaultdict(list)
    for place, word in zip(_PLACES, folded_words(text), strict=False):
        places[word].append(place)
    return " ".join([f"{quoted(word)}:{','.join(at[:_MAX_PLACES])}" for word, at in places.items()])


@lru_cache(maxsize=20_000)
def quoted(word: str) -> str:
    return "'" + word.replace("\\", "\\\\").replace("'", "''") + "'"


def _passage(pieces: list[Piece]) -> Passage:
    first, last = pieces[0], pieces[-1]
    return Passage(first.fragment, first.start, last.fragment, vector_of("\n".join(piece.text for piece in pieces)))


def _pieces(fragments: Iterable[tuple[int, str]]) -> Iterator[Piece]:
    for number, text in fragments:
        start = 0
        for line in text.split("\n"):
            yield from _cut(number, start, line)
            start += len(line) + 1


def _cut(fragment: int, start: int, line: str) -> Iterator[Piece]:
    """Between two words where there are any."""
    begin = 0
    while len(line) - begin > CHARS:
        space = line.rfind(" ", begin + CHARS // 2, begin + CHARS)
        end = space + 1 if space >= 0 else begin + CHARS
        yield Piece(fragment, start + begin, line[begin:end])
        begin = end
    yield Piece(fragment, start + begin, line[begin:])
