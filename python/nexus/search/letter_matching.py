"""Texts in lower case without accents, in which words are searched by their letters."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from nexus.search.tokenizer import belongs_to_word, is_character
from nexus.text.unicode_form import fold

# Latin, Greek and Cyrillic, with punctuation, currencies, arrows and the like.
_KNOWN = [
    chr(code)
    for code in chain(
        range(0x80, 0x530), range(0x1E00, 0x2070), range(0x20A0, 0x20C0), range(0x2190, 0x2200), range(0x25A0, 0x2700)
    )
]
# Letters whose form without accents is one character, too, so that offsets stay the same. Not those that differ only in
# case: `lower` converts them in a tenth of the time.
_PLAIN = {letter: plain for letter in _KNOWN if len(plain := fold(letter)) == 1 and plain != letter.lower()}
_ACCENTED = re.compile(f"[{''.join(_PLAIN)}]")
_FOLDED = [letter for letter in _KNOWN if len(fold(letter)) == 1 or not belongs_to_word(letter)]
_OTHER = re.compile(f"[^\\x00-\\x7f{re.escape(''.join(_FOLDED))}]")
TOGETHER_CHARS = 170


def plain_letters(text: str) -> str:
    """The text in lower case without accents, of the same length: what cannot be replaced letter by letter stays."""
    return (text if text.isascii() else _ACCENTED.sub(lambda found: _PLAIN[found.group()], text)).lower()


def is_folded_by_letters(text: str) -> bool:
    """Whether the plain letters of each of its words are the word folded."""
    return text.isascii() or not _OTHER.search(text)


def positions_of(beginning: str, plain: str) -> Iterator[int]:
    """Where words have this beginning. `find` is several times as fast as a pattern, which tries each letter."""
    at = plain.find(beginning)
    while at >= 0:
        if may_begin(plain, at):
            yield at
        at = plain.find(beginning, at + 1)


def may_begin(text: str, start: int) -> bool:
    """Whether a word may begin there: not within another."""
    return start == 0 or not text[start - 1].isalnum() or is_character(text[start])


def count_together(positions: Sequence[tuple[int, int]]) -> list[int]:
    """For each pair (position, number of the term): how many different terms begin within a snippet from there."""
    counts = dict.fromkeys((which for _, which in positions), 0)
    different, last, together = 0, 0, []
    for start, which in positions:
        while last < len(positions) and positions[last][0] < start + TOGETHER_CHARS:
            different += not counts[positions[last][1]]
            counts[positions[last][1]] += 1
            last += 1
        together.append(different)
        counts[which] -= 1
        different -= not counts[which]
    return together
