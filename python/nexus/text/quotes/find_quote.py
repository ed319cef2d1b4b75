"""Where a quote of one text is in another: the same words in the same context, else the closest ones.

A passage that is less similar than MIN_SIMILARITY is never taken. The time is bounded: words are looked up in an index
of the text that is made once, and only the passages with most of them are compared.
"""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from typing import NamedTuple

from nexus.text.quotes.joined_text import CONTEXT_CHARS, Span
from nexus.text.quotes.similarity import MIN_SIMILARITY, can_be_alike, similarity

# In scripts without spaces each character is a word: Thai to Khmer, kana and Han.
_CHARACTERS = "\u0e01-\u0e4e\u0e81-\u0ece\u1000-\u109f\u1780-\u17d3\u3005-\u30ff\u3400-\u9fff\U00020000-\U0003ffff"
_WORD = re.compile(f"[{_CHARACTERS}]|[^\\W{_CHARACTERS}]+|[^\\w\\s]")
# What is shorter stands in many places that have nothing to do with each other; then its context has to be alike, too.
SHORT_CHARS = 32
MIN_CONTEXT = 0.5
RUN = 3  # words that are looked up together
MAX_PLACES = 200  # of a run of words or of a quote; what is more frequent says nothing
MAX_COMPARED = 8
# Of a long quote only its beginning and its end are aligned word by word.
MAX_ALIGNED = 120
BUCKET = 8  # words


class Quote(NamedTuple):
    """`share`: of its text before it; of places that are equally good the nearest is taken."""

    text: str
    prefix: str
    suffix: str
    share: float


class _Word(NamedTuple):
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class SearchedText:
    """A text that quotes are looked for in."""

    text: str

    @cached_property
    def words(self) -> list[_Word]:
        return _words(self.text)

    @cached_property
    def runs(self) -> dict[tuple[str, ...], list[int]]:
        """Where each run of words begins."""
        found: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
        texts = [word.text for word in self.words]
        for at, run in enumerate(zip(*(texts[shift:] for shift in range(RUN)), strict=False)):
            found[run].append(at)
        return found

    def find(self, quote: Quote) -> Span | None:
        """None: it has nothing that is similar enough."""
        if not quote.text.strip():
            return None
        return self._same(quote) or self._closest(quote)

    def _same(self, quote: Quote) -> Span | None:
        places = [Span(at, at + len(quote.text)) for at in _occurrences(self.text, quote.text)]
        fitting = [(self._context(quote, place), place) for place in places]
        if len(quote.text) < SHORT_CHARS:
            fitting = [each for each in fitting if each[0] >= MIN_CONTEXT]
        return self._best(quote, fitting)

    def _closest(self, quote: Quote) -> Span | None:
        found: list[tuple[float, Span]] = []
        for place in dict.fromkeys(self._candidates(quote)):
            if not can_be_alike(len(quote.text), place.end - place.start):
                continue
            if len(quote.text) < SHORT_CHARS and self._context(quote, place) < MIN_CONTEXT:
                continue
            alike = similarity(quote.text, self.text[place.start : place.end])
            if alike >= MIN_SIMILARITY:
                found.append((alike, place))
        return self._best(quote, found)

    def _best(self, quote: Quote, places: list[tuple[float, Span]]) -> Span | None:
        before = quote.share * len(self.text)
        best = min(places, key=lambda each: (-each[0], abs(each[1].start - before)), default=None)
        return best[1] if best else None

    def _context(self, quote: Quote, place: Span) -> float:
        """How alike the words around it are, on the side where they are more so. A quote without a context fits
        anywhere."""
        before = self.text[max(0, place.start - CONTEXT_CHARS) : place.start][-len(quote.prefix) or CONTEXT_CHARS :]
        after = self.text[place.end : place.end + CONTEXT_CHARS][: len(quote.suffix) or CONTEXT_CHARS]
        if not quote.prefix.strip() and not quote.suffix.strip():
            return 1.0
        sides = [similarity(*pair) for pair in ((quote.prefix, before), (quote.suffix, after)) if pair[0].strip()]
        return max(sides)

    def _candidates(self, quote: Quote) -> Iterator[Span]:
        """With some words of the quote, or of what was around it, in the same order."""
        needle = _Needle.of(quote)
        for begin in self._likely(needle):
            slack = len(needle.words) // 5 + 2 * BUCKET
            first = max(0, begin - slack)
            here = self.words[first : begin + len(needle.words) + slack]
            yield from needle.aligned(here)

    def _likely(self, needle: "_Needle") -> list[int]:
        """Words of this text at which the needle would begin, the most likely first."""
        votes: Counter[int] = Counter()
        texts = [word.text for word in needle.words]
        for at, run in enumerate(zip(*(texts[shift:] for shift in range(RUN)), strict=False)):
            places = self.runs.get(run, ())
            if len(places) <= MAX_PLACES:
                votes.update((place - at) // BUCKET for place in places)
        near = Counter({bucket: votes[bucket] + votes[bucket + 1] for bucket in votes})
        return [bucket * BUCKET for bucket, _ in near.most_common(MAX_COMPARED)]


@dataclass(frozen=True)
class _Needle:
    """The words of a quote with those around it; `first` and `last` are the quote's own."""

    words: list[_Word]
    first: int
    last: int  # not included

    @classmethod
    def of(cls, quote: Quote) -> "_Needle":
        words = _words(quote.prefix + quote.text + quote.suffix)
        ends = [word.end for word in words]
        start, end = len(quote.prefix), len(quote.prefix) + len(quote.text)
        first = bisect_left(ends, start + 1)
        return cls(words, first, max(first + 1, bisect_left([word.start for word in words], end)))

    def aligned(self, here: list[_Word]) -> Iterator[Span]:
        """Where the quote may begin and end among these words."""
        begins = self._matched(here, self.first)
        ends = self._matched(here, self.last)
        for begin in begins:
            for end in ends:
                if 0 <= begin < end <= len(here):
                    yield Span(here[begin].start, here[end - 1].end)

    def _matched(self, here: list[_Word], edge: int) -> list[int]:
        """The word of `here` that stands for the needle's word at the edge: by the last word that is the same before
        it, and by the first after it."""
        own_from = max(0, edge - MAX_ALIGNED // 2)
        own = [word.text for word in self.words[own_from : edge + MAX_ALIGNED // 2]]
        # The edge of a long quote is as far from the beginning of the words as in the needle, or so.
        shift = max(0, own_from - 4 * BUCKET)
        until = own_from + len(own) + len(self.words) // 3 + 8 * BUCKET
        theirs = [word.text for word in here[shift:until]]
        blocks = SequenceMatcher(None, own, theirs, autojunk=False).get_matching_blocks()
        at = edge - own_from
        found: list[int] = []
        for block in blocks:
            if not block.size:
                continue
            if block.a <= at <= block.a + block.size:
                found.append(block.b + at - block.a)
            elif block.a + block.size < at:
                found[:0] = [block.b + block.size, block.b + at - block.a]
            else:
                found += [block.b, block.b + at - block.a]
                break
        return list(dict.fromkeys(max(0, each + shift) for each in found))[:4]


def _words(text: str) -> list[_Word]:
    return [_Word(found.group(), found.start(), found.end()) for found in _WORD.finditer(text)]


def _occurrences(text: str, quote: str) -> Iterator[int]:
    at = text.find(quote)
    for _ in range(MAX_PLACES):
        if at < 0:
            return
        yield at
        at = text.find(quote, at + 1)
