"""Words of class names and of short texts, each with its log-odds for main text."""

import re
from dataclasses import dataclass

from lxml import etree

_CLASS_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]{2,}")
_TEXT_WORD = re.compile(r"[^\W\d_]+|\d+|[©|»\u203a→•…]")
_MIN_CHARS, _MAX_CHARS = 2, 20
_SHORT_TEXT = 200


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Log-odds per token; a missing token counts 0. `weights` were fitted together instead of word by word, their
    keys contain the token's place (see token_score.py) and "" is the constant."""

    path: dict[str, float]
    text: dict[str, float]
    weights: dict[str, float]


def class_tokens(raw: str) -> list[str]:
    """Each word once, in order: scores are float sums, and a set's order changes from process to process."""
    words = dict.fromkeys(word.lower() for word in _CLASS_WORD.findall(raw))
    return [w for w in words if _MIN_CHARS < len(w) < _MAX_CHARS]


def text_tokens(text: str) -> list[str]:
    """Only for short blocks; digits count as one word, "Page 7" is "Page 3"."""
    words = {"0" if w[0].isdigit() else w for w in _TEXT_WORD.findall(text[:_SHORT_TEXT].lower())}
    return sorted(words) if len(text) <= _SHORT_TEXT else []


def naming(element: etree._Element) -> str:
    return " ".join(str(value) for key, value in element.items() if key in ("class", "id", "itemprop"))
