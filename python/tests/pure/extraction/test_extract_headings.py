"""A heading at the end of the text, whose section was dropped."""

import numpy as np

from nexus.text.extraction.rules.headings import without_last_headings

PROSE, HEADING, LINE = (30.0, False), (2.0, True), (4.0, False)


def _kept(*blocks: tuple[float, bool]) -> list[bool]:
    words = np.array([w for w, _ in blocks])
    heading = np.array([h for _, h in blocks])
    everything = np.ones(len(blocks), dtype=np.bool_)
    kept: list[bool] = without_last_headings(heading, everything, words, np.zeros(len(blocks))).tolist()
    return kept


def test_headings_after_the_last_text_are_dropped() -> None:
    assert _kept(HEADING, PROSE, PROSE, HEADING, PROSE, HEADING, HEADING) == [True] * 5 + [False] * 2


def test_a_heading_above_a_last_short_line_stays() -> None:
    assert all(_kept(PROSE, PROSE, PROSE, HEADING, LINE))


def test_a_page_of_headings_and_short_lines_keeps_its_last_one() -> None:
    assert all(_kept(HEADING, LINE, LINE, LINE, LINE, LINE, HEADING, LINE, HEADING))
    assert all(_kept(HEADING, HEADING))
