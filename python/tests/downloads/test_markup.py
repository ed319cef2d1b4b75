"""Markup that HTML and EPUB both allow, with every word of the text."""

import re
import unicodedata
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from nexus.services.downloads.markup import EmbeddedPicture, picture_urls, web_url, write_markup
from nexus.text.canonical_text import canonicalize
from nexus.text.sanitize import ALLOWED_TAGS, sanitize_html
from tests.pure.html_soup import SOUP

PICTURE = "/media/image?url=https%3A%2F%2Fexample.org%2Fa.png"
KEPT = {"https://example.org/a.png": EmbeddedPicture("a.png")}


def xml(html: str, title: str = "") -> str:
    return write_markup(html, KEPT, title=title, syntax="xml").content


@pytest.mark.parametrize(
    ("html", "mended"),
    [
        ("<p>a<b>c<i>d</i></b>e</p>", "<p>a<b>c<i>d</i></b>e</p>"),
        ("<b><p>x</p><p>y <em>z</em></p></b>", "<p><b>x</b></p><p><b>y <em>z</em></b></p>"),
        ("<span><div>a</div>b</span>", "<div><span>a</span></div><span>b</span>"),
        ("<ul>one<li>two</li><p>three</p></ul>", "<ul><li>one</li><li>two</li><li><p>three</p></li></ul>"),
        ("<ul><li>a</li><ul><li>b</li></ul></ul>", "<ul><li>a</li><li><ul><li>b</li></ul></li></ul>"),
        ("<li>alone</li>", "<div>alone</div>"),
        ("<dd>alone</dd>", "<div>alone</div>"),
        ("<figcaption>alone</figcaption>", "<div>alone</div>"),
        ("<dl><div><dt>a</dt><dd>b</dd></div></dl>", "<dl><dt>a</dt><dd>b</dd></dl>"),
        ("<dl><dd>b</dd><dt>a</dt></dl>", "<dl><dt/><dd>b</dd><dt>a</dt><dd/></dl>"),
        ("<h2><div>a</div> <div>b</div></h2>", '<h2 id="s1">a<br/>b</h2>'),
        ("<pre>a<div>b</div></pre>", "<pre>a<br/>b</pre>"),
        (
            "<table><tfoot><tr><td>f</td></tr></tfoot><tr><td>1</td></tr><caption>c</caption><caption>d</caption></table>",
            "<table><caption>c<br/>d</caption><tbody><tr><td>1</td></tr></tbody><tfoot><tr><td>f</td></tr></tfoot></table>",
        ),
        (
            "<table><thead><tr><th><h3>a</h3></th></tr></thead><thead><tr><th>b</th></tr></thead></table>",
            "<table><thead><tr><th><p><strong>a</strong></p></th></tr></thead><tbody><tr><th>b</th></tr></tbody></table>",
        ),
        ('<table><tr><td colspan="0" rowspan="2">x</td></tr></table>',
         '<table><tbody><tr><td rowspan="2">x</td></tr></tbody></table>'),
        (
            f'<figure>x<figcaption>c</figcaption><img src="{PICTURE}"><figcaption>d</figcaption></figure>',
            '<figure>x<img src="a.png" alt=""/><div>d</div><figcaption>c</figcaption></figure>',
        ),
        (
            f'<a href="https://e.org/"><figure><img src="{PICTURE}" alt="A &amp; B"></figure></a>',
            '<figure><a href="https://e.org/"><img src="a.png" alt="A &amp; B"/></a></figure>',
        ),
        ("<header><h1>a</h1></header><article><aside>b</aside></article>",
         '<div><h2 id="s1">a</h2></div><div><div>b</div></div>'),
        ("<p>a<time>yesterday</time></p>", "<p>a<span>yesterday</span></p>"),
        ("<p>x\x01\ufffe\x0by</p>", "<p>xy</p>"),
        ("<p>&lt;b&gt; &amp;amp; &nbsp;</p>", "<p>&lt;b&gt; &amp;amp; \xa0</p>"),
        ("a<hr>b<br>c", "a<hr/>b<br/>c"),
    ],
)  # fmt: skip
def test_what_may_not_stand_there_is_mended(html: str, mended: str) -> None:
    assert xml(html) == mended


def test_headings_begin_below_the_title_and_do_not_repeat_it() -> None:
    html = "<h1>The  Title</h1><p>x</p><h1>One</h1><h3>Two</h3><h6>Three</h6>"
    markup = write_markup(html, {}, title="the title", prefix="a1-", syntax="html")
    assert markup.content == '<p>x</p><h2 id="a1-s1">One</h2><h4 id="a1-s2">Two</h4><h6 id="a1-s3">Three</h6>'
    assert [(each.level, each.id, each.text) for each in markup.headings] == [
        (2, "a1-s1", "One"),
        (4, "a1-s2", "Two"),
        (6, "a1-s3", "Three"),
    ]


def test_pictures_that_are_not_kept_leave_their_description() -> None:
    gone = '<img src="/media/image?url=https%3A%2F%2Fexample.org%2Fgone.png" alt="A bridge">'
    html = f"<figure>{gone}<figcaption>The bridge</figcaption></figure>" + gone.replace(' alt="A bridge"', "")
    markup = write_markup(html, KEPT)
    assert markup.missing_pictures == 2
    assert '<span class="no-picture">A bridge</span><figcaption>The bridge</figcaption>' in markup.content
    assert "Picture not included" in markup.content
    assert picture_urls(html) == ["https://example.org/gone.png"]


@pytest.mark.parametrize(
    ("href", "written"),
    [
        ("https://e.org/a|b{c}?d=[1]&e=%41#f", "https://e.org/a%7Cb%7Bc%7D?d=[1]&e=%41#f"),
        ("https://e.org/100%?é", "https://e.org/100%25?%C3%A9"),
        ("mailto:a b@example.org", "mailto:a%20b@example.org"),
        ("http://[::1]:8/", "http://[::1]:8/"),
    ],
)
def test_addresses_are_those_of_the_standard(href: str, written: str) -> None:
    assert web_url(href) == written


NESTED = st.recursive(
    st.sampled_from(["word", " ", "<br>", "<hr>", f'<img src="{PICTURE}">', "<img alt=x>"]),
    lambda inner: st.tuples(
        st.sampled_from(sorted(ALLOWED_TAGS - {"br", "hr", "img"})), st.lists(inner, max_size=4)
    ).map(lambda made: f"<{made[0]}>{''.join(made[1])}</{made[0]}>"),
    max_leaves=25,
)


def letters(text: str) -> Counter[str]:
    """The letters that the canonical text has as well, written the same way."""
    return Counter(each for each in unicodedata.normalize("NFC", text) if each.isalnum())


@given(SOUP | NESTED)
def test_no_text_is_lost_and_all_of_it_is_well_formed(soup: str) -> None:
    html = sanitize_html(soup, "https://example.org/")
    # The words for pictures that are not there are no text of the page.
    written = re.sub(r'<span class="no-picture">[^<]*</span>', "", xml(html))
    document = etree.fromstring(f"<div>{written}</div>")
    assert letters("".join(map(str, document.itertext()))) == letters(canonicalize(html))
    assert {str(each.tag) for each in document.iter()} <= ALLOWED_TAGS
    ids = [each.get("id") for each in document.iter() if each.get("id")]
    assert len(ids) == len(set(ids))
