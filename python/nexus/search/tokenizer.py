"""What counts as a word, and which spellings are the same one: the same for the index and for queries.

Case, accents and typographic forms do not matter. In scripts without spaces each character is a word, and a run of
characters is found as a phrase.
"""

import re
from collections.abc import Container, Iterator
from functools import lru_cache
from typing import NamedTuple

from nexus.text.unicode_form import fold as fold_text

# Thai to Khmer (their vowels and tones are marks, which \w leaves out), kana and Han.
_CHARACTERS = (
    "\u0e01-\u0e4e\u0e81-\u0ece\u1000-\u109f\u1780-\u17d3\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
# Marks that belong to the letter before them; \w knows letters and digits only.
_MARKS = "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff"
_CHARACTER = re.compile(f"[{_CHARACTERS}]")
# Matching runs instead of single letters is 3 times as fast; texts without such characters and marks are faster still.
_WORD = re.compile(f"[{_CHARACTERS}]|(?:[^\\W_{_CHARACTERS}]++|[{_MARKS}]++)+")
_PLAIN_WORD = re.compile("[^\\W_]+")
_NOT_PLAIN = re.compile(f"[{_CHARACTERS}{_MARKS}]")
# U+FDFA and U+FDFB: one character that stands for several Arabic words.
_PHRASE_LIGATURES = ("\ufdfa", "\ufdfb")
# A longer run is a key or encoded data, not a word.
MAX_WORD_CHARS = 100


class Word(NamedTuple):
    folded: str
    start: int
    end: int


def words_of(text: str) -> Iterator[Word]:
    """With their offsets in the text, in code points."""
    has_ligature = _has_ligature(text)
    for found in _pattern(text).finditer(text):
        for part in _parts(found.group()) if has_ligature else (found.group(),):
            if folded := fold(part):
                yield Word(folded, found.start(), found.end())


def words_among(text: str, wanted: Container[str]) -> Iterator[re.Match[str]]:
    """The words that are written in one of the wanted forms, with their offsets; the others are not even folded."""
    return (found for found in _pattern(text).finditer(text) if found.group() in wanted)


def word_at(text: str, start: int) -> re.Match[str] | None:
    """The word that begins there."""
    return _WORD.match(text, start)


def words_in(text: str) -> list[str]:
    """The words as they are written, without their offsets, which is faster."""
    words: list[str] = _pattern(text).findall(text)
    return [part for word in words for part in _parts(word)] if _has_ligature(text) else words


def _pattern(text: str) -> re.Pattern[str]:
    return _WORD if _NOT_PLAIN.search(text) else _PLAIN_WORD


def _has_ligature(text: str) -> bool:
    return not text.isascii() and any(one in text for one in _PHRASE_LIGATURES)


def _parts(word: str) -> list[str]:
    return fold_text(word).split() if _has_ligature(word) else [word]


@lru_cache(maxsize=20_000)
def fold(word: str) -> str:
    # Some marks without a letter are folded to a space and the mark.
    return fold_text(word).replace(" ", "")[:MAX_WORD_CHARS]


def belongs_to_word(character: str) -> bool:
    """A letter, a digit or a mark on one."""
    return _WORD.match(character) is not None


def is_character(word: str) -> bool:
    """A word of a script without spaces, of which no other word is a prefix."""
    return _CHARACTER.fullmatch(word) is not None
