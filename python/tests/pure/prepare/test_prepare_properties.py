"""Whatever a page is made of, preparing it never fails."""

from hypothesis import given, settings
from hypothesis import strategies as st

from nexus.errors import UnparsableHtmlError
from nexus.text.extract_text import extract_text
from nexus.text.html_tree import tag_names

TAGS = sorted(
    tag_names(
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
)
TAG = st.builds(
    lambda tag, attributes, end: f"</{tag}>" if end else f"<{tag} {' '.join(attributes)}>",
    st.sampled_from(TAGS),
    st.lists(st.sampled_from(ATTRIBUTES), max_size=2),
    st.booleans(),
)
PAGES = st.lists(TAG | st.sampled_from(["word", " ", "#", "1\n2", "[", "]", "<math>", "%"]), max_size=40).map("".join)


@settings(max_examples=150, deadline=None)
@given(PAGES)
def test_any_page_can_be_prepared(source: str) -> None:
    try:
        extract_text(source.encode(), content_type="text/html; charset=utf-8", url="https://example.test/")
    except UnparsableHtmlError:
        return
