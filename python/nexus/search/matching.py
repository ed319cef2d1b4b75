"""Where the terms of a query occur in a text: the same words that the index found."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from nexus.search.languages import is_stop_word, language_of, stemmer
from nexus.search.letter_matching import count_together, is_folded_by_letters, may_begin, plain_letters, positions_of
from nexus.search.query import LONG_QUERY_WORDS, Query, Term, split_group
from nexus.search.tokenizer import Word, fold, is_character, word_at, words_among, words_in, words_of

# A text up to this length is split into words as a whole.
SHORT_CHARS = 300
# How much of a text is split into words if none of the terms is found by its letters ("die" in "dying").
BEGINNING_CHARS = 2000
# In a long text at most MAX_FOUND positions where a term may begin are collected. The text around the best MAX_REGIONS
# of them is split into words.
MAX_FOUND = 1000
MAX_REGIONS = 20
# A snippet with so many different terms is good enough, and the rest of the text is not searched for a better one. The
# number is smaller for long queries.
ENOUGH_TOGETHER = 3
ENOUGH_OF_LONG_QUERY = 2
BEFORE_CHARS = 100
AFTER_CHARS = 300
# Accents are removed part by part, since most texts that were found have the words near their beginning. A term that
# begins in one part may end in the next, so the parts overlap.
PART_CHARS = 2000
OVERLAP_CHARS = 300


class Span(NamedTuple):
    """In code points of the text; `term`: which one of the query."""

    start: int
    end: int
    term: int


class Matcher:
    def __init__(self, query: Query, lang: str | None) -> None:
        self.terms = [term for group in query.groups for part in split_group(group) for term in part]
        self._language = language_of(lang)
        self._stem = stemmer(self._language)
        self._single: dict[str, int] = {}
        self._stems: dict[str, int] = {}
        self._prefixes: list[tuple[str, int]] = []
        self._phrases: dict[str, list[tuple[tuple[str, ...], int]]] = {}
        self._names: list[tuple[re.Pattern[str], int]] = []
        for number, term in enumerate(self.terms):
            self._add(term, number)
        self._known: dict[str, int] = {}

    def _add(self, term: Term, number: int) -> None:
        words = tuple(fold(word) for word in term.words)
        if term.name:
            self._names.append((re.compile(rf"(?<!\w){re.escape(term.name)}(?!\w)", re.IGNORECASE), number))
        if len(words) > 1:
            self._phrases.setdefault(words[0], []).append((words, number))
        elif not term.name:
            (self._single if term.is_exact else self._stems)[
                words[0] if term.is_exact else self._stem(term.words[0])
            ] = number
            if not term.is_exact:
                self._single.setdefault(words[0], number)
        if term.is_prefix and len(words) == 1:
            self._prefixes.append((words[0], number))

    def spans(self, text: str) -> list[Span]:
        """In order, without overlaps."""
        if len(text) <= SHORT_CHARS:
            return self._spans(text)
        for position in islice(self._positions(text), MAX_REGIONS):
            if found := self._spans_around(text, position):
                return found
        return self._spans(text[:BEGINNING_CHARS])

    def all_spans(self, text: str) -> Iterator[Span]:
        """The spans of all matches in a text of any length, in order: line by line, since most lines have none of the
        words."""
        start = 0
        for line in text.split("\n"):
            yield from (Span(start + span.start, start + span.end, span.term) for span in self._spans(line))
            start += len(line) + 1

    def _positions(self, text: str) -> Iterator[int]:
        """Where in a long text most of the terms may be together, best first."""
        is_long_query = len(self._beginnings) >= LONG_QUERY_WORDS
        enough = ENOUGH_OF_LONG_QUERY if is_long_query else min(len(self._beginnings), ENOUGH_TOGETHER)
        positions: list[tuple[int, int]] = []
        counts: list[int] = []
        for begun in self._find_beginnings(text):
            if len(self._beginnings) == 1:
                yield from (position for position, _ in begun)
            positions += begun
            counts += count_together(begun)  # terms in two parts are rarely within one snippet
            if len(positions) > MAX_FOUND or max(counts, default=0) >= enough:
                break
        frequencies = Counter(which for _, which in positions)
        # Rare terms first: of a frequent one not all positions are known.
        best = sorted(range(len(positions)), key=lambda number: (-counts[number], frequencies[positions[number][1]]))
        yield from (positions[number][0] for number in best)

    def _find_beginnings(self, text: str) -> Iterator[list[tuple[int, int]]]:
        """The positions of the letters that a term begins with, and which of the beginnings it is, part by part.

        To split a whole book into words takes a second.
        """
        for start in range(0, len(text), PART_CHARS):
            plain = plain_letters(text[start : start + PART_CHARS + OVERLAP_CHARS])
            begun = (
                (start + position, which)
                for which, beginning in enumerate(self._beginnings)
                for position in _begins(beginning, plain)
                if position < PART_CHARS
            )
            yield sorted(begun)

    def _spans_around(self, text: str, position: int) -> list[Span]:
        start, end = _region(text, position)
        region = text[start:end]
        found = self._spans_by_letters(region) if is_folded_by_letters(region) else self._spans(region)
        return [Span(start + span.start, start + span.end, span.term) for span in found]

    def _spans_by_letters(self, text: str) -> list[Span]:
        """As `_spans`, but looks only at the words that begin as the terms do."""
        plain = plain_letters(text)
        literal = (beginning for beginning in self._beginnings if isinstance(beginning, str))
        begun = {at for beginning in literal for at in positions_of(beginning, plain)}
        words = (word for at in begun if (word := word_at(text, at)))
        found = [Span(*word.span(), number) for word in words if (number := self._number(word.group())) >= 0]
        for pattern, number in self._runs:
            found += [Span(*run.span(), number) for run in pattern.finditer(plain)]
        return _merge_overlapping(found)

    @cached_property
    def _beginnings(self) -> list[str | re.Pattern[str]]:
        """What the terms begin with in each of their forms, each once. Without the stop words of a long query, which
        most texts have."""
        significant = [term for term in self.terms if not self._is_stop_word(term)]
        terms = significant if significant and len(self.terms) >= LONG_QUERY_WORDS else self.terms
        return list(dict.fromkeys(self._begin_of(term) for term in terms))

    def _is_stop_word(self, term: Term) -> bool:
        is_word = len(term.words) == 1 and not term.is_exact and not term.name
        return is_word and is_stop_word(term.words[0], (self._language or "en",))

    def _begin_of(self, term: Term) -> str | re.Pattern[str]:
        words = [fold(word) for word in term.words]
        if len(words) > 1:
            return re.compile(_run(words))
        if term.name:
            return term.name
        return words[0] if term.is_exact else _common_start(words[0], self._stem(term.words[0]))

    @cached_property
    def _runs(self) -> list[tuple[re.Pattern[str], int]]:
        """Phrases and names, to be found in plain letters."""
        phrases = ((words, number) for each in self._phrases.values() for words, number in each)
        patterns = [(rf"(?<![^\W_]){_run(words)}", number) for words, number in phrases]
        named = ((term.name, number) for number, term in enumerate(self.terms) if term.name)
        patterns += [(rf"(?<!\w){re.escape(name)}(?!\w)", number) for name, number in named]
        return [(re.compile(pattern), number) for pattern, number in patterns]

    def _spans(self, text: str) -> list[Span]:
        return _merge_overlapping([*self._in_words(text), *self._in_names(text)])

    def _in_words(self, text: str) -> Iterator[Span]:
        # Most paragraphs have none of the words; offsets are only needed where there is one.
        written = set(words_in(text))
        numbers = {word: number for word in written if (number := self._number(word)) >= 0}
        if numbers:
            for found in words_among(text, numbers):
                yield Span(found.start(), found.end(), numbers[found.group()])
        if self._phrases and any(fold(word) in self._phrases for word in written):
            yield from self._in_phrases(text)

    def _in_phrases(self, text: str) -> Iterator[Span]:
        words = list(words_of(text))
        for index, word in enumerate(words):
            for phrase, number in self._phrases.get(word.folded, ()):
                if _is_at(words, index, phrase):
                    yield Span(word.start, words[index + len(phrase) - 1].end, number)

    def _number(self, word: str) -> int:
        """The number of the term that the word matches; -1: it matches none."""
        known = self._known.get(word)
        if known is None:
            known = self._known[word] = self._look_up(word)
        return known

    def _look_up(self, word: str) -> int:
        folded = fold(word)
        number = self._single.get(folded)
        if number is None and self._stems:
            number = self._stems.get(self._stem(word))
        if number is None and self._prefixes:
            number = next((number for prefix, number in self._prefixes if folded.startswith(prefix)), None)
        return -1 if number is None else number

    def _in_names(self, text: str) -> Iterator[Span]:
        for pattern, number in self._names:
            yield from (Span(found.start(), found.end(), number) for found in pattern.finditer(text))


def _merge_overlapping(found: Iterable[Span]) -> list[Span]:
    """In order, without overlaps."""
    spans: list[Span] = []
    for span in sorted(found, key=lambda span: (span.start, -span.end)):
        if not spans or span.start >= spans[-1].end:
            spans.append(span)
        elif span.end > spans[-1].end:  # such as the next two characters of a run without spaces
            spans[-1] = spans[-1]._replace(end=span.end)
    return spans


def _begins(beginning: str | re.Pattern[str], plain: str) -> Iterator[int]:
    if isinstance(beginning, str):
        return islice(positions_of(beginning, plain), MAX_REGIONS)
    return (found.start() for found in beginning.finditer(plain) if may_begin(plain, found.start()))


def _region(text: str, position: int) -> tuple[int, int]:
    """From the beginning of a word to the end of one."""
    start = text.find(" ", max(0, position - BEFORE_CHARS), position) + 1 or position
    end = text.find(" ", min(len(text), position + AFTER_CHARS))
    return start, end if 0 <= end <= position + 2 * AFTER_CHARS else min(len(text), position + AFTER_CHARS)


def _run(words: Sequence[str]) -> str:
    """A pattern of words in a row. It does not check what is before the first word, which would make it several times
    as slow."""
    if all(map(is_character, words)):
        return "[\\W_]*".join(map(re.escape, words))
    return "[\\W_]+".join(map(re.escape, words)) + "(?![^\\W_])"


def _common_start(word: str, stem: str) -> str:
    """The letters that a word and its stem begin with: most stems are a prefix of their word, but that of "happy" is
    "happi"."""
    while stem and not word.startswith(stem):
        stem = stem[:-1]
    return stem or word


def _is_at(words: Sequence[Word], index: int, phrase: tuple[str, ...]) -> bool:
    """Compares word by word and stops at the first difference, which is mostly the second word."""
    return index + len(phrase) <= len(words) and all(
        words[position].folded == wanted for position, wanted in enumerate(phrase, start=index)
    )
