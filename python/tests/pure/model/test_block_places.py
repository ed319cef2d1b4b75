"""Features that say where a block stands: in the part with most prose, after what ends an article."""

import numpy as np
import pytest

from nexus.text.extraction.blocks import collect_blocks
from nexus.text.extraction.features.boundary_features import boundary_features
from nexus.text.extraction.features.context_features import find_containers, find_subtrees, teaser_features
from nexus.text.extraction.features.naming_words import KINDS, is_other_heading, named_kind
from nexus.text.extraction.features.prose_features import ProseMeasures, prose_features
from nexus.text.extraction.parse_html import parse_html

SENTENCE = "The keeper wrote one line a day, and on most days it was about the wind that came in from the sea."
LEVELS, DISTANCE, INSIDE = 0, 1, 2


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Related articles", "related"),
        ("Read more: the wind", "related"),
        ("Das könnte Sie auch interessieren", "related"),
        ("猜你喜欢", "related"),
        ("12 Comments", "comments"),
        ("コメント", "comments"),
        ("About the author", "author"),
        ("Subscribe to our letter", "sign_up"),
        ("Tags", "tags"),
        ("© All rights reserved", "legal"),
    ],
)
def test_short_texts_name_other_content(text: str, kind: str) -> None:
    assert KINDS[named_kind(text) - 1] == kind


@pytest.mark.parametrize("text", ["The wind", "Unrelated", SENTENCE + " Related articles", "", "…"])
def test_other_texts_name_nothing(text: str) -> None:
    assert named_kind(text) == 0


@pytest.mark.parametrize("text", ["Related articles", "Comments (12)", "Who is online", "推荐阅读", "About the author"])
def test_headings_that_name_other_content(text: str) -> None:
    assert is_other_heading(text)


@pytest.mark.parametrize(
    "text", ["Related work", "Discussion", "Popular misconceptions", "Follow the money", "Return to the river", ""]
)
def test_headings_of_an_author(text: str) -> None:
    assert not is_other_heading(text)


def test_blocks_are_placed_by_the_part_with_most_prose() -> None:
    page = collect_blocks(
        parse_html(
            f"<div><p>Menu</p></div><main><article>{f'<p>{SENTENCE}</p>' * 5}</article><p>After</p></main><p>Far</p>"
        )
    )
    words = np.array([b.text.count(" ") + 1 for b in page.blocks], dtype=np.float32)
    zeros = np.zeros_like(words)
    chars = np.array([len(b.text) for b in page.blocks], dtype=np.float32)
    prose = ProseMeasures(words, chars, zeros + 1, zeros, (words > 5).astype(np.float32), zeros)
    table = prose_features(page, find_subtrees(page), prose)
    assert table[:, INSIDE].tolist() == [0, 1, 1, 1, 1, 1, 0, 0]
    assert table[:, LEVELS].tolist() == [2, 0, 0, 0, 0, 0, 1, 2]
    assert table[:, DISTANCE].tolist() == [-1, 0, 0, 0, 0, 0, 1, 2]


def test_blocks_know_which_naming_heading_they_follow() -> None:
    page = collect_blocks(
        parse_html(
            f"<main><h1>Wind</h1><p>{SENTENCE}</p><p>{SENTENCE}</p></main>"
            "<div><h2>Related</h2><p>Another day</p></div><p>Last</p>"
        )
    )
    words = np.array([b.text.count(" ") + 1 for b in page.blocks], dtype=np.float32)
    level = np.array([1, 0, 0, 2, 0, 0], dtype=np.float32)
    zeros = np.zeros_like(words)
    table = boundary_features(page, find_containers(page, find_subtrees(page)), words, level, zeros, zeros)
    kind, since, in_its_container = table[:, 0], table[:, 1], table[:, 10]
    assert kind.tolist() == [0, 0, 0, 1, 0, 0]
    assert since[4:].tolist() == [1, 2]
    assert min(since[:4]) > 1000
    assert in_its_container.tolist() == [0, 0, 0, 0, 1, 0]


def test_paragraphs_after_linked_titles_are_teasers() -> None:
    template = np.array([0, 1, 0, 1, 2], dtype=np.int64)
    words = np.array([5, 20, 5, 20, 20], dtype=np.float32)
    density = np.array([1, 0, 1, 0, 0], dtype=np.float32)
    after_link, share, of_several = teaser_features(template, words, density).T
    assert after_link.tolist() == [0, 1, 0, 1, 0]
    assert share.tolist() == [0, 1, 0, 1, 0]
    assert of_several.tolist() == [0, 1, 0, 1, 0]
