"""Cleans the name of an author: no "By", role, date, handle, address or placeholder."""

from html import unescape

from nexus.text.characters import one_line
from nexus.text.extraction.metadata import name_patterns as patterns
from nexus.text.extraction.metadata.name_shape import is_written_like_names
from nexus.text.extraction.metadata.text_words import key

_MAX_CHARS = 120
_MAX_WORDS = 14
_MAX_NAMES = 10
_EDGES = ' ,;:"|/·•»\u2013—-('


def clean_name(text: str) -> str:
    """Empty where nobody is named."""
    name = one_line(patterns.TAG.sub(" ", unescape(text[: 4 * _MAX_CHARS])))
    name = patterns.HANDLE.sub(" ", patterns.ADDRESS.sub(" ", name))
    name = one_line(patterns.EMPTY_BRACKETS.sub(" ", name)).strip(_EDGES)
    name = _drop_repetition(next((part for part in map(_without_dashes, patterns.SPLIT.split(name)) if part), ""))
    if len(name) > _MAX_CHARS or len(name.split()) > _MAX_WORDS or not patterns.LETTER.search(name):
        return ""
    is_nobody = key(name) in patterns.NOBODY or patterns.MACHINE.match(name)
    return "" if is_nobody or patterns.DATE.match(name) or patterns.YEAR.search(name) else name


def _without_dashes(text: str) -> str:
    """Without those parts between dashes that name nobody."""
    return " - ".join(part for part in map(_clean_part, patterns.DASH.split(text)) if part)


def _clean_part(text: str) -> str:
    name = text
    if patterns.OTHER_PEOPLE.match(name):
        return ""
    for _ in range(2):
        name = patterns.LEADING.sub("", patterns.NOISE.sub("", patterns.BY.sub("", name))).strip(_EDGES)
    if patterns.ROLE_ALONE.match(name) or key(name) in patterns.NOBODY:
        return ""
    name = patterns.MORE.sub("", name)
    undated = patterns.WHEN.sub("", name)
    if undated != name:
        name = patterns.BEFORE_DATE.sub("", patterns.BEFORE_DATE.sub("", undated.strip(_EDGES))).strip(_EDGES)
    shorter = patterns.ROLE_AFTER_COMMA.sub("", patterns.ROLE_BEHIND.sub("", name)).strip(_EDGES)
    # "Letters to the Editor"
    shorter = shorter if "(" in shorter else shorter.rstrip(" )")
    return name if shorter.casefold().endswith((" the", " of", " to")) else shorter


def _drop_repetition(name: str) -> str:
    """ "Ada Lovelace Ada Lovelace" and "Ada LovelaceAda Lovelace"."""
    half = len(name) // 2
    for first, second in ((name[:half], name[half:]), (name[:half], name[half + 1 :])):
        if len(first) > 3 and first.strip(" ,").casefold() == second.strip(" ,").casefold():  # noqa: PLR2004
            return first.strip(" ,")
    return name


def join_names(names: list[str]) -> str:
    """Names that hold a comma themselves ("Doe, Jane") are joined by semicolons."""
    kept: dict[str, str] = {}
    for name in names:
        kept.setdefault(key(name), name)
    named = [name for name in kept.values() if name][:_MAX_NAMES]
    # "Ada Lovelace, Head of Looms" beside "Ada Lovelace"
    found = [name for name in named if not any(name.startswith(f"{other},") for other in named)]
    return ("; " if any("," in name for name in found) and len(found) > 1 else ", ").join(found)


def named_after_by(line: str, following: str) -> str:
    """The name in a line like "By Ada Lovelace" or "作者：…", or in the next one after a lone "By"."""
    if patterns.BY_ALONE.match(line):
        name = clean_name(following)
        # In an element of its own also the name of a user, "ada".
        is_user = not name[:1].isupper() and " " not in name
        return name if is_user or is_written_like_names(name) else ""
    han = patterns.HAN_BY.match(line)
    if han:
        return clean_name(han[1])
    if not patterns.BY_LINE.match(line):
        return ""
    name = clean_name(line)
    return name if is_written_like_names(name) else ""


def is_byline(line: str) -> bool:
    """Whether a line begins like a byline ("By …", "作者：…")."""
    return bool(patterns.BY_LINE.match(line) or patterns.BY_ALONE.match(line) or patterns.HAN_BY.match(line))
