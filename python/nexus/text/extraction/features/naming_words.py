"""Short texts that name what follows as something else than the article: related stories, comments, the author."""

import re
import tomllib
from functools import cache
from importlib.resources import files

KINDS = ("related", "comments", "author", "sign_up", "tags", "legal")
"""A kind's number is its place here, counted from 1."""
RELATED, COMMENTS = 1, 2
_MAX_CHARS = 60
_WORD = re.compile(r"[^\W_]+")


class _Names:
    def __init__(self, tables: dict[str, dict[str, list[str]]]) -> None:
        numbered = [(number, tables[kind]) for number, kind in enumerate(KINDS, start=1)]
        self.starts = {start + " ": number for number, table in numbered for start in table["starts"]}
        self.headings = frozenset(tables["headings"]["names"])
        self.max_words = max(start.count(" ") for start in self.starts)
        self.part = re.compile("|".join(f"({'|'.join(map(re.escape, table['parts']))})" for _, table in numbered))


@cache
def _names() -> _Names:
    raw = files(__package__).joinpath("naming_words.toml").read_text(encoding="utf-8")
    return _Names(tomllib.loads(raw))


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.lower()) if not word.isdigit()]  # "12 comments"


def named_kind(text: str) -> int:
    """The number of the kind of other content that a short text names, or 0."""
    if len(text) > _MAX_CHARS:
        return 0
    names, start = _names(), ""
    for word in _words(text)[: names.max_words]:
        start += word + " "
        kind = names.starts.get(start)
        if kind:
            return kind
    found = None if text.isascii() else names.part.search(text)
    return found.lastindex or 0 if found else 0


def is_other_heading(text: str) -> bool:
    """Whether a heading as a whole names other content: "Related articles", not "Related work"."""
    return " ".join(_words(text)) in _names().headings if len(text) <= _MAX_CHARS else False
