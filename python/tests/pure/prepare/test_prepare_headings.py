"""Headings are only their own words."""

import pytest

from tests.pure.prepare.prepared import html


@pytest.mark.parametrize(
    "heading",
    [
        "<h2>Title <a href='#title'>#</a></h2>",
        "<h2>Title<a class=headerlink href='#title' title='Link to this heading'>¶</a></h2>",
        "<h2><a href='/page#title' aria-label='Permalink'>🔗</a> Title</h2>",
        "<h2>Title <a class=anchor href='#title'>Permalink</a></h2>",
        "<h2>Title <a class='hash-link' href='#title'>\u200b</a></h2>",
        "<h2>Title <a href='#title'>Link to this section</a></h2>",
        "<h2>Title [<a href='/w/index.php?title=X&amp;action=edit&amp;section=1'>bearbeiten</a>]</h2>",
        "<h2>Title<span class='mw-editsection'><span>[</span><a href='/edit'>edit</a><span>]</span></span></h2>",
        "<div class='mw-heading'><h2>Title</h2><span class='mw-editsection'>[<a href='/edit'>edit</a>]</span></div>",
    ],
)
def test_links_to_itself_and_to_an_editor_are_gone(heading: str) -> None:
    assert html(heading) == "<h2>Title</h2>"


def test_a_heading_that_is_a_link_keeps_its_words() -> None:
    assert html("<h2><a href='#x'>Title</a></h2>") == '<h2><a href="#x">Title</a></h2>'
    assert html("<h2><a href='#x'>Link</a></h2>") == '<h2><a href="#x">Link</a></h2>'
    assert html("<h2><a href='#x'>#</a></h2>") == '<h2><a href="#x">#</a></h2>'


def test_other_links_and_footnotes_stay() -> None:
    found = html("<h2>Wind in <a href='/x'>Depth</a><sup><a href='#fn1'>1</a></sup></h2>")
    assert found == '<h2>Wind in <a href="/x">Depth</a><sup><a href="#fn1">1</a></sup></h2>'


def test_a_sign_in_a_term_of_documentation_is_gone() -> None:
    assert html("<dl><dt>open(path)<a class='headerlink' href='#open'>¶</a></dt><dd>Opens.</dd></dl>") == (
        "<dl><dt>open(path)</dt><dd>Opens.</dd></dl>"
    )
