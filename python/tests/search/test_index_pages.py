"""Pages of hits: each hit once, the newest first where nothing else decides."""

from pathlib import Path

import pytest

from nexus.search.index import Sort
from nexus.search.query import read_query
from tests.search.small_index import SmallIndex, id_of

TEXTS = 300


@pytest.fixture
def small(tmp_path: Path) -> SmallIndex:
    return SmallIndex(tmp_path / "index")


def pages(small: SmallIndex, typed: str, sort: Sort = "relevance", size: int = 20) -> list[str]:
    snapshot = small.index.snapshot()
    asked = snapshot.ask(read_query(typed))
    found = [snapshot.hits(asked, sort=sort, limit=size, offset=offset) for offset in range(0, TEXTS, size)]
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
