"""Where a quote of one text is in another: the same words in the same context, else the closest ones.

A passage that is less similar than MIN_SIMILARITY is never taken. The time is bounded: pairs of words are looked up in
an index of the text that is made once, and only the passages with most of them are compared.
"""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from nexus.text.quotes.joined_text import CONTEXT_CHARS, Span
from nexus.text.quotes.similarity import MIN_SIMILARITY, can_be_alike, similarity

# In scripts without spaces each character is a word: Thai to Khmer, kana and Han.
_CHARACTERS = "\u0e01-\u0e4e\u0e81-\u0ece\u1000-\u109f\u1780-\u17d3\u3005-\u30ff\u3400-\u9fff\U00020000-\U0003ffff"
_WORD = re.compile(f"[{_CHARACTERS}]|[^\\W{_CHARACTERS}]+|[^\\w\\s]")
# What is shorter stands in many places that have nothing to do with each other; then its context has to be alike, too.
SHORT_CHARS = 32
MIN_CONTEXT = 0.7  # of unrelated sentences of one language some are 0.67
SHORT_CONTEXT_CHARS = 32  # what is shorter, where a text begins or ends, is alike by chance, and has to be the same
MAX_PLACES = 200  # of a quote, the nearest, or of a pair of words: what is more frequent says nothing
MAX_COMPARED = 8
MAX_CELLS = 3_000_000_000  # characters of a quote times those it is compared with; half a second
CLOSE_ENOUGH = 0.97  # no other place is looked at then
BUCKET = 8  # words
NEARBY = 20_000  # characters: most quotes are not far from where they were


class Quote(NamedTuple):
    """`share`: of its text before it; of places that are equally good the nearest is taken."""

    text: str
    prefix: str
    suffix: str
    share: float


@dataclass(frozen=True)
class SearchedText:
    """A text that quotes are looked for in."""

    text: str

    def find(self, quote: Quote) -> Span | None:
        """None: it has nothing that is similar enough."""
        if not quote.text.strip():
            return None
        return self._same(quote) or self._closest(quote)

    def _same(self, quote: Quote) -> Span | None:
        near = round(quote.share * len(self.text))
        length = len(quote.text)
        whole = quote.prefix + quote.text + quote.suffix
        at = self._first(whole, near)
        if at is not None:
            return Span(at + len(quote.prefix), at + len(quote.prefix) + length)
        places = [Span(at, at + length) for at in _occurrences(self.text, quote.text, near)]
        if len(places) > MAX_COMPARED:
            places.sort(key=lambda place: -self._same_around(quote, place))
        # Those that come first are the nearest, and max() takes the first of equals.
        best = max(places[:MAX_COMPARED], key=lambda place: self._context(quote, place), default=None)
        return best if best and self._fits(quote, best) else None

    def _first(self, words: str, near: int) -> int | None:
        """The nearest place that has just these words."""
        begin = max(0, near - NEARBY)
        here = self.text[begin : near + NEARBY + len(words)]
        found = _occurrences(here, words, near - begin)
        if found:
            return begin + found[0]
        return next(iter(_occurrences(self.text, words, near)), None)

    def _closest(self, quote: Quote) -> Span | None:
        best: tuple[float, Span] | None = None
        cells = 0
        for place in self._candidates(quote):
            length = place.end - place.start
            if not can_be_alike(len(quote.text), length) or not self._fits(quote, place):
                continue
            alike = similarity(quote.text, self.text[place.start : place.end])
            if alike >= MIN_SIMILARITY and (best is None or alike > best[0]):
                best = alike, place
            cells += length * len(quote.text)
            if cells > MAX_CELLS or (best and best[0] >= CLOSE_ENOUGH):
                break
        return best[1] if best else None

    def _fits(self, quote: Quote, place: Span) -> bool:
        return len(quote.text) >= SHORT_CHARS or self._context(quote, place) >= MIN_CONTEXT

    def _context(self, quote: Quote, place: Span) -> float:
        """How alike the words around it are, on the side where they are more so. A quote without a context fits
        everywhere."""
        before, after = self._around(place)
        pairs = [(quote.prefix, before[-len(quote.prefix) :]), (quote.suffix, after[: len(quote.suffix)])]
        return max((_context_similarity(*pair) for pair in pairs if pair[0].strip()), default=1.0)

    def _same_around(self, quote: Quote, place: Span) -> int:
        """How many characters next to it are the same: less work than the context."""
        before, after = self._around(place)
        return _same_beginning(quote.prefix[::-1], before[::-1]) + _same_beginning(quote.suffix, after)

    def _around(self, place: Span) -> tuple[str, str]:
        before = self.text[max(0, place.start - CONTEXT_CHARS) : place.start]
        return before, self.text[place.end : place.end + CONTEXT_CHARS]

    @cached_property
    def _words(self) -> Sequence[Span]:
        return _words(self.text)

    @cached_property
    def _pairs(self) -> dict[tuple[str, str], list[int]]:
        """At which word each pair of words begins."""
        found: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        for at, pair in enumerate(_pairs(self.text, self._words)):
            found[pair].append(at)
        return found

    def _candidates(self, quote: Quote) -> Iterator[Span]:
        """Passages that share pairs of words with the quote, or with what was around it, the likeliest first."""
        needle = _Needle.of(quote)
        places = [self._pairs.get(pair, ()) for pair in needle.pairs]
        seen: set[Span] = set()
        for shift in _likely_shifts(places):
            matched = _matched(places, shift)
            for begin in needle.boundaries(matched, needle.first):
                for end in needle.boundaries(matched, needle.last):
                    if 0 <= begin < end <= len(self._words):
                        start = self._words[begin].start + needle.cut_before
                        place = Span(start, max(start, self._words[end - 1].end - needle.cut_after))
                        if place not in seen:
                            seen.add(place)
                            yield place


