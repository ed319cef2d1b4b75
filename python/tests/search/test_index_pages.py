"""Pages of hits: each hit once, the newest first where nothing else decides."""

from pathlib import Path

import pytest

from nexus.search import index
from nexus.search.index import COSTLY_COMPARED, Sort
from nexus.search.query import read_query
from tests.search.small_index import FIRST, SmallIndex, id_of

TEXTS = 300


@pytest.fixture
def small(tmp_path: Path) -> SmallIndex:
    return SmallIndex(tmp_path / "index")


def pages(small: SmallIndex, typed: str, sort: Sort = "relevance", size: int = 20) -> list[str]:
    snapshot = small.index.snapshot()
    prepared = snapshot.prepare(read_query(typed))
    found = [snapshot.hits(prepared, sort=sort, limit=size, offset=offset) for offset in range(0, TEXTS, size)]
    return [small.names[one.media_id] for page in found for one in page]


@pytest.mark.parametrize("sort", ["relevance", "newest"])
def test_hits_of_the_same_score_are_on_one_page_each(small: SmallIndex, sort: Sort) -> None:
    names = [f"text {number}" for number in range(TEXTS)]
    small.add_all((name, "about photosynthesis", {}) for name in names)
    assert pages(small, "photosy", sort) == names[::-1]


def test_hits_of_other_scores_stay_where_they_are(small: SmallIndex) -> None:
    small.add_all((f"text {number}", "photosynthesis and leaves", {}) for number in range(TEXTS - 1))
    small.add("best", "photosynthesis", title="Photosynthesis")
    found = pages(small, "photosynthesis ")
    assert found == ["best", *(f"text {number}" for number in reversed(range(TEXTS - 1)))]
    assert {id_of(name) for name in found} == set(small.names)


@pytest.mark.parametrize("sort", ["relevance", "newest"])
def test_hits_of_the_same_score_and_time_are_on_one_page_each(small: SmallIndex, sort: Sort) -> None:
    """An import gives many entries the same time."""
    small.add_all((f"text {number}", "about photosynthesis", {"saved_at": FIRST}) for number in range(TEXTS))
    found = pages(small, "photosy", sort)
    assert len(found) == TEXTS
    assert len(set(found)) == TEXTS


def test_a_phrase_of_frequent_words_is_found_counted_and_sorted(small: SmallIndex) -> None:
    """One search gives all three."""
    words = ("this that sure", "that it this", "this has been, this that", "this that or not this that")
    texts = COSTLY_COMPARED // 2 + 8
    kinds = {0: "pasted_text", 3: "web_article"}
    small.add_all(
        (f"text {number}", words[number % 4 if number < 12 else 1], {"kind": kinds.get(number % 4, "podcast_episode")})
        for number in range(texts)
    )
    snapshot = small.index.snapshot()
    prepared = snapshot.prepare(read_query('"this that"'))
    assert prepared.phrases.compared >= COSTLY_COMPARED
    found = [number for number in range(12) if number % 4 != 1]
    newest = [f"text {number}" for number in reversed(found)]
    assert pages(small, '"this that"', "newest", size=4) == newest
    best = pages(small, '"this that"', size=4)
    assert (sorted(best), best[:3]) == (sorted(newest), ["text 11", "text 7", "text 3"])
    summary = snapshot.summary(prepared, ["kind"])
    assert summary.total == len(found)
    assert dict(summary.facets["kind"]) == {"pasted_text": 3, "web_article": 3, "podcast_episode": 3}


@pytest.mark.parametrize("phrase", ["to be or", "over water"])
def test_facets_of_a_phrase_that_most_of_a_large_library_may_have(
    small: SmallIndex, monkeypatch: pytest.MonkeyPatch, phrase: str
) -> None:
    """All hits are counted, their facets are estimated from a sample, which is the same in each run."""
    texts = 3200
    small.add_all(
        (f"text {number}", f"{phrase} not to be or over that water" if number % 4 else "to be over water or be to", {
            "kind": "pasted_text" if number % 3 else "web_article", "tags": ["sea"]})
        for number in range(texts)
    )  # fmt: skip
    snapshot = small.index.snapshot()
    exact = snapshot.summary(snapshot.prepare(read_query(f'"{phrase}"')), ("kind", "tag"))
    monkeypatch.setattr(index, "MANY_CANDIDATES", texts // 2)
    monkeypatch.setattr(index, "MIN_SAMPLED", 20)
    prepared = snapshot.prepare(read_query(f'"{phrase}"'))
    assert prepared.has_many_candidates
    about = snapshot.summary(prepared, ("kind", "tag"))
    assert about.total == exact.total
    assert about.facets["tag"] == exact.facets["tag"]
    counted, estimated = dict(exact.facets["kind"]), dict(about.facets["kind"])
    assert estimated != counted, "not from a sample"
    assert all(abs(estimated[kind] - count) < 0.4 * count for kind, count in counted.items())
    assert abs(sum(estimated.values()) - exact.total) <= 1
    monkeypatch.setattr(index, "MIN_SAMPLED", texts)
    assert snapshot.summary(prepared, ("kind", "tag")) == exact, "too few are in the sample"


def test_a_phrase_that_no_text_has(small: SmallIndex) -> None:
    small.add_all((f"text {number}", "this that", {}) for number in range(COSTLY_COMPARED // 2))
    snapshot = small.index.snapshot()
    prepared = snapshot.prepare(read_query('"that this"'))
    assert (snapshot.hits(prepared, limit=5), snapshot.summary(prepared, ["kind"]).total) == ([], 0)
