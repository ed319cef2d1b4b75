"""Words that were misspelt: their nearest neighbours among the words of the library."""

from collections.abc import Iterator
from dataclasses import replace

from tantivy import Searcher

from nexus.search.languages import stems_in
from nexus.search.query import Query, Term
from nexus.search.schema import EXACT, STEMS
from nexus.search.tokenizer import fold

# Shorter words have too many neighbours.
MIN_CHARS = 4
LONG_CHARS = 8  # a word of at least this length may have two mistakes
MAX_EDITS = 2
# A word in at most RARE texts may be a mistake, if a neighbour is in many more.
RARE = 2
TIMES_AS_FREQUENT = 20
# Words with the same beginning that are compared, the most frequent ones.
MAX_CANDIDATES = 1000
SAME_BEGINNING = 3
# Words of a query for which similar ones are looked for: each takes some milliseconds.
MAX_LOOKED_FOR = 4
_FIELD = "text"  # which has the title, too
# What may be typed instead of a letter, by script.
_ALPHABETS = ("abcdefghijklmnopqrstuvwxyz", "абвгдежзийклмнопрстуфхцчшщъыьэюя", "αβγδεζηθικλμνξοπρστυφχψω")


def correct(query: Query, searcher: Searcher, languages: list[str]) -> tuple[Query, dict[str, str]]:
    """The query with the likely corrections of its misspelt words; and those words with their corrections."""
    search = _Neighbours(searcher, languages)
    groups = tuple(tuple(found for term in group for found in search.with_neighbour(term)) for group in query.groups)
    return replace(query, groups=groups), search.neighbours


class _Neighbours:
    def __init__(self, searcher: Searcher, languages: list[str]) -> None:
        self._searcher = searcher
        self._languages = languages
        self._looked_for = 0
        self.neighbours: dict[str, str] = {}

    def with_neighbour(self, term: Term) -> tuple[Term, ...]:
        """The term and its correction. A word that no text has is replaced; a rare one is searched together with its
        neighbour."""
        if term.is_exact or term.name or len(term.words) != 1:
            return (term,)
        word = fold(term.words[0])
        if len(word) < MIN_CHARS or not word.isalpha():
            return (term,)
        entries = self._frequency(term.words[0])
        if entries > RARE or (term.is_prefix and self._is_beginning(word)) or self._looked_for == MAX_LOOKED_FOR:
            return (term,)
        self._looked_for += 1
        best = self._nearest(word, max(1, entries * TIMES_AS_FREQUENT))
        if best is None:
            return (term,)
        self.neighbours[term.words[0]] = best
        neighbour = replace(term, words=(best,), is_prefix=False)
        return (term, neighbour) if entries else (neighbour,)

    def _frequency(self, word: str) -> int:
        return max(self._searcher.doc_freq(_FIELD + STEMS, stem) for stem in stems_in(word, self._languages))

    def _is_beginning(self, word: str) -> bool:
        return bool(self._searcher.terms_with_prefix(_FIELD + EXACT, word, limit=1))

    def _nearest(self, word: str, least: int) -> str | None:
        """The known word with the fewest mistakes; of several, the one in most texts."""
        near = {other: entries for other in _one_edit(word) if (entries := self._entries(other)) >= least}
        if not near and len(word) >= LONG_CHARS:
            near = {other: entries for other, entries in self._alike(word) if entries >= least}
        return max(near, key=lambda other: near[other]) if near else None

    def _entries(self, word: str) -> int:
        return self._searcher.doc_freq(_FIELD + EXACT, word)

    def _alike(self, word: str) -> Iterator[tuple[str, int]]:
        """Words with up to two mistakes, none of them in the first letters, which are rarely wrong."""
        beginning = word[:SAME_BEGINNING]
        for other, entries in self._searcher.terms_with_prefix(_FIELD + EXACT, beginning, limit=MAX_CANDIDATES):
            if abs(len(other) - len(word)) <= MAX_EDITS and edits(word, other, MAX_EDITS) <= MAX_EDITS:
                yield other, entries


def _one_edit(word: str) -> set[str]:
    """A letter added, left out, replaced or swapped with its neighbour."""
    letters = next((each for each in _ALPHABETS if word[0] in each), "".join(set(word)))
    cuts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    found = {begin + rest[1:] for begin, rest in cuts if rest}
    found |= {begin + rest[1] + rest[0] + rest[2:] for begin, rest in cuts if len(rest) > 1}
    found |= {begin + letter + rest[1:] for begin, rest in cuts if rest for letter in letters}
    found |= {begin + letter + rest for begin, rest in cuts for letter in letters}
    return found - {word}


def edits(one: str, other: str, max_edits: int) -> int:
    """Letters added, left out, replaced or swapped with their neighbour; `max_edits + 1` when there are more."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, start=1):
        further = [i]
        for j, second in enumerate(other, start=1):
            cost = min(row[j] + 1, further[j - 1] + 1, row[j - 1] + (letter != second))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == second:
                cost = min(cost, before[j - 2] + 1)
            further.append(cost)
        if min(further) > max_edits:
            return max_edits + 1
        before, row = row, further
    return min(row[-1], max_edits + 1)
