"""A sentence of one text in another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nexus.text.readings.find_sentence import find_sentence

OTHERS = "Nothing to see here, only words. "


@pytest.mark.parametrize(
    ("fragments", "words", "share", "expected"),
    [
        (["One. Two.", "Three. Four."], "Four.", 0.9, (1, 7)),
        ([OTHERS * 3 + "The end."], "The end.", 0.0, (0, len(OTHERS) * 3)),
        ([OTHERS * 4], OTHERS, 0.5, (0, len(OTHERS) * 2)),  # of several the nearest
        ([OTHERS + "A sentence that begins alike and ends"], "A sentence that begins alike, then goes on", 0, (0, 33)),
        (["abcd", "efgh"], "nowhere to be found", 0.5, (1, 0)),
        (["abcd", "efgh"], "", 0.25, (0, 2)),
        (["abcd", "efgh"], "", 1.0, (1, 4)),
        ([], "words", 0.5, (0, 0)),
    ],
)
def test_where_it_is(fragments: list[str], words: str, share: float, expected: tuple[int, int]) -> None:
    assert find_sentence(fragments, words, share) == expected


@given(st.lists(st.text("ab ", max_size=30), max_size=4), st.text("ab ", max_size=90), st.floats(0, 1))
def test_it_is_always_in_the_text(fragments: list[str], words: str, share: float) -> None:
    number, offset = find_sentence(fragments, words, share)
    assert 0 <= number < max(1, len(fragments))
    assert 0 <= offset <= (len(fragments[number]) if fragments else 0)
