"""The names of tags: one line, nested by "/", the same whatever their case and accents."""

import unicodedata
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from nexus.errors import InvalidTagError
from nexus.text.characters import one_line, storable
from nexus.text.unicode_form import fold, normalize

MAX_CHARS = 100
SEPARATOR = "/"
FULL_WIDTH = "\uff0f"  # the same character on Chinese and Japanese keyboards
# What stands for it inside a key: some characters, such as that for "care of", fold to letters with a "/" between them.
NO_SEPARATOR = "\u2215"


class TagName(NamedTuple):
    name: str
    key: str  # equal for the same tag


def read_tag_name(typed: str) -> TagName:
    given = storable(typed[: 10 * MAX_CHARS]).replace(FULL_WIDTH, SEPARATOR)
    parts = [one_line(part) for part in given.split(SEPARATOR)]
    if not all(map(_can_be_seen, parts)):
        raise InvalidTagError('A tag needs a name, and a name on each side of a "/".')
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
    parts = name.split(SEPARATOR)
    return SEPARATOR.join(fold(part).replace(SEPARATOR, NO_SEPARATOR) or part for part in parts)


def is_below(key: str, parent: str) -> bool:
    return key.startswith(parent + SEPARATOR)


def is_same_or_below(key: str, parent: str) -> bool:
    return key == parent or is_below(key, parent)


def move_name(name: TagName, old: TagName, new: TagName) -> TagName:
    """The name after `old` was renamed to `new`."""
    if not is_same_or_below(name.key, old.key):
        return name
    # By parts: a key may be longer than its name.
    below = name.name.split(SEPARATOR)[old.name.count(SEPARATOR) + 1 :]
    moved = SEPARATOR.join([new.name, *below])
    if len(moved) > MAX_CHARS:
        raise InvalidTagError(f"“{moved}” would be longer than {MAX_CHARS} characters; choose a shorter name.")
    return TagName(moved, key_of(moved))


def _can_be_seen(part: str) -> bool:
    return any(unicodedata.category(char) != "Cf" and not char.isspace() for char in part)