def _context_similarity(before: str, now: str) -> float:
    return similarity(before, now) if len(before) >= SHORT_CONTEXT_CHARS else float(before == now)


@dataclass(frozen=True)
class _Needle:
    """The words of a quote with those around it."""

    pairs: Sequence[tuple[str, str]]
    first: int  # word of the quote
    last: int  # the word after it
    cut_before: int  # characters of the first word that are not in the quote
    cut_after: int

    @classmethod
    def of(cls, quote: Quote) -> "_Needle":
        text = quote.prefix + quote.text + quote.suffix
        words = _words(text)
        start, end = len(quote.prefix), len(quote.prefix) + len(quote.text)
        first = bisect_right([word.end for word in words], start)
        last = bisect_right([word.start for word in words], end - 1)
        return cls(
            pairs=list(_pairs(text, words)),
            first=first,
            last=last,
            cut_before=max(0, start - words[first].start) if first < len(words) else 0,
            cut_after=max(0, words[last - 1].end - end) if last else 0,
        )

    def boundaries(self, matched: Sequence[tuple[int, int]], edge: int) -> list[int]:
        """Words of the text at which the needle's word `edge` may begin: as far from the pairs next to it as in the
        needle, or at the end of what is the same."""
        at = bisect_right(matched, (edge, -1))
        found: list[int] = []
        if at < len(matched):
            own, theirs = matched[at]
            found += [theirs - (own - edge), theirs]
        if at > 0:
            own, theirs = matched[at - 1]
            found += [theirs + (edge - own), theirs + min(2, edge - own)]
        return list(dict.fromkeys(found))


def _likely_shifts(places: Sequence[Sequence[int]]) -> list[int]:
    """How many words later the needle's words are in the text: what most pairs say, the most frequent first."""
    votes: Counter[int] = Counter()
    for own, theirs in enumerate(places):
        if len(theirs) <= MAX_PLACES:
            votes.update((at - own) // BUCKET for at in theirs)
    near = Counter({bucket: votes[bucket] + votes[bucket + 1] for bucket in votes})
    return [(bucket + 1) * BUCKET for bucket, _ in near.most_common(MAX_COMPARED)]


def _matched(places: Sequence[Sequence[int]], shift: int) -> list[tuple[int, int]]:
    """Each pair of the needle with its nearest place, if that is near. Within a long quote much may be new or gone."""
    most = 2 * BUCKET + len(places) // 3
    found = []
    for own, theirs in enumerate(places):
        if theirs:
            at = bisect_right(theirs, own + shift)
            nearest = min(theirs[max(0, at - 1) : at + 1], key=lambda place: abs(place - own - shift))
            if abs(nearest - own - shift) <= most:
                found.append((own, nearest))
    return found


def _words(text: str) -> list[Span]:
    return [Span(*found.span()) for found in _WORD.finditer(text)]


def _pairs(text: str, words: Sequence[Span]) -> Iterator[tuple[str, str]]:
    return pairwise(text[word.start : word.end] for word in words)


def _same_beginning(one: str, other: str) -> int:
    count = 0
    for pair in zip(one, other, strict=False):
        if pair[0] != pair[1]:
            break
        count += 1
    return count


def _occurrences(text: str, quote: str, near: int) -> list[int]:
    """The nearest first, at most so many on each side. Those before it are found in the reversed text: rfind() takes
    the product of both lengths where they repeat one character."""
    after = _first_occurrences(text, quote, near)
    end = len(text) - near - len(quote) + 1
    before = _first_occurrences(text[::-1], quote[::-1], max(0, end)) if near else []
    found = after + [len(text) - at - len(quote) for at in before]
    return sorted(found, key=lambda place: abs(place - near))


def _first_occurrences(text: str, quote: str, begin: int) -> list[int]:
    found: list[int] = []
    at = text.find(quote, begin)
    while at >= 0 and len(found) < MAX_PLACES // 2:
        found.append(at)
        at = text.find(quote, at + 1)
    return found
