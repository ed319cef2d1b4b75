"""Completions of what is being typed: operators, and values that occur in the user's entries."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import get_args
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.errors import BrokenIndexError
from nexus.search.completion import PartialQuery, can_be_written, read_partial_query
from nexus.search.index import Snapshot
from nexus.search.query import MAX_QUERY_CHARS, OPERATORS, Filter, Query, SearchField, State
from nexus.search.tokenizer import fold, words_in
from nexus.services.library.filters import Filters, build_conditions
from nexus.services.library.tag_names import read_tag_name
from nexus.services.library.tags import list_tags
from nexus.services.search.hits import check_ids
from nexus.services.search.indexes import Indexes
from nexus.services.users import CurrentUser
from nexus.text.unicode_form import fold as fold_text

# As people call them, one name for each.
KINDS = ("article", "paste", "podcast")
# Suggestions for one operator while none was typed: there are others to show.
MAX_PER_OPERATOR = 3
# Looked at for each that is shown: some are of entries that were removed a moment ago.
CANDIDATES = 2
# The newest entries with a value; if none of them is in the library any more, it is not shown.
CHECKED = 3
AUTHORS = text("""
    SELECT media.byline, media.site_name FROM library_media AS entry JOIN media ON media.id = entry.media_id
    WHERE entry.library_id = :library_id AND entry.media_id = ANY(CAST(:ids AS uuid[]))
    ORDER BY entry.created_at DESC, entry.media_id
""")


@dataclass(frozen=True)
class Suggestion:
    """`q`: the query with it."""

    operator: str
    value: str
    count: int | None  # of entries; None: it is not counted
    q: str


@dataclass(frozen=True)
class Value:
    value: str
    count: int | None = None


class Suggestions:
    def __init__(self, session: Session, user: CurrentUser, snapshot: Snapshot | None) -> None:
        self._session = session
        self._user = user
        self._snapshot = snapshot
        self._values: dict[str, Callable[[str, int], Iterable[Value]]] = {
            "tag": self._tags,
            "site": self._sites,
            "author": self._authors,
            "lang": self._languages,
            "before": self._years,
            "after": self._years,
            "kind": lambda begin, _: _beginning_with(begin, KINDS),
            "is": lambda begin, _: _beginning_with(begin, get_args(State)),
            "in": lambda begin, _: _beginning_with(begin, get_args(SearchField)),
        }

    def of(self, partial: PartialQuery, limit: int) -> Iterable[Suggestion]:
        if partial.operator in self._values:
            yield from self._suggest(partial, partial.operator, limit)
        elif partial.operator is None:
            for name in OPERATORS:
                if name.startswith(partial.value.lower()):
                    yield Suggestion(name, "", None, partial.completed(name))
            for operator in ("tag", "site", "author") if partial.value else ():
                yield from self._suggest(partial, operator, MAX_PER_OPERATOR)

    def _suggest(self, partial: PartialQuery, operator: str, limit: int) -> Iterable[Suggestion]:
        found = [one for one in self._values[operator](partial.value, limit) if can_be_written(one.value)]
        for one in found[:limit]:
            yield Suggestion(operator, one.value, one.count, partial.completed(operator, one.value))

    def _tags(self, begin: str, _: int) -> Iterable[Value]:
        """The most used first, by the beginning of any part of them."""
        key = fold_text(begin)
        tags = sorted(list_tags(self._session, self._user), key=lambda tag: -tag.entries)
        for tag in tags:
            name = read_tag_name(tag.name).key
            if name.startswith(key) or any(part.startswith(key) for part in name.replace("/", " ").split()):
                yield Value(tag.name, tag.entries)

    def _sites(self, begin: str, limit: int) -> Iterable[Value]:
        begin = begin.lower().removeprefix("www.")
        return self._checked("site", self._words_beginning_with("domain", begin, limit * CANDIDATES))

    def _languages(self, begin: str, limit: int) -> Iterable[Value]:
        return self._checked("lang", self._words_beginning_with("lang", begin.lower(), limit * CANDIDATES))

    def _years(self, begin: str, limit: int) -> Iterable[Value]:
        """The years in which entries were saved; not counted, since one may mean all before or all after it."""
        years = self._words_beginning_with("year", begin, limit * CANDIDATES) if begin.isdigit() or not begin else []
        checked = self._checked("year", years)
        return [Value(one.value) for one in sorted(checked, key=lambda one: one.value, reverse=True)]

    def _authors(self, begin: str, limit: int) -> Iterable[Value]:
        """By any word of their names, as the entries have them."""
        words = [folded for word in words_in(begin) if (folded := fold(word))]
        if not words or self._snapshot is None:
            return []
        ids: set[UUID] = set()
        for last in self._words_beginning_with("author", words[-1], limit * CANDIDATES):
            ids.update(self._newest(Filter("author", " ".join((*words[:-1], last))), CHECKED)[1])
        rows = self._session.execute(AUTHORS, {"library_id": self._user.default_library_id, "ids": list(ids)})
        names = dict.fromkeys(name for row in rows for name in row if name and _has_words(name, words))
        counted = islice(names, limit * CANDIDATES)
        found = [Value(name, self._newest(Filter("author", name), 1)[0]) for name in counted]
        return sorted(found, key=_by_count)

    def _words_beginning_with(self, field: str, begin: str, limit: int) -> list[str]:
        return self._snapshot.words(field, begin, limit) if self._snapshot else []

    def _checked(self, operator: str, values: Iterable[str]) -> list[Value]:
        """Those that an entry has which is in the library now: the index may be behind. The most frequent first,
        counted here: the engine counts what was removed, too, until it tidies up.
        """
        found = {value: self._newest(Filter(operator, value), CHECKED) for value in values}
        asked = list({media_id for _, ids in found.values() for media_id in ids})
        conditions = build_conditions(self._session, self._user, Filters(), archived="any")
        there = set(check_ids(self._session, conditions, asked)) if asked else set()
        kept = [Value(value, count) for value, (count, ids) in found.items() if there.intersection(ids)]
        return sorted(kept, key=_by_count)

    def _newest(self, one: Filter, limit: int) -> tuple[int, Sequence[UUID]]:
        if self._snapshot is None:
            return 0, ()
        return self._snapshot.newest(Query(filters=(one,)), limit)


def suggest(session: Session, user: CurrentUser, indexes: Indexes, typed: str, *, limit: int) -> list[Suggestion]:
    """For the end of what was typed; nothing where it is whole."""
    partial = read_partial_query(typed) if len(typed) <= MAX_QUERY_CHARS and "\0" not in typed else None
    if partial is None:
        return []
    snapshot = indexes.open(session, user.default_library_id).snapshot
    try:
        return list(Suggestions(session, user, snapshot).of(partial, limit))[:limit]
    except BrokenIndexError as error:
        indexes.report(session, user.default_library_id, error)
        return list(Suggestions(session, user, None).of(partial, limit))[:limit]


def _by_count(one: Value) -> tuple[int, str]:
    return -(one.count or 0), one.value


def _beginning_with(begin: str, values: Iterable[str]) -> list[Value]:
    return [Value(value) for value in values if value.startswith(begin.lower())]


def _has_words(name: str, typed: Sequence[str]) -> bool:
    words = [fold(word) for word in words_in(name)]
    return set(typed[:-1]) <= set(words) and any(word.startswith(typed[-1]) for word in words)
