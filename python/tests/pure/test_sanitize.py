import pytest

from nexus.text.html_tree import word_set
from nexus.text.sanitize import ALLOWED_TAGS, MAX_DEPTH, sanitize_html

BASE = "https://site.example/articles/one.html"
LINK = 'rel="noopener noreferrer" target="_blank" referrerpolicy="no-referrer"'
PROXY = "/media/image?url=https%3A%2F%2Fsite.example%2F"


def clean(html: str, base: str = BASE) -> str:
    sanitized = sanitize_html(html, base)
    assert sanitize_html(sanitized, base) == sanitized
    return sanitized


def test_the_contract_lists_these_tags() -> None:
    contract = (
        "p br strong em b i u s blockquote pre code ul ol li h1 h2 h3 h4 h5 h6 hr a img"
        " table thead tbody tfoot tr th td caption sup sub dl dt dd figure figcaption"
        " div span section article header footer aside mark small del ins kbd samp var abbr cite q time"
    )
    assert word_set(contract) == ALLOWED_TAGS


def test_nothing_comes_of_nothing() -> None:
    assert clean("") == ""


def test_structure_stays_and_decoration_goes() -> None:
    html = '<h2 id=x class=y style="color:red" data-z=1 onclick=go()>Title</h2><p>A <b>b</b><br>c</p><hr>'
    assert clean(html) == "<h2>Title</h2><p>A <b>b</b><br>c</p><hr>"


def test_allowed_attributes_stay() -> None:
    html = (
        '<ol start="3"><li>x</li></ol><time datetime="2024-05-01">May</time>'
        '<table><tbody><tr><th colspan="2">h</th><td rowspan="3">d</td></tr></tbody></table>'
    )
    assert clean(html) == html


@pytest.mark.parametrize("value", ["2;", "x", "", "-1", "99999999", "1e3", "٣"])
def test_a_number_that_is_none_goes(value: str) -> None:
    html = f'<table><tbody><tr><td colspan="{value}">d</td></tr></tbody></table>'
    assert clean(html) == "<table><tbody><tr><td>d</td></tr></tbody></table>"


REMOVED_WITH_CONTENT = word_set(
    "script style iframe form object svg math template noscript canvas audio video select textarea button"
)


@pytest.mark.parametrize("tag", sorted(REMOVED_WITH_CONTENT))
def test_an_element_removed_with_its_content_leaves_its_neighbours(tag: str) -> None:
    sanitized = clean(f"<div>one <{tag}>inside</{tag}>two</div>three")
    assert "inside" not in sanitized
    assert sanitized.replace("<br>", "") == "<div>one two</div>three"


@pytest.mark.parametrize("tag", ["meta", "link", "base", "embed"])
def test_a_void_element_that_goes_leaves_its_neighbours(tag: str) -> None:
    assert clean(f"<p>one <{tag} href='x' content='y'>two</p>three") == "<p>one two</p>three"


def test_a_form_between_words_still_separates_them() -> None:
    assert clean("one<form>x</form>two") == "one<br>two"


def test_comments_go() -> None:
    assert clean("a<!-- <b>b</b> --><![CDATA[c]]><?php d ?>e") == "ae"


def test_unknown_elements_are_unwrapped_in_place() -> None:
    assert clean("<p>a <font>b <blink>c</blink></font> d</p>") == "<p>a b c d</p>"


@pytest.mark.parametrize("tag", ["main", "nav", "address", "details", "center", "fieldset"])
def test_unknown_blocks_keep_their_words_apart(tag: str) -> None:
    assert clean(f"<{tag}>a</{tag}><{tag}>b</{tag}>") == "<div>a</div><div>b</div>"


def test_old_markup_keeps_its_meaning() -> None:
    assert clean("<strike>a</strike><tt>b</tt><acronym>c</acronym>") == "<s>a</s><code>b</code><abbr>c</abbr>"
    assert clean("<menu><li>a</li></menu><xmp><b>x</xmp>") == "<ul><li>a</li></ul><pre>&lt;b&gt;x</pre>"


@pytest.mark.parametrize(
    ("href", "resolved"),
    [
        ("two.html", "https://site.example/articles/two.html"),
        ("/root?q=1&amp;r=2#f", "https://site.example/root?q=1&amp;r=2#f"),
        ("//cdn.example/x", "https://cdn.example/x"),
        ("#note", "https://site.example/articles/one.html#note"),
        ("?p=2", "https://site.example/articles/one.html?p=2"),
        ("HTTP://EXAMPLE.org", "http://example.org/"),
        ("mailto:who@example.org", "mailto:who@example.org"),
        ("\u00a0javascript:alert(1)", "https://site.example/articles/%C2%A0javascript:alert(1)"),
        ("\u2028javascript:alert(1)", "https://site.example/articles/%E2%80%A8javascript:alert(1)"),
        ("a\nb", "https://site.example/articles/ab"),
    ],
)
def test_links_are_absolute(href: str, resolved: str) -> None:
    assert clean(f'<a href="{href}">x</a>') == f'<a href="{resolved}" {LINK}>x</a>'


