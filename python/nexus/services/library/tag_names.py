"""The names of tags: one line, nested by "/", the same whatever their case and accents."""

import unicodedata
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from nexus.errors import InvalidTagError
from nexus.text.characters import storable
from nexus.text.unicode_form import fold, normalize

MAX_CHARS = 100
SEPARATOR = "/"


class TagName(NamedTuple):
    name: str
    key: str  # equal for the same tag


def read_tag_name(typed: str) -> TagName:
    parts = [" ".join(_visible(part).split()) for part in storable(typed[: 10 * MAX_CHARS]).split(SEPARATOR)]
    if not all(parts):
        raise InvalidTagError('A tag needs a name, and one on each side of a "/".')
    name = normalize("NFC", SEPARATOR.join(parts))
    if len(name) > MAX_CHARS or len(typed) > 10 * MAX_CHARS:
        raise InvalidTagError(f"The name of a tag has at most {MAX_CHARS} characters; shorten it.")
    return TagName(name, key_of(name))


def read_tag_names(typed: Iterable[str]) -> Mapping[str, TagName]:
    """By their keys, each once."""
    names = [read_tag_name(each) for each in typed]
    return {name.key: name for name in reversed(names)}


def key_of(name: str) -> str:
    # A name of marks alone folds to nothing.
    return SEPARATOR.join(fold(part) or part for part in name.split(SEPARATOR))


def is_below(key: str, parent: str) -> bool:
    return key.startswith(parent + SEPARATOR)


def _visible(text: str) -> str:
    return "".join(" " if unicodedata.category(char) in ("Cc", "Zl", "Zp") else char for char in text)
