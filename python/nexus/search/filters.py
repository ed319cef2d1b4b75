"""The filters of a query, as the engine runs them; they do not change the order of hits."""

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta

from tantivy import FieldType, Occur, Query

from nexus.search.query import Filter
from nexus.search.schema import schema
from nexus.search.tokenizer import fold, words_in
from nexus.system.epoch import EPOCH
from nexus.text.unicode_form import fold as fold_text

Clause = tuple[Occur, Query]


def engine_filters(filters: Iterable[Filter]) -> list[Clause]:
    return [_clause(one) for one in filters]


def _clause(one: Filter) -> Clause:
    query = _QUERIES[one.name](one.value)
    if not one.is_wanted:
        return Occur.MustNot, query
    return Occur.Must, Query.const_score_query(query, 0.0)


def _term(field: str) -> Callable[[str], Query]:
    return lambda value: Query.term_query(schema(), field, value)


def _author(value: str) -> Query:
    words = [folded for word in words_in(value) if (folded := fold(word))]
    if not words:
        return Query.empty_query()
    return Query.boolean_query([(Occur.Must, Query.term_query(schema(), "author", word)) for word in words])


def _day(value: str) -> int:
    return microseconds(datetime.fromisoformat(value).replace(tzinfo=UTC))


def _from(field: str, read: Callable[[str], int]) -> Callable[[str], Query]:
    return lambda value: Query.range_query(schema(), field, FieldType.Integer, lower_bound=read(value))


def _before(value: str) -> Query:
    """Without the day itself."""
    return Query.range_query(schema(), "saved_at", FieldType.Integer, upper_bound=_day(value), include_upper=False)


def _up_to(field: str) -> Callable[[str], Query]:
    return lambda value: Query.range_query(schema(), field, FieldType.Integer, upper_bound=int(value))


def fold_path(tag: str) -> str:
    """The form in which tags are compared: without case, accents and the spaces around the parts."""
    parts = (" ".join(part.split()) for part in tag.split("/"))
    return "/".join(fold_text(part).replace("/", "\u2215") or part for part in parts)


_QUERIES: dict[str, Callable[[str], Query]] = {
    "site": lambda value: Query.term_query(schema(), "domain", value.removeprefix("www.")),
    "host": _term("site"),
    "author": _author,
    "tag": lambda value: Query.term_query(schema(), "tag", fold_path(value)),
    "kind": _term("kind"),
    "lang": _term("lang"),
    "year": _term("year"),
    "before": _before,
    "after": _from("saved_at", _day),
    "until": _up_to("saved_at"),
    "is": _term("state"),
    "status": lambda value: Query.term_query(schema(), "state", f"status:{value}"),
    "min_seconds": _from("seconds", int),
    "max_seconds": _up_to("seconds"),
}


def microseconds(moment: datetime) -> int:
    return (moment - EPOCH) // timedelta(microseconds=1)


def with_parents(tag: str) -> Iterator[str]:
    """The tag and its parents: it is found by each of them."""
    parts = fold_path(tag).split("/")
    return ("/".join(parts[:count]) for count in range(1, len(parts) + 1))
