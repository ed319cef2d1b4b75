"""The query language: words, "phrases", -word, OR, and operators such as site: or is:unread."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import islice, pairwise
from typing import Literal, get_args

from nexus.errors import InvalidQueryError
from nexus.search.names import name_of
from nexus.search.tokenizer import fold, is_character, words_in

MAX_QUERY_CHARS = 4096
# Terms that are used: those of a longer query are not needed for its ranking.
MAX_TERMS = 64
# Terms that are prefixes: each matches many words.
MAX_PREFIXES = 4
# Thousands of words begin with two or three letters; to find the most frequent of them takes up to 90 ms.
SHORT_PREFIX_CHARS = 3
MAX_SHORT_PREFIXES = 1
# A phrase is several words in a row; each costs some milliseconds in 20 000 texts.
MAX_PHRASES = 8
# Words of one phrase that are used; what comes after them is left out.
MAX_PHRASE_WORDS = 32
MAX_PHRASE_CHARS = 64  # of a script without spaces, where each is a word
# A query of so many words is a long one: rather a sentence than the name of something.
LONG_QUERY_WORDS = 5
# Pairs of characters that are used of a long query in a script without spaces.
MAX_PAIRS = 32
# Too many words begin with one ASCII letter.
MIN_PREFIX_CHARS = 2
SearchField = Literal["title", "text", "notes", "highlights"]
State = Literal["unread", "read", "archived", "starred", "highlighted"]
OPERATORS = ("tag", "site", "author", "kind", "is", "in", "lang", "before", "after")
# What may be typed, and the kind of media that it means.
KINDS = {
    "article": "web_article",
    "paste": "pasted_text",
    "text": "pasted_text",
    "podcast": "podcast_episode",
    "episode": "podcast_episode",
}
QUOTES = '"“”„«»'
TOKEN = re.compile(
    rf"(?P<minus>-?)(?:(?P<operator>[a-zA-Z]+):)?(?:[{QUOTES}](?P<phrase>[^{QUOTES}]*)(?:[{QUOTES}]|$)|(?P<plain>\S+))"
)
_DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")


@dataclass(frozen=True)
class Term:
    """Words as typed, one after the other; `is_exact`: in quotes."""

    words: tuple[str, ...]
    is_exact: bool = False
    is_prefix: bool = False
    """The last word may go on: it is still being typed, or ends with *."""
    name: str | None = None


@dataclass(frozen=True)
class Filter:
    """A filter of an operator that was typed, or of the program: `host`, `year`, `status`, `min_seconds`,
    `max_seconds` and `until` cannot be typed."""

    name: str
    value: str
    is_wanted: bool = True


@dataclass(frozen=True)
class Query:
    """Every group has to match, by any of its terms."""

    groups: tuple[tuple[Term, ...], ...] = ()
    unwanted: tuple[Term, ...] = ()
    filters: tuple[Filter, ...] = ()
    fields: tuple[SearchField, ...] = field(default=())
    """The fields that are searched; empty: all of them."""


def split_group(group: tuple[Term, ...]) -> Iterator[tuple[Term, ...]]:
    """A long run of characters of a script without spaces is a long query, too: it becomes its pairs of characters."""
    if len(group) == 1 and not group[0].is_exact and len(group[0].words) >= LONG_QUERY_WORDS:
        words = group[0].words
        if all(map(is_character, words)):
            yield from ((Term(pair),) for pair in islice(pairwise(words), MAX_PAIRS))
            return
    yield group


def read_query(typed: str) -> Query:
    if "\0" in typed:
        raise InvalidQueryError("The search contains a NUL character; type it again.")
    if len(typed) > MAX_QUERY_CHARS:
        raise InvalidQueryError(f"A search has at most {MAX_QUERY_CHARS} characters; use fewer words.")
    reader = _Reader()
    for token in TOKEN.finditer(typed):
        reader.read(token, is_last=token.end() == len(typed))
    query = reader.query()
    if not query.groups and not query.filters and not query.unwanted:
        raise InvalidQueryError("Type a word to search for.")
    return query


class _Reader:
    def __init__(self) -> None:
        self.groups: list[list[Term]] = []
        self.unwanted: list[Term] = []
        self.filters: dict[Filter, None] = {}
        self.fields: dict[SearchField, None] = {}
        self._joins = False
        self._terms = 0
        self._prefixes = 0
        self._short_prefixes = 0
        self._phrases = 0

    def read(self, token: re.Match[str], *, is_last: bool) -> None:
        if token["plain"] == "OR" and not token["minus"] and not token["operator"]:
            self._joins = bool(self.groups) and not is_last
            return
        if token["operator"] and self._read_operator(token):
            self._joins = False
            return
        term = _term(token, is_last=is_last)
        if term is None or self._terms == MAX_TERMS:
            return
        self._add(term, is_wanted=not token["minus"])
        self._joins = False

    def _add(self, term: Term, *, is_wanted: bool) -> None:
        if len(term.words) > 1:
            self._phrases += 1
            if self._phrases > MAX_PHRASES:
                return
        self._terms += 1
        if term.is_prefix:
            self._prefixes += 1
            is_short = len(fold(term.words[-1])) <= SHORT_PREFIX_CHARS
            self._short_prefixes += is_short
            is_one_too_many = is_short and self._short_prefixes > MAX_SHORT_PREFIXES
            term = replace(term, is_prefix=self._prefixes <= MAX_PREFIXES and not is_one_too_many)
        if not is_wanted:
            self.unwanted.append(replace(term, is_exact=True))  # the word as typed, not its other forms
        elif self._joins:
            self.groups[-1].append(term)
        else:
            self.groups.append([term])

    def _read_operator(self, token: re.Match[str]) -> bool:
        """False: it is no operator, and is searched as text."""
        name, value = token["operator"].lower(), (token["phrase"] or token["plain"] or "").strip()
        if name == "in" and value.lower() in get_args(SearchField) and not token["minus"]:
            self.fields[value.lower()] = None  # type: ignore[index] # checked just now
            return True
        read = _FILTERS.get(name)
        known = read(value) if read and value else None
        if known is None:
            return False
        self.filters[Filter(name, known, is_wanted=not token["minus"])] = None
        return True

    def query(self) -> Query:
        return Query(
            tuple(tuple(dict.fromkeys(group)) for group in self.groups),
            tuple(dict.fromkeys(self.unwanted)),
            tuple(self.filters)[:MAX_TERMS],
            tuple(self.fields),
        )


def _term(token: re.Match[str], *, is_last: bool) -> Term | None:
    plain = token["plain"]
    typed = f"{token['operator']}:{plain or token['phrase']}" if token["operator"] else plain or token["phrase"]
    words = [word for word in words_in(typed) if fold(word)]
    if not words:
        return None
    chosen = tuple(words[: MAX_PHRASE_CHARS if all(map(is_character, words)) else MAX_PHRASE_WORDS])
    if plain is None:
        return Term(chosen, is_exact=True)
    last = words[-1]
    # The last word is a prefix while it is being typed; a space after it means that it is complete.
    is_open = typed.endswith(last + "*") or (is_last and typed.endswith(last) and not token["minus"])
    is_prefix = is_open and len(chosen) == len(words) and _can_be_prefix(last)
    return Term(chosen, is_prefix=is_prefix, name=name_of(typed))


def _can_be_prefix(word: str) -> bool:
    folded = fold(word)
    return not is_character(word) and (len(folded) >= MIN_PREFIX_CHARS or not folded.isascii())


def _read_date(value: str) -> str | None:
    found = _DATE.fullmatch(value)
    if not found:
        return None
    try:
        return date(*(int(part or 1) for part in found.groups())).isoformat()
    except ValueError:
        return None


def _read_kind(value: str) -> str:
    return KINDS.get(value.lower(), value.lower())


def _read_state(value: str) -> str | None:
    return value.lower() if value.lower() in get_args(State) else None


_FILTERS: dict[str, Callable[[str], str | None]] = {
    "site": str.lower,
    "author": str,
    "tag": str,
    "kind": _read_kind,
    "lang": str.lower,
    "before": _read_date,
    "after": _read_date,
    "is": _read_state,
}
