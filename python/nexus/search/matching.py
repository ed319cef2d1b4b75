"""Where the terms of a query occur in a text: the same words that the index found."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from nexus.search.languages import language_of, stemmer
from nexus.search.query import Query, Term, pieces
from nexus.search.tokenizer import Word, fold, is_character, words_among, words_in, words_of

SHORT_CHARS = 2000
# Of a long text: so many places where a term may begin are found, the best of them looked at, and so much around each.
MAX_FOUND = 100
MAX_REGIONS = 20
TOGETHER_CHARS = 170
BEFORE_CHARS = 100
AFTER_CHARS = 300
# Accents are taken away part by part, since most texts that were found have the words near their beginning. What begins
# in a part may end in the next.
PART_CHARS = 8000
OVERLAP_CHARS = 300
# Letters with an accent and without it, where both are one character; offsets stay the same. Not those of which only
# small letters are to be made, which `lower` does in a tenth of the time.
PLAIN = {
    letter: plain
    for letter in map(chr, (*range(0xC0, 0x250), *range(0x370, 0x530), *range(0x1E00, 0x2000)))
    if len(plain := fold(letter)) == 1 and plain != letter.lower()
}
_ACCENTED = re.compile(f"[{''.join(PLAIN)}]")


class Span(NamedTuple):
    """In code points of the text; `term`: which one of the query."""

    start: int
    end: int
    term: int


class Matcher:
    def __init__(self, query: Query, lang: str | None) -> None:
        self.terms = [term for group in query.groups for piece in pieces(group) for term in piece]
        self._stem = stemmer(language_of(lang))
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
        """In order, none over another."""
        if len(text) <= SHORT_CHARS:
            return self._spans(text)
        for start, end in self._regions(text):
            found = self._spans(text[start:end])
            if found:
                return [Span(start + span.start, start + span.end, span.term) for span in found]
        return self._spans(text[:SHORT_CHARS])

    def all_spans(self, text: str) -> Iterator[Span]:
        """Of a text of any length, in order: line by line, since most of them have none of the words."""
        start = 0
        for line in text.split("\n"):
            yield from (Span(start + span.start, start + span.end, span.term) for span in self._spans(line))
            start += len(line) + 1

    def _regions(self, text: str) -> Iterator[tuple[int, int]]:
        """Of a long text: where most of the terms may be together, best first. Cutting all of a book into words takes a
        second."""
        found = (one for one in islice(self._begun(text), MAX_FOUND) if _may_begin(text, one[0]))
        if len(self.terms) == 1:
            return (self._region(text, place) for place, _ in islice(found, MAX_REGIONS))
        places = list(found)
        together = _count_together(places)
        best = sorted(range(len(places)), key=lambda number: (-together[number], number))[:MAX_REGIONS]
        return (self._region(text, places[number][0]) for number in best)

    def _begun(self, text: str) -> Iterator[tuple[int, str]]:
        """Where the letters are that a term begins with, also within a word."""
        for start in range(0, len(text), PART_CHARS):
            part = text[start : start + PART_CHARS + OVERLAP_CHARS]
            plain = _plain(part)
            for match in self._beginnings.finditer(plain):
                if match.start() >= PART_CHARS:
                    break
                yield start + match.start(), match.group()

    def _region(self, text: str, place: int) -> tuple[int, int]:
        """Between two words."""
        start = text.find(" ", max(0, place - BEFORE_CHARS), place) + 1 or place
        end = text.find(" ", min(len(text), place + AFTER_CHARS))
        return start, end if 0 <= end <= place + 2 * AFTER_CHARS else min(len(text), place + AFTER_CHARS)

    @cached_property
    def _beginnings(self) -> re.Pattern[str]:
        """What the terms begin with in whatever form."""
        each = dict.fromkeys(self._begin_of(term) for term in self.terms)
        return re.compile("|".join(each))

    def _begin_of(self, term: Term) -> str:
        words = [fold(word) for word in term.words]
        if len(words) > 1:
            return ("[\\W_]*" if all(map(is_character, words)) else "[\\W_]+").join(map(re.escape, words))
        if term.name:
            return re.escape(term.name)
        return re.escape(words[0] if term.is_exact else _common_start(words[0], self._stem(term.words[0])))

    def _spans(self, text: str) -> list[Span]:
        found = sorted([*self._in_words(text), *self._in_names(text)], key=lambda span: (span.start, -span.end))
        spans: list[Span] = []
        for span in found:
            if not spans or span.start >= spans[-1].end:
                spans.append(span)
            elif span.end > spans[-1].end:  # as the next two characters of a run
                spans[-1] = spans[-1]._replace(end=span.end)
        return spans

    def _in_words(self, text: str) -> Iterator[Span]:
        # Most paragraphs hold none of the words: offsets are only needed where one does.
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
        """Of the term that the word is; -1: of none."""
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


def _count_together(found: list[tuple[int, str]]) -> list[int]:
    """How many different ones begin within a snippet from each on."""
    counts: Counter[str] = Counter()
    together, last = [], 0
    for start, one in found:
        while last < len(found) and found[last][0] < start + TOGETHER_CHARS:
            counts[found[last][1]] += 1
            last += 1
        together.append(len(counts))
        counts[one] -= 1
        if not counts[one]:
            del counts[one]
    return together


def _plain(text: str) -> str:
    """In small letters without accents, of the same length."""
    return (text if text.isascii() else _ACCENTED.sub(lambda found: PLAIN[found.group()], text)).lower()


def _may_begin(text: str, start: int) -> bool:
    """Not within a word. As a part of the pattern it made that several times as slow."""
    return start == 0 or not text[start - 1].isalnum() or is_character(text[start])


def _common_start(word: str, stem: str) -> str:
    """Most stems are a beginning of their word; of "happy" it is "happi"."""
    while stem and not word.startswith(stem):
        stem = stem[:-1]
    return stem or word


def _is_at(words: Sequence[Word], index: int, phrase: tuple[str, ...]) -> bool:
    """Most differ at their second word: the rest is not looked at."""
    return index + len(phrase) <= len(words) and all(
        words[place].folded == wanted for place, wanted in enumerate(phrase, start=index)
    )
