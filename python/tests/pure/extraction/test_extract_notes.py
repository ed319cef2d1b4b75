"""A footnote stays with the text that refers to it."""

import numpy as np

from nexus.text.extraction.blocks import collect_blocks
from nexus.text.extraction.parse_html import parse_html
from nexus.text.extraction.rules.notes import find_notes, with_notes
from nexus.text.extraction.rules.page_links import links_within

REFERS = "<p>The lamp was lit at dusk.<sup><a id=r1 href=#n1>1</a></sup></p>"
OTHER = "<p>x The keeper wrote one line a day.<sup><a id=r2 href=#n2>2</a></sup></p>"


def added(source: str) -> list[str]:
    """The text that is added to a page whose model drops the blocks that begin with "x"."""
    page = collect_blocks(parse_html(source))
    kept = np.array([not block.text.startswith("x") for block in page.blocks])
    result = with_notes(find_notes(links_within(page)), kept)
    return [page.blocks[i].text for i in np.flatnonzero(result & ~kept)]


def test_a_note_that_links_back_stays() -> None:
    assert added(REFERS + "<p id=n1>x <a href=#r1>1</a> At sea, dusk is earlier.</p>") == [
        "x 1 At sea, dusk is earlier."
    ]


def test_a_note_of_text_that_is_left_out_is_left_out() -> None:
    assert added(REFERS + OTHER + "<p id=n2>x <a href=#r2>2</a> In ink.</p>") == []


def test_a_place_that_does_not_link_back_is_no_note() -> None:
    assert added(REFERS + "<p id=n1>x Subscribe</p><p>x <a href=#r1>Back to the top</a></p>") == []


def test_a_note_of_a_note_stays() -> None:
    first = "<p id=n1>x <a href=#r1>1</a> At sea<a id=r3 href=#n3>*</a></p>"
    assert added(REFERS + first + "<p id=n3>x <a href=#r3>*</a> Off Dover</p>") == ["x 1 At sea*", "x * Off Dover"]
