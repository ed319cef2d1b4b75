"""Phrases of short words, which the index has as pairs, and of others."""

import random
from itertools import product
from pathlib import Path

import pytest

from nexus.search.pairs import GAP, pairs_in, pairs_of
from tests.search.small_index import SmallIndex

WORDS = ("to", "be", "not", "lamp", "né")


@pytest.fixture
def small(tmp_path: Path) -> SmallIndex:
    return SmallIndex(tmp_path / "index")


def test_pairs_are_of_short_words_side_by_side() -> None:
    assert pairs_in(["to", "be", "lamp", "lamp", "or", "not", "to"]) == [GAP, "to_be", GAP, "or_not", "not_to"]
    assert pairs_in(["東", "京", "to"]) == [GAP], "characters are words of their own"
    assert pairs_of(["to", "be", "or"]) == ["to_be", "be_or"]
    assert pairs_of(["to", "lamp"]) == []


def test_a_phrase_finds_the_texts_that_have_its_words_in_a_row(small: SmallIndex) -> None:
    """The same where a longer word separates two pairs: "to be lamp be not" has no "to be not"."""
    chance = random.Random(1)
    texts = {f"text {number}": " ".join(chance.choices(WORDS, k=6)) for number in range(40)}
    texts["parted"] = "to be lamp be not"
    small.add_all((name, text, {}) for name, text in texts.items())
    for phrase in (*product(WORDS, repeat=2), *product(WORDS, repeat=3)):
        typed = " ".join(phrase)
        expected = {name for name, text in texts.items() if f" {typed} " in f" {text} "}
        assert set(small.search(f'"{typed}"')) == expected, typed


def test_a_phrase_of_short_words_is_found_in_a_title(small: SmallIndex) -> None:
    small.add("in the title", "Nothing of it", title="To be or not to be")
    small.add("in the text", "He said: to be or not to be")
    small.add("neither", "Or not be to")
    assert small.search('"to be or not"') == ["in the title", "in the text"]
    assert small.search('in:title "to be or not"') == ["in the title"]
    assert small.search('"or not" -"to be" ') == ["neither"]
