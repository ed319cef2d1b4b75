"""Preparing a page of any content never fails."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nexus.errors import UnparsableHtmlError
from nexus.text.extract_text import extract_text
from nexus.text.html_tree import word_set
from tests.pure.prepare.prepared import PROSE

TAGS = sorted(
    word_set(
        "a audio b blockquote body br code dd div dialog dl dt embed figcaption figure h2 iframe img li"
        " lite-youtube math annotation mfrac mi mjx-container mo msqrt msup mtable mtr noscript object ol p param pre"
        " script source span sup table tbody td template th tr ul video"
    )
)
ATTRIBUTES = (
    "hidden",
    "aria-hidden=true",
    "style='display:none'",
    "class=katex",
    "class='katex-display'",
    "class=MathJax",
    "class=MathJax_Preview",
    "class=mwe-math-element",
    "class=mw-editsection",
    "class=headerlink",
    "class=sr-only",
    "class=ltx_equation",
    "href='#x'",
    "href='/edit'",
    "type='math/tex'",
    "type='math/mml; mode=display'",
    "data-mathml='<'",
    "data-mathml='<math><mi>x'",
    "display=block",
    "alttext='x^2'",
    "alt='$x_1$'",
    "src='https://www.youtube.com/embed/abcdefghijk'",
    "src='http://['",
    "src='/a.jpg'",
    "data-src='//a.example/embed'",
    "videoid=abc",
    "role=tabpanel",
    "role=presentation",
    "title=Title",
    "title='A&#2;b'",
    "alt='x&#3;'",
    "alttext='x&#1;y'",
    "data-latex='&#xFFFE;&#12;'",
    "class=mjx-c01",
    "data-c=D800",
    "src='http://[tex=1'",
    "src='https://a.example/c?tex=a%00b'",
    "src='https://w.soundcloud.com/player/?url=https%3A//a.example/%01'",
    "src='data:x'",
    "data-mathml='<math><!-- c --><?p?><mi>x'",
)
# What preparing replaces by ordinary HTML, and characters that the text cannot hold.
REPLACED = re.compile(r"<(?:script|noscript|iframe|object|annotation|mjx-container)\b")
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
TAG = st.builds(
    lambda tag, attributes, end: f"</{tag}>" if end else f"<{tag} {' '.join(attributes)}>",
    st.sampled_from(TAGS),
    st.lists(st.sampled_from(ATTRIBUTES), max_size=2),
    st.booleans(),
)
PAGES = st.lists(
    TAG | st.sampled_from(["word", " ", "#", "1\n2", "[", "]", "<math>", "%", "&#1;", "\x0c"]), max_size=40
).map("".join)


@settings(max_examples=150, deadline=None)
@given(PAGES)
def test_no_page_fails_but_as_one_without_html(source: str) -> None:
    try:
        found = extract_text(source.encode(), content_type="text/html; charset=utf-8", url="https://example.test/")
    except UnparsableHtmlError:
        return
    assert not REPLACED.search(found.content_html)
    assert not CONTROL.search(found.text)


@pytest.mark.parametrize(
    "part",
    [
        '<h2>Part<a class="headerlink" href="#a">¶</a>\x0c two</h2>',
        '<h2>Part<a class="headerlink" href="#a">¶</a>&#1; two</h2>',
        '<h2>Part&#1; [<a href="/edit">edit</a>]&#1; two</h2>',
        '<iframe src=https://www.youtube.com/embed/abcdefghijk title="A&#2;b"></iframe>',
        '<iframe src="https://w.soundcloud.com/player/?url=https%3A//a.example/%01"></iframe>',
        '<p>So <math alttext="x&#1;y"><mi>x</mi></math>&#1;</p>',
        '<table><tr><td><math alttext="x&#1;y"><mi>x</mi></math>&#1;</td><td>(1&#1;)</td></tr></table>',
        '<p>So <img src="https://a.example/c?tex=a%00b"></p>',
        '<p>So <img src="http://[tex=1" alt="x"></p>',
        '<img src="data:x"><noscript><img src="/a.jpg" alt="x&#3;"></noscript>',
        '<p>So <mjx-container><mjx-c class="mjx-c01"></mjx-c></mjx-container></p>',
        '<p>So <mjx-container><mjx-c class="mjx-cD800"></mjx-c></mjx-container></p>',
        '<p>So <span class="MathJax" data-mathml="&lt;math>&lt;!-- c -->&lt;mi>x&#1;&lt;/mi>">x</span></p>',
        '<p>So <script type="math/mml"><math><!-- c --><?p?><mi>x</mi></math></script></p>',
    ],
)
def test_characters_and_addresses_that_cannot_be_written(part: str) -> None:
    page = f"<article><p>{PROSE}</p>{part}<p>{PROSE}</p></article>"
    found = extract_text(page.encode(), content_type="text/html; charset=utf-8", url="https://example.test/")
    assert PROSE.strip() in found.text
