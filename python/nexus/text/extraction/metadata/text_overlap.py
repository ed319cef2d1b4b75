"""How much of one text stands in another, and whether a text is prose."""

import re
from collections.abc import Sequence

from nexus.text.extraction.metadata.text_words import words

_RUN = 4  # words that are compared as one
_SENTENCE_END = re.compile(r"[.!?…。\uff01\uff1f](?=[\s\"'”\u2019»)]|$|[\u3040-\u9fff])")
_MIN_WORDS, _MAX_WORDS = 3, 80  # in a sentence, in the mean

Runs = set[tuple[str, ...]]


def word_runs(found: Sequence[str]) -> Runs:
    if len(found) < _RUN:
        return {tuple(found)} if found else set()
    return set(zip(*(found[start:] for start in range(_RUN)), strict=False))


def share_in(part: Runs, whole: Runs) -> float:
    """1 for no text at all: it stands everywhere."""
    return len(part & whole) / len(part) if part else 1.0


def is_prose(text: str) -> bool:
    """Sentences, not a list of names, keywords or numbers."""
    sentences = len(_SENTENCE_END.findall(text))
    return sentences > 0 and _MIN_WORDS <= len(words(text)) / sentences <= _MAX_WORDS


def prose_words(text: str) -> int:
    """Those of lines that are sentences."""
    return sum(len(words(line)) for line in text.split("\n") if is_prose(line))
