"""A text cut into passages: within the limits of a tsvector, and small enough to cut a snippet from.

A tsvector keeps 16 383 positions, 255 of each word, and a megabyte in all. A passage stays far below each of them,
and may span several fragments, since the cues of a transcript end anywhere.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from nexus.services.search.tokenizer import folded_words

MAX_CHARS = 4000
_POSITIONS = [str(position) for position in range(1, MAX_CHARS + 1)]
_MAX_POSITIONS = 255


class Line(NamedTuple):
    """A line, or as much of one as fits into a passage."""

    fragment: int
    start: int
    text: str


class Passage(NamedTuple):
    first_fragment: int
    first_start: int
    last_fragment: int
    vector: str


def passages_of(fragments: Iterable[tuple[int, str]]) -> Iterator[Passage]:
    held: list[Line] = []
    room = MAX_CHARS
    for line in _lines(fragments):
        if held and len(line.text) > room:
            yield _passage(held)
            held, room = [], MAX_CHARS
        held.append(line)
        room -= len(line.text) + 1
    if held:
        yield _passage(held)


def vector_of(text: str) -> str:
    """In PostgreSQL's notation of a tsvector: each word with its positions."""
    positions: defaultdict[str, list[str]] = defaultdict(list)
    for position, word in zip(_POSITIONS, folded_words(text), strict=False):
        positions[word].append(position)
    return " ".join([f"{quoted(word)}:{','.join(at[:_MAX_POSITIONS])}" for word, at in positions.items()])


@lru_cache(maxsize=20_000)
def quoted(word: str) -> str:
    return "'" + word.replace("\\", "\\\\").replace("'", "''") + "'"


def _passage(lines: list[Line]) -> Passage:
    first, last = lines[0], lines[-1]
    return Passage(first.fragment, first.start, last.fragment, vector_of("\n".join(line.text for line in lines)))


def _lines(fragments: Iterable[tuple[int, str]]) -> Iterator[Line]:
    for number, text in fragments:
        start = 0
        for line in text.split("\n"):
            yield from _cut(number, start, line)
            start += len(line) + 1


def _cut(fragment: int, start: int, line: str) -> Iterator[Line]:
    """Between two words where there are any."""
    begin = 0
    while len(line) - begin > MAX_CHARS:
        space = line.rfind(" ", begin + MAX_CHARS // 2, begin + MAX_CHARS)
        end = space + 1 if space >= 0 else begin + MAX_CHARS
        yield Line(fragment, start + begin, line[begin:end])
        begin = end
    yield Line(fragment, start + begin, line[begin:])
