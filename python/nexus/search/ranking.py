"""Translates a query into what the engine runs: BM25 over weighted fields; entries with all words come first.

Weights were chosen on the development collection (bench/search): words of a long query count as often as they are
repeated, and titles weigh less for long queries than for short ones, which are often the name of what is searched.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate

from tantivy import Occur, Searcher
from tantivy import Query as EngineQuery

from nexus.search.filters import engine_filters
from nexus.search.languages import is_stop_word, stems_in
from nexus.search.pairs import pairs_of
from nexus.search.query import LONG_QUERY_WORDS, Query, Term, split_group
from nexus.search.schema import EXACT, STEMS, schema
from nexus.search.tokenizer import fold

SHORT_WEIGHTS = {"title": 2.0, "headings": 0.6, "text": 1.0, "notes": 0.8, "highlights": 0.8}
LONG_WEIGHTS = {"title": 0.2, "headings": 0.1, "text": 1.0, "notes": 0.5, "highlights": 0.5}
SOURCE_WEIGHT = 0.5
# A name as it was written ranks above its words in a row: "real-time" also finds "real time".
NAME_WEIGHT = 1.0
# More than any sum of BM25 scores, so that entries with all the words come first.
ALL_WORDS_SCORE = 1000.0
# Words that a prefix matches; the most frequent ones are used.
MAX_EXPANSIONS = 50
# Terms that are looked up in a field: enough to rank by, few enough to be quick whatever is typed.
MAX_CLAUSES = 32
# Entries that have any of the words, counted for each word; each costs 50 nanoseconds. Above this the most frequent
# words are left out, since they distinguish least.
MAX_ENTRIES = 2_000_000
# How many positions of words are compared for the phrases of a query, each in about half a microsecond. For phrases
# beyond this an entry only needs all of their words, in any order.
MAX_COMPARED = 120_000
# Long fields; in the short ones comparing positions takes no longer than finding the entries.
COMPARED_FIELDS = ("text_exact", "notes_exact", "highlights_exact")


class PhraseBudget:
    """The limit for the phrases of one query: eight phrases of the most frequent words took 250 ms in 20 000 texts."""

    def __init__(self) -> None:
        self.compared = 0
        self.candidates = 0
        """The most entries that can have all words of a phrase; each of them is checked for the words in a row."""

    def allows(self, compared: int) -> bool:
        """The first phrase is always compared, at any cost."""
        is_allowed = self.compared < MAX_COMPARED
        if is_allowed:
            self.compared += compared
        return is_allowed


@dataclass(frozen=True)
class Ranking:
    """How the terms of a query are looked up. `languages`: the languages of the library's texts."""

    searcher: Searcher
    languages: Sequence[str]
    weights: Mapping[str, float]
    budget: PhraseBudget
    sample: EngineQuery | None = None
    """If it is set, phrases are compared only in the entries that match it."""

    def term(self, term: Term) -> EngineQuery | None:
        """None: no word of it is in the index."""
        options = [option for option in self._options(term) if option is not None]
        return EngineQuery.disjunction_max_query(options, 0.1) if options else None

    def _options(self, term: Term) -> Iterator[EngineQuery | None]:
        if term.name and self.searcher.doc_freq("names", term.name):
            yield EngineQuery.boost_query(_word("names", term.name), NAME_WEIGHT)
            if len(term.words) == 1:  # without its punctuation C++ is only a letter
                return
        for field, weight in self.weights.items():
            for option in self._in_field(term, field):
                yield EngineQuery.boost_query(option, weight)
        yield from self._in_source(term)

    def _in_field(self, term: Term, field: str) -> Iterator[EngineQuery]:
        words = [fold(word) for word in term.words]
        if len(words) > 1 and field == "text" and (pairs := pairs_of(words)):
            yield from self._pairs("text_pairs", pairs)
        elif len(words) > 1:
            yield from self._phrases(field + EXACT, words)
        elif term.is_exact:
            yield from self._word(field + EXACT, words[0])
        else:
            yield from self._stems(field + STEMS, term.words[0])
        if term.is_prefix and len(words) == 1:
            yield from self._prefix(field + EXACT, words[0])

    def _stems(self, field: str, word: str) -> Iterator[EngineQuery]:
        """Each stem is weighted as if it were as frequent as all of them together: else the stem of a language that few
        texts have would outweigh the others.

        Two of 1 460 texts, which had no language, came first for most queries: nDCG@10 was 0.368 instead of 0.410.
        """
        found = {stem: self.searcher.doc_freq(field, stem) for stem in stems_in(word, self.languages)}
        together = self._rarity(sum(found.values()))
        for stem, entries in found.items():
            if entries:
                yield EngineQuery.boost_query(_word(field, stem), together / self._rarity(entries))

    def _rarity(self, entries: int) -> float:
        """The inverse document frequency of BM25, as the engine computes it."""
        total = max(self.searcher.num_docs, entries)
        return math.log(1 + (total - entries + 0.5) / (entries + 0.5))

    def _prefix(self, field: str, prefix: str) -> Iterator[EngineQuery]:
        found = [word for word, _ in self.searcher.terms_with_prefix(field, prefix, limit=MAX_EXPANSIONS)]
        if found:
            # A constant score, below that of a whole word: which ending is meant is not known.
            yield EngineQuery.const_score_query(EngineQuery.term_set_query(schema(), field, found), 0.5)

    def _in_source(self, term: Term) -> Iterator[EngineQuery]:
        words = [fold(word) for word in term.words]
        for option in self._phrases("source", words) if len(words) > 1 else self._word("source", words[0]):
            yield EngineQuery.boost_query(option, SOURCE_WEIGHT)

    # Fields without the word are left out: with a single field the engine can skip most entries.
    def _phrases(self, field: str, words: Sequence[str]) -> Iterator[EngineQuery]:
        least = min(self.searcher.doc_freq(field, word) for word in set(words))
        if least and self.budget.allows(least * len(words) if field in COMPARED_FIELDS else 0):
            yield self._phrase(field, words, least)
        elif least:
            yield EngineQuery.boolean_query([(Occur.Must, _word(field, word)) for word in dict.fromkeys(words)])

    def _pairs(self, field: str, pairs: Sequence[str]) -> Iterator[EngineQuery]:
        """A text has each pair once or twice, so comparing their positions takes no longer than finding the texts."""
        if len(pairs) == 1:
            yield from self._word(field, pairs[0])
        elif least := min(self.searcher.doc_freq(field, pair) for pair in set(pairs)):
            yield self._phrase(field, pairs, least)

    def _phrase(self, field: str, words: Sequence[str], candidates: int) -> EngineQuery:
        """The sample is a clause beside each phrase: around the whole query the engine would check every entry
        first."""
        self.budget.candidates += candidates
        phrase = EngineQuery.phrase_query(schema(), field, list(words))
        if self.sample is None:
            return phrase
        return EngineQuery.boolean_query([(Occur.Must, self.sample), (Occur.Must, phrase)])

    def _word(self, field: str, word: str) -> Iterator[EngineQuery]:
        if self.searcher.doc_freq(field, word):
            yield _word(field, word)


