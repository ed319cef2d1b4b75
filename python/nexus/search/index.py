"""The index of one library in a directory: searched by any process, written by the one that holds its lock.

It is derived from rows and can be thrown away at any time.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple
from uuid import UUID

from tantivy import DocAddress, Index, IndexWriter, Order, Searcher, SearchResult
from tantivy import Query as EngineQuery

from nexus.errors import BrokenIndexError
from nexus.search.corrections import correct
from nexus.search.documents import EntryText, document_of
from nexus.search.languages import STEMMERS
from nexus.search.query import Query
from nexus.search.ranking import PhraseBudget, engine_query, sampled_query
from nexus.search.related import related_query
from nexus.search.schema import schema, tokenizers

Sort = Literal["relevance", "newest"]
# The engine's own file, written with each commit.
META = "meta.json"
# The engine's minimum; a batch of texts is smaller.
WRITER_BYTES = 30_000_000
# Of a library with more languages than this, the most frequent are searched with stems, the others without.
MAX_LANGUAGES = 4
MAX_FACETS = 20
# Equal scores are sorted by time, so every hit tied with the page's last one must be read: the page + EXTRA_HITS first,
# then RETRY_FACTOR times as many, which is enough for most words that every text has, then MAX_RANKED. Pages at any
# offset are cut from the same MAX_RANKED, so that each hit is on one page.
EXTRA_HITS = 64
RETRY_FACTOR = 8
MAX_RANKED = 10_200
# Comparing so many words of phrases takes some milliseconds.
COSTLY_COMPARED = 10_000
# Finding an entry by its number takes as long as comparing so many words.
COMPARED_PER_NUMBER = 8
# Looking at so many candidates (entries that have all pairs of a phrase's words, once or twice) takes as long as
# comparing one word of a text.
CANDIDATES_PER_COMPARED = 4
# To compare a phrase in so many entries takes 7 ms. Its facets are estimated from a sample, if that has at least
# MIN_SAMPLED hits.
MANY_CANDIDATES = 50_000
MIN_SAMPLED = 100


@dataclass(frozen=True)
class PreparedQuery:
    """A query as it is run, with its corrections."""

    query: Query
    corrected: Mapping[str, str]
    engine: EngineQuery
    phrases: PhraseBudget
    """What comparing its phrases costs in each run."""
    searcher: Searcher

    @property
    def has_many_candidates(self) -> bool:
        return self.phrases.candidates >= MANY_CANDIDATES

    @cached_property
    def _all_ranked(self) -> SearchResult | None:
        """If comparing phrases is slow it is done once, for pages, counts and facets; else None."""
        if self.phrases.compared < COSTLY_COMPARED and not self.has_many_candidates:
            return None
        return self.searcher.search(self.engine, MAX_RANKED, count=True)

    @cached_property
    def ranked(self) -> list[tuple[Any, DocAddress]] | None:
        """The best hits, if all are ranked at once; else None."""
        return self._all_ranked.hits if self._all_ranked else None

    @property
    def total(self) -> int | None:
        """How many hits there are; None: not known."""
        return int(self._all_ranked.count) if self._all_ranked else None  # type: ignore[attr-defined] # as below

    @property
    def all_hits(self) -> list[tuple[Any, DocAddress]] | None:
        """All hits, if `ranked` has all of them."""
        return self.ranked if self.ranked is not None and len(self.ranked) < MAX_RANKED else None


class IndexHit(NamedTuple):
    media_id: UUID
    lang: str | None  # as the text says, or as guessed when it was indexed


@dataclass(frozen=True)
class Summary:
    total: int
    newest: int  # when the newest was saved, in microseconds
    facets: Mapping[str, Sequence[tuple[str, int]]]


class Snapshot:
    """The index as it was at one moment."""

    def __init__(self, searcher: Searcher) -> None:
        self._searcher = searcher

    @property
    def entries(self) -> int:
        return self._searcher.num_docs

    @cached_property
    def languages(self) -> list[str]:
        """The languages of the texts, the most frequent first."""
        with wrap_engine_errors():
            found = self._searcher.aggregate(EngineQuery.all_query(), {"lang": _terms("lang")})["lang"]["buckets"]
        return [name for name, _ in _counted(found) if name in STEMMERS][:MAX_LANGUAGES]

    def prepare(self, query: Query) -> PreparedQuery:
        with wrap_engine_errors():
            corrected_query, corrected = correct(query, self._searcher, self.languages)
            engine, phrases = engine_query(corrected_query, self._searcher, self.languages)
            return PreparedQuery(corrected_query, corrected, engine, phrases, self._searcher)

    def hits(self, prepared: PreparedQuery, *, sort: Sort = "relevance", limit: int, offset: int = 0) -> list[IndexHit]:
        """By relevance, and the newest first among equal scores; or all by time."""
        end = offset + limit
        with wrap_engine_errors():
            if sort == "newest" or not prepared.query.groups:
                return [self._hit(address) for address in self._newest(prepared, end)[offset:]]
            found = prepared.ranked if prepared.ranked is not None else self._best(prepared.engine, end)
            return [self._hit(address) for address in self._by_time(found, offset, end)]

    def _newest(self, prepared: PreparedQuery, limit: int) -> list[DocAddress]:
        if prepared.all_hits is not None:
            return self._by_time([(0, address) for _, address in prepared.all_hits], 0, limit)
        found = self._searcher.search(prepared.engine, limit, count=False, order_by_field="saved_at", order=Order.Desc)
        return [address for _, address in found.hits]

    def _best(self, query: EngineQuery, end: int) -> list[tuple[Any, DocAddress]]:
        """The first hits, with all that have the same score as the one before `end`: else the engine chooses among
        those by their order in its files."""
        limit = max(1, min(self.entries, max(end, MAX_RANKED)))
        few = end + EXTRA_HITS
        for wanted in (few, few * RETRY_FACTOR):
            found = self._searcher.search(query, min(limit, wanted), count=False).hits
            if wanted >= limit or len(found) < wanted or found[-1][0] < found[end - 1][0]:
                return found
        return self._searcher.search(query, limit, count=False).hits

    def _by_time(self, found: list[tuple[Any, DocAddress]], offset: int, end: int) -> list[DocAddress]:
        """The hits from `offset` to `end` of those that are sorted by score, the newest first among equal scores."""
        page = found[offset:end]
        if not page:
            return []
        scores = [-score for score, _ in found]
        begin, last = bisect_left(scores, -page[0][0]), bisect_right(scores, -page[-1][0])
        addresses = [address for _, address in found[begin:last]]
        times = [int(time or 0) for time in self._searcher.fast_field_values("saved_at", addresses)]
        # Sorted twice instead of by (score, time) pairs, which takes several times as long for thousands of hits.
        order = sorted(range(len(addresses)), key=times.__getitem__, reverse=True)
        order.sort(key=scores[begin:last].__getitem__)
        return [addresses[number] for number in order[offset - begin : end - begin]]

    def summary(self, prepared: PreparedQuery, fields: Iterable[str] = ()) -> Summary:
        names = list(fields)
        with wrap_engine_errors():
            if prepared.has_many_candidates and (estimated := self._estimate(prepared, names)):
                return estimated
            return self._count(self._quickest(prepared), names)

    def _count(self, query: EngineQuery, fields: Iterable[str] = ()) -> Summary:
        wanted = {field: _terms(field) for field in fields} | {"saved": {"stats": {"field": "saved_at"}}}
        found = self._searcher.aggregate(query, wanted)
        facets = {field: _counted(found[field]["buckets"]) for field in wanted if field != "saved"}
        return Summary(int(found["saved"]["count"]), int(found["saved"]["max"] or 0), facets)

    def _estimate(self, prepared: PreparedQuery, fields: Iterable[str]) -> Summary | None:
        """With facets that are estimated from a sample; None: the sample has too few hits."""
        sampled = self._count(sampled_query(prepared.query, self._searcher, self.languages), fields)
        if prepared.total is None or sampled.total < MIN_SAMPLED:
            return None
        times = prepared.total / sampled.total
        facets = {
            name: [(value, round(count * times)) for value, count in each] for name, each in sampled.facets.items()
        }
        return Summary(prepared.total, self._last_saved, facets)

    @cached_property
    def _last_saved(self) -> int:
        return self._count(EngineQuery.all_query()).newest

    def _quickest(self, prepared: PreparedQuery) -> EngineQuery:
        """The fastest query that finds the same entries."""
        compared = max(prepared.phrases.compared, prepared.phrases.candidates // CANDIDATES_PER_COMPARED)
        if prepared.all_hits is None or len(prepared.all_hits) * COMPARED_PER_NUMBER > compared:
            return prepared.engine
        if not prepared.all_hits:
            return EngineQuery.empty_query()
        numbers = self._searcher.fast_field_values("number", [address for _, address in prepared.all_hits])
        return EngineQuery.term_set_query(schema(), "number", numbers)

    def words(self, field: str, begin: str, limit: int) -> list[str]:
        """The words of a field with this beginning, the most frequent first. Also words of removed entries, until the
        engine merges its files."""
        with wrap_engine_errors():
            return [word for word, _ in self._searcher.terms_with_prefix(field, begin, limit=limit)]

    def newest(self, query: Query, limit: int) -> tuple[int, list[UUID]]:
        """How many entries match the query, and the newest of them."""
        prepared = self.prepare(query)
        with wrap_engine_errors():
            found = self._searcher.search(
                prepared.engine, limit, count=True, order_by_field="saved_at", order=Order.Desc
            )
            ids = [self._hit(address).media_id for _, address in found.hits]
            return int(found.count), ids  # type: ignore[attr-defined] # missing in the engine's stub

    def related(self, text: str, lang: str | None, *, limit: int) -> list[UUID]:
        """Entries that share the words that distinguish a text from others, best first."""
        with wrap_engine_errors():
            query = related_query(text, lang, self._searcher)
            found = self._searcher.search(query, limit, count=False).hits if query else []
            return [self._hit(address).media_id for _, address in found]

    def _hit(self, address: DocAddress) -> IndexHit:
        stored = self._searcher.doc(address)
        return IndexHit(UUID(stored["media_id"][0]), stored.get_first("lang"))


def _terms(field: str) -> dict[str, Any]:
    return {"terms": {"field": field, "size": MAX_FACETS}}


def _counted(buckets: Iterable[Mapping[str, Any]]) -> list[tuple[str, int]]:
    return [(str(bucket["key"]), int(bucket["doc_count"])) for bucket in buckets]


class LibraryIndex:
    def __init__(self, directory: Path, *, create: bool = True) -> None:
        """`create`: makes an empty index if there is none."""
        self._meta = directory / META
        self._read: tuple[int, int] | None = None
        self._snapshot: Snapshot | None = None
        with wrap_engine_errors():
            self._index = _open(directory, create=create)
            for name, tokenizer in tokenizers().items():
                self._index.register_tokenizer(name, tokenizer)
            self._index.config_reader("manual")

    def snapshot(self) -> Snapshot:
        """The newest snapshot. Opening one costs a millisecond, so it is reused until the next commit."""
        with wrap_engine_errors():
            status = self._meta.stat()
            written = (status.st_ino, status.st_mtime_ns)
            if self._snapshot is None or written != self._read:
                self._index.reload()
                self._snapshot, self._read = Snapshot(self._index.searcher()), written
            return self._snapshot

    def open_batch(self) -> "Batch":
        """In one process at a time: the engine's own lock is held until the batch is closed."""
        with wrap_engine_errors():
            return Batch(self._index.writer(WRITER_BYTES, 1))


