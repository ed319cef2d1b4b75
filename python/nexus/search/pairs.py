"""Pairs of short adjacent words, each of which is one word of the index.

The shortest words are the most frequent ones ("to be or not to be"), dozens in each text: comparing their positions for
a phrase took 16 ms in 20 000 texts, and grows with them. A pair is in fewer texts, and once or twice in each.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from nexus.search.tokenizer import is_character

MAX_SHORT_CHARS = 3
# Written between two pairs that are not adjacent. It takes the position of a word, but is not indexed as one.
GAP = "."


def pairs_in(words: Sequence[str]) -> list[str]:
    """The pairs in these folded words, in their order."""
    short = {word for word in set(words) if _is_short(word)}
    found = [GAP]
    for one, other in pairwise(words):
        if one in short and other in short:
            found.append(f"{one}_{other}")
        elif found[-1] is not GAP:
            found.append(GAP)
    return found


def pairs_of(phrase: Iterable[str]) -> list[str]:
    """The pairs that are in a row where the phrase is; empty if the phrase has a longer word."""
    words = list(phrase)
    return [f"{one}_{other}" for one, other in pairwise(words)] if all(map(_is_short, words)) else []


def _is_short(word: str) -> bool:
    """Not the single characters that are the words of scripts without spaces: their pairs would be as long as the
    text."""
    return len(word) <= MAX_SHORT_CHARS and not is_character(word)
