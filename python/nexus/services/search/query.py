"""The query language of the search: words, "phrases in quotes", -words that must not occur."""

import re
from dataclasses import dataclass

from nexus.errors import InvalidQueryError
from nexus.services.search.passages import quoted
from nexus.services.search.tokenizer import is_character, words_of

MAX_QUERY_CHARS = 500
MAX_TERMS = 20
# Too many words begin with one ASCII letter.
MIN_PREFIX_CHARS = 2
_TERM = re.compile(r'(?P<minus>-?)(?:["“”„«»](?P<phrase>[^"“”„«»]*)(?:["“”„«»]|$)|(?P<plain>\S+))')


@dataclass(frozen=True)
class Term:
    """Words that follow each other; the last one may be a prefix."""

    words: tuple[str, ...]
    is_prefix: bool = False

    def as_tsquery(self) -> str:
        return " <-> ".join(map(quoted, self.words)) + (":*" if self.is_prefix else "")


@dataclass(frozen=True)
class Query:
    wanted: tuple[Term, ...]
    unwanted: tuple[Term, ...]


def read_query(typed: str) -> Query:
    if "\0" in typed:
        raise InvalidQueryError("The search holds a NUL character; type it again.")
    if len(typed) > MAX_QUERY_CHARS:
        raise InvalidQueryError(f"A search has at most {MAX_QUERY_CHARS} characters; use fewer words.")
    wanted: dict[Term, None] = {}
    unwanted: dict[Term, None] = {}
    for found in _TERM.finditer(typed):
        if term := _term(found, is_last=found.end() == len(typed)):
            (unwanted if found["minus"] else wanted)[term] = None
    if len(wanted) + len(unwanted) > MAX_TERMS:
        raise InvalidQueryError(f"A search has at most {MAX_TERMS} words; leave some out.")
    if not wanted:
        raise InvalidQueryError(
            "Type a word to look for; -word only leaves out." if unwanted else "Type a word to look for."
        )
    return Query(tuple(wanted), tuple(unwanted))


def _term(found: re.Match[str], *, is_last: bool) -> Term | None:
    plain = found["plain"]
    typed = plain if plain is not None else found["phrase"]
    words = list(words_of(typed))
    if not words:
        return None
    # The last word is a prefix while it is being typed; a space after it, quotes or a minus say that it is whole.
    last = words[-1]
    is_open = is_last and plain is not None and last.end == len(typed) and not found["minus"]
    can_be_prefix = not is_character(last.folded) and (
        len(last.folded) >= MIN_PREFIX_CHARS or not last.folded.isascii()
    )
    return Term(tuple(word.folded for word in words), is_prefix=is_open and can_be_prefix)
