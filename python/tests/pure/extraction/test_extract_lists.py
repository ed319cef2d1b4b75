"""Lists are kept whole with the text they belong to; menus and related links are not. Headings stay with their text."""

import numpy as np
import pytest

from nexus.text.extraction.blocks import collect_blocks
from nexus.text.extraction.parse_html import parse_html
from nexus.text.extraction.rules.headings import with_headings
from nexus.text.extraction.rules.lists import find_lists, whole_lists
from nexus.text.extraction.rules.page_links import links_within

TEXT = "The keeper wrote one line a day, mostly about the wind and the ships that passed."


def added(source: str, *dropped: str) -> list[str]:
    """The text that the rules add to a page whose model drops the blocks that begin so."""
    page = collect_blocks(parse_html(source))
    kept = np.array([not block.text.startswith(dropped) for block in page.blocks])
    words = np.array([len(block.text.split()) for block in page.blocks], dtype=np.float32)
    density = np.array([b.link_chars / max(1, len(b.text.replace(" ", ""))) for b in page.blocks], dtype=np.float32)
    result = whole_lists(find_lists(page, links_within(page)), kept, words, density)
    assert result[kept].all()
    return [page.blocks[i].text for i in np.flatnonzero(result & ~kept)]


def test_references_that_the_text_cites_are_kept_with_their_heading() -> None:
    notes = "".join(f"<li id=n{i}>x{i} A book, page {i}</li>" for i in range(3))
    cited = f"<p>{TEXT}<sup><a href=#n0>1</a></sup></p><p>{TEXT}<a href='/page#n2'>3</a></p>"
    end = f"<div><h2>xNotes</h2><ol>{notes}</ol></div>"
    assert added(cited + end, "x") == ["xNotes", "x0 A book, page 0", "x1 A book, page 1", "x2 A book, page 2"]
    assert added(f"<p>{TEXT}</p><p>{TEXT}</p>{end}", "x") == []


@pytest.mark.parametrize("heading", ["References", "Sources & links", "Quellen", "参考文献", "Notes and references:"])
def test_a_list_under_a_heading_of_sources_is_kept(heading: str) -> None:
    items = "<ul><li><a href=/a>xA</a></li><li><a href=/b>xB</a></li><li><a href=/c>xC</a></li></ul>"
    assert added(f"<article><p>{TEXT}</p><h2>{heading}</h2>{items}</article>", heading, "x")[1:] == ["xA", "xB", "xC"]
    for other in ("Related stories", "See also", "Most read"):
        assert added(f"<article><p>{TEXT}</p><h2>{other}</h2>{items}</article>", other, "x") == []


def test_a_section_of_sources_is_kept_with_all_its_lists() -> None:
    lists = "<dl><dt>xMaps</dt></dl><ul><li>xA</li></ul><dl><dt>xBooks</dt></dl><ul><li>xB</li><li>xC</li></ul>"
    page = (
        f"<article><p>{TEXT}</p><h2>External links</h2>{lists}<h2>Voyages</h2><ul><li>xD</li><li>xE</li></ul></article>"
    )
    assert added(page, "x") == ["xMaps", "xA", "xBooks", "xB", "xC"]


def test_sources_after_references_that_only_the_rule_keeps_are_kept() -> None:
    notes = "".join(f"<li id=n{i}>x{i} {TEXT}</li>" for i in range(4))
    cited = f"<p>{TEXT}<a href=#n0>1</a></p><p>{TEXT}<a href=#n2>3</a></p>"
    sources = "<h2>Further reading</h2><ul><li>xA</li><li>xB</li><li>xC</li></ul>"
    assert added(f"<div>{cited}<h2>Notes</h2><ol>{notes}</ol>{sources}</div>", "x")[-3:] == ["xA", "xB", "xC"]


def test_the_first_list_of_contents_is_kept_when_the_sections_are() -> None:
    entries = "".join(f"<li><a href=#s{i}>xSection {i}</a></li>" for i in range(3))
    sections = "".join(f"<h2 id=s{i}>Section {i}</h2><p>{TEXT}</p>" for i in range(3))
    contents = f"<div><ul>{entries}</ul></div>"
    assert added(contents + contents + sections, "x") == ["xSection 0", "xSection 1", "xSection 2"]
    assert added(contents + sections, "x", "Section", "The keeper") == []


def test_links_to_many_sites_between_kept_text_are_kept_and_links_to_one_are_not() -> None:
    def page(*hosts: str) -> str:
        items = "".join(f"<li><a href=https://{host}/{i}>xTool {i}</a></li>" for i, host in enumerate(hosts))
        return f"<h2>Tools</h2><ul>{items}</ul><p>{TEXT}</p>"

    assert len(added(page("a.example", "b.example", "c.example"), "x")) == 3
    assert added(page("a.example", "a.example", "a.example"), "x") == []


def test_a_list_that_is_mostly_kept_is_kept_whole() -> None:
    items = f"<li>{TEXT}</li><li>{TEXT}</li><li>xWind</li>"
    assert added(f"<p>{TEXT}</p><ul>{items}</ul><p>xMore</p>", "x") == ["xWind"]
    assert added(f"<p>{TEXT}</p><nav><ul>{items}</ul></nav>", "x") == []


def test_many_lists_and_links_take_linear_time() -> None:
    source = "".join(f"<ul id=u{i}><li><a href=#u{i + 1}>{i}</a></li></ul>" for i in range(20_000))
    page = collect_blocks(parse_html(source))
    assert len(find_lists(page, links_within(page))) == 20_000


def test_a_heading_stays_with_the_paragraph_right_below_it() -> None:
    heading = np.array([True, False, True, False, True, True, False, True, True, False])
    kept = np.array([False, True, False, True, False, False, True, False, False, True])
    density = np.array([0, 0, 1, 0, 0, 0, 0, 0, 0, 0], dtype=np.float32)
    words = np.array([2, 20, 2, 20, 2, 2, 20, 2, 2, 3], dtype=np.float32)
    result = with_headings([1, 1, 2, 2, 2, 3, 4, 4, 5, 5], heading, kept, words, density)
    assert np.flatnonzero(result & ~kept).tolist() == [0]
    assert with_headings([1], heading[:1], kept[:1], words[:1], density[:1]).tolist() == [False]