@pytest.mark.parametrize(
    "href",
    [
        "javascript:alert(1)",
        " java\tscript:alert(1)",
        "&#106;avascript:alert(1)",
        "\x01javascript:alert(1)",
        "vbscript:x",
        "data:text/html,x",
        "file:///etc/passwd",
        "ftp://example.org/",
        "blob:https://site.example/1",
        "tel:123",
        "http://[::1",
    ],
)
def test_other_schemes_lose_their_href(href: str) -> None:
    assert clean(f'<a href="{href}" title="t">x</a>') == f'<a title="t" {LINK}>x</a>'


def test_a_link_brings_its_own_rel_in_vain() -> None:
    html = '<a href="/" rel="opener" target="_top" referrerpolicy="unsafe-url" ping="/p" download>x</a>'
    assert clean(html) == f'<a href="https://site.example/" {LINK}>x</a>'


def test_the_base_element_counts_and_goes() -> None:
    html = '<head><base href="/sub/"><base href="/not/"></head><a href="x">y</a>'
    assert clean(html) == f'<a href="https://site.example/sub/x" {LINK}>y</a>'


@pytest.mark.parametrize("base", ["javascript:alert(1)//", "data:text/html,x/", "http://[", ""])
def test_a_base_that_is_no_web_address_is_ignored(base: str) -> None:
    assert clean(f'<base href="{base}"><a href="x">y</a>') == (
        f'<a href="https://site.example/articles/x" {LINK}>y</a>'
    )


def test_without_a_base_only_absolute_addresses_stay() -> None:
    assert clean('<a href="x">a</a><a href="https://b.example/">b</a>', base="") == (
        f'<a {LINK}>a</a><a href="https://b.example/" {LINK}>b</a>'
    )


@pytest.mark.parametrize(
    "image",
    [
        '<img src="i.png">',
        '<img src="placeholder.gif" data-src="i.png">',
        '<img src="data:image/gif;base64,R0lGOD" data-original="i.png">',
        '<img data-lazy-src="i.png" src="https://site.example/articles/other.png">',
        '<img src="/img/blank.gif" srcset="small.png 100w, i.png 1000w, huge.png 5000w">',
        '<img srcset="s.png 1x, i.png 2x">',
        '<img data-srcset="i.png 300w" src="lazy-placeholder.svg">',
        '<picture><source srcset="i.png 2x, s.png 1x"><img src="data:,"></picture>',
        '<picture><source data-srcset="i.png"><img></picture>',
        '<img data-src="{{photo}}" src="i.png">',
        '<img data-src="javascript:alert(1)" src="i.png">',
    ],
)
def test_the_real_image_is_found_and_proxied(image: str) -> None:
    assert clean(image) == f'<img src="{PROXY}articles%2Fi.png">'


def test_a_comma_inside_an_address_of_a_srcset_is_part_of_it() -> None:
    assert clean('<img srcset="/w_10,h_5/a.png 1x, /w_20,h_9/b.png 2x">') == (f'<img src="{PROXY}w_20%2Ch_9%2Fb.png">')


def test_an_image_keeps_its_description_and_size() -> None:
    html = '<img src="i.png" alt="a &quot;b&quot; &lt;c&gt;" width="640" height="auto" onerror="x">'
    assert clean(html) == f'<img alt="a &quot;b&quot; &lt;c&gt;" src="{PROXY}articles%2Fi.png" width="640">'


def test_an_image_without_an_address_is_only_its_description() -> None:
    assert clean('<img src="data:image/png;base64,x" alt="chart"><img src="javascript:1">') == '<img alt="chart">'


@pytest.mark.parametrize("inner", ["javascript%3Ax", "%2Fx.png", "", "https://a.example/", "ftp%3A%2F%2Fa"])
def test_an_address_that_only_looks_proxied_is_proxied_itself(inner: str) -> None:
    sanitized = clean(f'<img src="/media/image?url={inner}">')
    assert sanitized.startswith(f'<img src="{PROXY}media%2Fimage%3Furl%3D')


def test_nested_links_and_misplaced_blocks_settle() -> None:
    assert clean('<table><tr><a href="/1">x<td><a href="/2">y</table>').count("<a ") == 2
    assert clean("<p><marquee><p>x</p></marquee></p>") == "<p></p><div><p>x</p></div><p></p>"


def test_the_first_newline_of_pre_is_not_eaten_again_and_again() -> None:
    assert clean("<pre>\n\n\n  a\n b</pre>") == "<pre>  a\n b</pre>"
    assert clean("<pre><font>\n\na</font></pre>") == "<pre>a</pre>"


@pytest.mark.parametrize("depth", [255, 300, 5000])
def test_text_below_any_depth_stays_and_is_separated(depth: int) -> None:
    sanitized = clean("<div>" * depth + "<p>one</p><p>two</p>" + "</div>" * depth + "<p>after</p>")
    assert "one<br>two<br>" in sanitized
    assert sanitized.endswith("<p>after</p>")
    assert sanitized.count("<div>") == MAX_DEPTH


def test_nul_and_surrogates_cannot_reach_the_database() -> None:
    assert clean("<p>a\0b\ud800c&#0;d</p>") == "<p>ab\ufffdc\ufffdd</p>"


def test_white_space_at_the_edges_is_part_of_the_fragment() -> None:
    assert clean("  <p>a</p>\n") == "  <p>a</p>\n"