def _open(directory: Path, *, create: bool) -> Index:
    if create:
        directory.mkdir(parents=True, exist_ok=True)
        return Index(schema(), str(directory), reuse=True)
    found = Index.open(str(directory))
    if found.schema != schema():
        raise BrokenIndexError("The search index cannot be used: it has other fields.")
    return found


class Batch:
    """Changes of an index. Searches see them after `write`."""

    def __init__(self, writer: IndexWriter) -> None:
        self._writer = writer

    def put(self, entry: EntryText) -> None:
        """Errors of our own code for a text are not wrapped: they do not mean that the index is broken."""
        document = document_of(entry)
        with wrap_engine_errors():
            self.remove(entry.media_id)
            self._writer.add_document(document)

    def remove(self, media_id: UUID) -> None:
        with wrap_engine_errors():
            self._writer.delete_documents_by_term("media_id", str(media_id))

    def write(self) -> None:
        with wrap_engine_errors():
            self._writer.commit()

    def close(self) -> None:
        """Waits until the engine has merged its small files."""
        with wrap_engine_errors():
            self._writer.wait_merging_threads()


@contextmanager
def wrap_engine_errors() -> Iterator[None]:
    """The engine raises ValueError for whatever is wrong with its files, and panics where they contradict each
    other."""
    try:
        yield
    except (ValueError, OSError) as error:
        raise BrokenIndexError(f"The search index cannot be used: {error}") from error
    except BaseException as error:
        # The class cannot be imported; it is no Exception.
        if type(error).__name__ != "PanicException":
            raise
        raise BrokenIndexError(f"The search index cannot be used: {error}") from error
