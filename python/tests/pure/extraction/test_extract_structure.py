import pytest

from nexus.text.canonical_text import canonicalize
from nexus.text.extract_text import extract_text
from nexus.text.extraction.article_html import content_html
from nexus.text.extraction.blocks import collect_blocks
from nexus.text.extraction.parse_html import parse_html
from nexus.text.extraction.pictures.choose_pictures import Pictures


def keep_all(source: str) -> str:
    body = parse_html(source).find("body")
    assert body is not None
    page = collect_blocks(body)
    return content_html(page, page.blocks, Pictures([], {}))


@pytest.mark.parametrize(
    ("source", "html"),
    [
        ("<div>one</div><div>two</div>", "<p>one</p><p>two</p>"),
        (
            "<p>a <b>bold</b> and <i>slanted</i> word</p>",
            "<p>a <strong>bold</strong> and <em>slanted</em> word</p>",
        ),
        (
            '<p><a href="/x?a=1&amp;b=2" onclick="e()">link</a></p>',
            '<p><a href="/x?a=1&amp;b=2">link</a></p>',
        ),
        ("<ul><li>one<ul><li>two</li></ul></li></ul>", "<ul><li>one<ul><li>two</li></ul></li></ul>"),
        (
            "<a href='/x'><div>one</div><div>two</div></a>",
            '<p><a href="/x">one</a></p><p><a href="/x">two</a></p>',
        ),
        ("text<br><br>more<br>again", "<p>text</p><p>more<br>again</p>"),
        ("<pre>a = 1\n    b = 2\n</pre>", "<pre>a = 1\n    b = 2</pre>"),
        ("<pre><div>line 1</div><div>line 2</div></pre>", "<pre>line 1\nline 2</pre>"),
        ("<blockquote><p>said</p></blockquote>", "<blockquote><p>said</p></blockquote>"),
        (
            "<p><a href='/w'>Women</a><a href='/m'>Men</a> and <a href='/k'>kids</a></p>",
            '<p><a href="/w">Women</a><br><a href="/m">Men</a> and <a href="/k">kids</a></p>',
        ),
        ("<div role=heading aria-level=3>Wind</div><p>a</p>", "<h3>Wind</h3><p>a</p>"),
        ("<div><p>a</p><hr><hr><p>b</p></div><hr>", "<p>a</p><hr><p>b</p>"),
        ("<hr><p>a</p><div><p>b</p><hr></div><p>c</p>", "<p>a</p><p>b</p><p>c</p>"),
        (
            "<p><span style='font-weight: 700'>a</span> <font style='FONT-STYLE:italic'>b</font> <span>c</span></p>",
            "<p><strong>a</strong> <em>b</em> c</p>",
        ),
        ("<pre><span style='font-weight:bold'>if</span> x</pre>", "<pre>if x</pre>"),
        ("<p><b>bold <i>both</i></b> <i>it</i></p>", "<p><strong>bold <em>both</em></strong> <em>it</em></p>"),
        ("<a href=/x><h2>Wind</h2></a>", '<h2><a href="/x">Wind</a></h2>'),
        ("<menu><li>a</li></menu>", "<ul><li>a</li></ul>"),
        (
            "<ul><li><p>one</p><p>two</p></li><li>three<ul><li>four</li></ul>five</li></ul>",
            "<ul><li><p>one</p><p>two</p></li><li>three<ul><li>four</li></ul>five</li></ul>",
        ),
        (
            "<dl><dt>t</dt><dd>d1</dd><dd><p>d2</p><p>d3</p></dd></dl>",
            "<dl><dt>t</dt><dd>d1</dd><dd><p>d2</p><p>d3</p></dd></dl>",
        ),
        ("<details><summary>More</summary><p>inner</p></details>", "<p>More</p><p>inner</p>"),
        ("<p>x<sup id=r1><a href='#fn1'>[1]</a></sup> y</p>", '<p>x<sup><a href="#fn1">[1]</a></sup> y</p>'),
        (
            "<figure><blockquote><p>q</p></blockquote><figcaption>me</figcaption></figure>",
            "<figure><blockquote><p>q</p></blockquote><figcaption>me</figcaption></figure>",
        ),
        ("<p>a<script>evil()</script>b</p>", "<p>ab</p>"),
        ("<form><p>a</p><button>go</button></form>", "<p>a</p><p>go</p>"),
        ("<ul><li><div>a</div><a href='/b'>b</a></li></ul>", '<ul><li>a<br><a href="/b">b</a></li></ul>'),
        ("<p>1 &lt; 2 &amp; 3</p>", "<p>1 &lt; 2 &amp; 3</p>"),
        ("<ol start=3><li><div>a</div><div>b</div></li></ol>", '<ol start="3"><li>a<br>b</li></ol>'),
    ],
)
def test_structure_comes_from_the_page(source: str, html: str) -> None:
    assert keep_all(source) == html


def test_tables_keep_rows_cells_and_spans() -> None:
    html = keep_all("<table><tr><th colspan=2>h</th></tr><tr><td>1</td><td><div>2</div></td></tr></table>")
    assert html == '<table><tr><th colspan="2">h</th></tr><tr><td>1</td><td>2</td></tr></table>'
    assert canonicalize(html) == "h\n1\t2"


def test_a_short_last_code_block_and_the_picture_before_it_stay_with_their_article() -> None:
    prose = "The keeper wrote one line a day, and on most days it was about the wind that came in from the sea."
    page = (
        f"<html><body><nav><a href='/'>Home</a></nav><article><h1>Wind</h1>{f'<p>{prose}</p>' * 4}"
        "<ul><li>north</li><li>south</li></ul><img src='/wind.jpg' alt='Wind'><pre>blow(7)\nstop()</pre></article>"
        "<footer><p>© 2026 All rights reserved</p></footer></body></html>"
    )
    html = extract_text(page.encode(), content_type="text/html", url=None).content_html
    assert html.endswith('</ul><img src="/wind.jpg" alt="Wind"><pre>blow(7)\nstop()</pre>')
