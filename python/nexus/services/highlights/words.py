"""The words of highlights, and what a search among them means, in PostgreSQL's notation of both.

The search index is of texts; highlights are few and short, and have a column of words of their own.
"""

from collections import defaultdict

from nexus.errors import InvalidQueryError
from nexus.search.query import Term, read_query
from nexus.search.tokenizer import fold, words_in

# Far below the limits of a tsvector: 16 383 positions, 255 of each word, a megabyte in all.
MAX_WORDS = 4000
MAX_POSITIONS = 255


def vector_of(text: str) -> str:
    """A tsvector: each word with its positions."""
    positions: defaultdict[str, list[str]] = defaultdict(list)
    for position, word in enumerate(words_in(text)[:MAX_WORDS], start=1):
        if folded := fold(word):
            positions[folded].append(str(position))
    return " ".join(f"{_quoted(word)}:{','.join(at[:MAX_POSITIONS])}" for word, at in positions.items())


def tsquery_of(typed: str) -> str:
    query = read_query(typed)
    if query.filters:
        name = query.filters[0].name
        raise InvalidQueryError(f"Highlights cannot be searched by {name}: here; choose tags and colours instead.")
    if not query.groups:
        raise InvalidQueryError(
            "Type a word to look for; -word only leaves out." if query.unwanted else "Type a word to look for."
        )
    wanted = [" | ".join(map(_term, group)) for group in query.groups]
    unwanted = [f"!({_term(term)})" for term in query.unwanted]
    return " & ".join(f"({part})" for part in (*wanted, *unwanted))


def _term(term: Term) -> str:
    return " <-> ".join(_quoted(fold(word)) for word in term.words) + (":*" if term.is_prefix else "")


def _quoted(word: str) -> str:
    return "'" + word.replace("\\", "\\\\").replace("'", "''") + "'"
