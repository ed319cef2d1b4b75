"""Decides which of two readings of a page has the better text. Length alone never decides."""

from nexus.text.characters import is_garbled
from nexus.text.extraction.metadata.text_overlap import prose_words, share_in, word_runs
from nexus.text.extraction.metadata.text_words import words

# From this share of the shorter text's words on, both are the same text.
_MIN_SHARED = 0.8
_MAX_CHARS = 100_000


def is_better(new: str, old: str) -> bool:
    """It holds the old text and as much or more, or it says something else and that in more sentences."""
    garbled = is_garbled(new)
    if garbled != is_garbled(old):
        return not garbled
    shorter, longer = sorted((new, old), key=len)
    runs = word_runs(words(longer[:_MAX_CHARS]))
    if share_in(word_runs(words(shorter[:_MAX_CHARS])), runs) >= _MIN_SHARED:
        return len(new) >= len(old)
    return prose_words(new[:_MAX_CHARS]) > prose_words(old[:_MAX_CHARS])
