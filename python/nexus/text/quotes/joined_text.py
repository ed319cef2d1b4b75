"""The fragments of a text as one string, with a line feed between them, and places in it."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

CONTEXT_CHARS = 64


class Point(NamedTuple):
    """An offset, in code points, into the text of the fragment with this number."""

    fragment_idx: int
    offset: int


class Span(NamedTuple):
    """A range of the joined text; the end is not included."""

    start: int
    end: int


@dataclass(frozen=True)
class JoinedText:
    """`numbers`: of the fragments, ascending; `parts`: their texts."""

    numbers: Sequence[int]
    parts: Sequence[str]
    _begins: Sequence[int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        begins = accumulate((len(part) + 1 for part in self.parts), initial=0)
        object.__setattr__(self, "_begins", list(begins)[:-1])

    @cached_property
    def text(self) -> str:
        return "\n".join(self.parts)

    def span(self, start: Point, end: Point) -> Span | None:
        """None: the text has no such place, or there is nothing between the two."""
        first, last = self._at(start), self._at(end)
        return Span(first, last) if first is not None and last is not None and first < last else None

    def points(self, span: Span) -> tuple[Point, Point]:
        """A start is never behind the last character of a fragment, an end never before the first, where it can be."""
        first = bisect_right(self._begins, span.start) - 1
        last = bisect_right(self._begins, max(span.start, span.end - 1)) - 1
        return (
            Point(self.numbers[first], span.start - self._begins[first]),
            Point(self.numbers[last], min(span.end - self._begins[last], len(self.parts[last]))),
        )

    def context(self, span: Span) -> tuple[str, str]:
        """The characters before and after it."""
        before = self.text[max(0, span.start - CONTEXT_CHARS) : span.start]
        return before, self.text[span.end : span.end + CONTEXT_CHARS]

    def _at(self, point: Point) -> int | None:
        index = bisect_right(self.numbers, point.fragment_idx) - 1
        if index < 0 or self.numbers[index] != point.fragment_idx or point.offset > len(self.parts[index]):
            return None
        return self._begins[index] + point.offset
