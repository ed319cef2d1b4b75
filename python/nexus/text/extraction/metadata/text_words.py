"""The words of a text, and what short texts (titles, names, sites) are compared by."""

import re

# Scripts without spaces are compared character by character.
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_NOT_LETTER = re.compile(r"[\W_]+")
_HAN_OR_KANA = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_CHARS_PER_WORD = 2


def key(text: str) -> str:
    """Equal for texts that differ only in case, spaces and punctuation."""
    return _NOT_LETTER.sub("", text.casefold())


def words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def word_count(text: str) -> int:
    """Two Chinese or Japanese characters count as a word."""
    found = _WORD.findall(text)
    single = sum(1 for word in found if _HAN_OR_KANA.match(word))
    return len(found) - single + (single + 1) // _CHARS_PER_WORD


def mostly_in(text: str, shown: set[str]) -> bool:
    found = set(words(text))
    return 2 * len(found & shown) > len(found)


def has_han(text: str) -> bool:
    return _HAN_OR_KANA.search(text) is not None