def engine_query(query: Query, searcher: Searcher, languages: Sequence[str]) -> tuple[EngineQuery, PhraseBudget]:
    """The query for entries that match the filters and have none of the unwanted terms, best first; and the budget that
    says what comparing its phrases costs in each run."""
    return _Builder(searcher, languages).build(query)


def sampled_query(query: Query, searcher: Searcher, languages: Sequence[str]) -> EngineQuery:
    """The same query, for the entries of one sample."""
    sample = _word("sample", "0")
    found, _ = _Builder(searcher, languages, sample).build(query)
    return EngineQuery.boolean_query([(Occur.Must, sample), (Occur.Must, found)])


class _Builder:
    def __init__(self, searcher: Searcher, languages: Sequence[str], sample: EngineQuery | None = None) -> None:
        self._searcher = searcher
        self._languages = languages
        self._budget = PhraseBudget()
        self._ranking = partial(Ranking, searcher, languages, budget=self._budget, sample=sample)

    def build(self, query: Query) -> tuple[EngineQuery, PhraseBudget]:
        clauses = [(Occur.Must, wanted) for wanted in self._wanted(query)]
        everywhere = self._ranking(weights=SHORT_WEIGHTS)
        unwanted = [found for term in query.unwanted if (found := everywhere.term(term))]
        clauses += [(Occur.MustNot, found) for found in unwanted]
        clauses += engine_filters(query.filters)
        if all(occur == Occur.MustNot for occur, _ in clauses):
            clauses.append((Occur.Must, EngineQuery.all_query()))
        return EngineQuery.boolean_query(clauses), self._budget

    def _wanted(self, query: Query) -> Iterator[EngineQuery]:
        groups = _count_groups(query, self._languages)
        if not groups:
            return
        groups = Counter({group: groups[group] for group in self._affordable(groups)})
        is_long = sum(groups.values()) >= LONG_QUERY_WORDS
        weights = dict(LONG_WEIGHTS if is_long else SHORT_WEIGHTS)
        if query.fields:
            weights = {field: weights[field] for field in query.fields}
        ranking = self._ranking(weights=weights)
        found = [(self._any_of(ranking, group), count) for group, count in groups.items()]
        some = [(Occur.Should, EngineQuery.boost_query(one, float(count))) for one, count in found if one]
        if not some:
            yield EngineQuery.empty_query()
            return
        some = some[:MAX_CLAUSES]
        if all(one for one, _ in found) and len(some) > 1:
            every = EngineQuery.boolean_query([(Occur.Must, one) for one, _ in found[:MAX_CLAUSES] if one])
            some.append((Occur.Should, EngineQuery.const_score_query(every, ALL_WORDS_SCORE)))
        yield EngineQuery.boolean_query(some)

    def _any_of(self, ranking: Ranking, group: tuple[Term, ...]) -> EngineQuery | None:
        affordable = self._affordable([(term,) for term in group[:MAX_CLAUSES]])
        found = [one for (term,) in affordable if (one := ranking.term(term))]
        return EngineQuery.disjunction_max_query(found) if len(found) > 1 else found[0] if found else None

    def _affordable(self, groups: Iterable[tuple[Term, ...]]) -> list[tuple[Term, ...]]:
        """Without the most frequent groups of a query that matches too many entries; never fewer than
        LONG_QUERY_WORDS."""
        given = list(groups)
        if len(given) <= LONG_QUERY_WORDS:
            return given
        entries = {group: sum(map(self._entries, group)) for group in given}
        rarest = sorted(given, key=lambda group: entries[group])
        sums = accumulate(entries[group] for group in rarest)
        many = {group for group, total in zip(rarest, sums, strict=True) if total > MAX_ENTRIES}
        left_out = many.difference(rarest[:LONG_QUERY_WORDS])
        return [group for group in given if group not in left_out]

    def _entries(self, term: Term) -> int:
        """How many entries have the word in their text; 0 for a phrase, which few have."""
        if len(term.words) > 1:
            return 0
        return max(self._searcher.doc_freq("text" + STEMS, stem) for stem in stems_in(term.words[0], self._languages))


def _count_groups(query: Query, languages: Sequence[str]) -> Counter[tuple[Term, ...]]:
    """How often the query has each group. A long query loses its stop words, unless it has nothing else."""
    groups = Counter(group for wanted in query.groups for group in split_group(wanted))
    if sum(groups.values()) < LONG_QUERY_WORDS:
        return groups
    significant = {group: count for group, count in groups.items() if not _is_stop_word(group, languages)}
    return Counter(significant) or groups


def _is_stop_word(group: tuple[Term, ...], languages: Sequence[str]) -> bool:
    return (
        len(group) == 1
        and not group[0].is_exact
        and len(group[0].words) == 1
        and is_stop_word(group[0].words[0], languages or ("en",))
    )


def _word(field: str, word: str) -> EngineQuery:
    return EngineQuery.term_query(schema(), field, word)
