"""Headings hold only their own words."""

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


@pytest.mark.parametrize(
    "heading",
    [
        'How to <a href="/help/edit">edit</a> pages',
        'How to <a href="/help/edit">edit</a>',
        'See <a href="/docs/edit/">the editing guide</a>',
        '<a href="#link">Link</a> and Zelda',
        'Works of <a href="/w/index.php?title=Ada&amp;action=edit&amp;redlink=1">Ada</a>',
        'From C <a href="#sharp">#</a> to F',
    ],
)
def test_words_of_a_heading_that_are_links_stay(heading: str) -> None:
    assert html(f"<h2>{heading}</h2>") == f"<h2>{heading}</h2>"


def test_a_target_of_links_is_a_word() -> None:
    assert "Edit" in html("<h2><a name='edit'>Edit</a> menu</h2>")


@pytest.mark.processor_seconds(60)
def test_many_links_in_one_paragraph_and_headings_around_headings() -> None:
    words = "one line a day about the wind " * 3
    assert html(f"<p>{f'<a class=headerlink>#</a>{words}' * 20_000}</p>").count("day") == 60_000
    nested = "<div><h2><a href='#x'>#</a> wind" * 500
    assert html(nested + f"<p>{words}</p>" * 10_000).count("day") == 30_000
    assert "wind" in html("<h2 class=editsection><div>" * 500 + "<b>wind</b> " * 50_000)
