"""The words of highlights, and what a search among them means, in PostgreSQL's notation of both.

The search index is of texts; highlights are few and short, and have a column of words of their own.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from nexus.errors import InvalidQueryError
from nexus.search.query import Term, read_query
from nexus.search.tokenizer import fold, words_in

# Far below the limits of a tsvector: 16 383 positions, 255 of each word, a megabyte in all.
MAX_WORDS = 4000
MAX_POSITIONS = 255
MAX_SEARCHED_CHARS = 20_000  # of a quote


def words_of(quote: str, note: str | None) -> str:
    """What a highlight is found by."""
    return vector_of(f"{note or ''}\n{quote[:MAX_SEARCHED_CHARS]}")


def vector_of(text: str) -> str:
    """A tsvector: each word with its positions."""
    positions: defaultdict[str, list[str]] = defaultdict(list)
    for position, word in enumerate(_folded(words_in(text)[:MAX_WORDS]), start=1):
        positions[word].append(str(position))
    return " ".join(f"{_quoted(word)}:{','.join(at[:MAX_POSITIONS])}" for word, at in positions.items())


def tsquery_of(typed: str) -> str:
    query = read_query(typed)
    if query.filters:
        name = query.filters[0].name
        raise InvalidQueryError(f"Highlights cannot be searched by {name}: here; choose tags and colours instead.")
    wanted = [" | ".join(terms) for group in query.groups if (terms := _terms(group))]
    if not wanted:
        raise InvalidQueryError(
            "Type a word to search for; -word only excludes." if query.unwanted else "Type a word to search for."
        )
    unwanted = [f"!({term})" for term in _terms(query.unwanted)]
    return " & ".join(f"({part})" for part in (*wanted, *unwanted))


def _terms(terms: Iterable[Term]) -> list[str]:
    """Without those that have no letter: a mark that stands alone."""
    made = ((term, " <-> ".join(map(_quoted, _folded(term.words)))) for term in terms)
    return [words + (":*" if term.is_prefix else "") for term, words in made if words]


def _folded(words: Iterable[str]) -> Iterator[str]:
    return filter(None, map(fold, words))


def _quoted(word: str) -> str:
    return "'" + word.replace("\\", "\\\\").replace("'", "''") + "'"
