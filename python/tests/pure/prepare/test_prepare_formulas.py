"""Each formula is written once, as code with its TeX or a line of text."""

import pytest

from nexus.text.extraction.formula_blocks import with_formulas
from nexus.text.extraction.parse_html import parse_html
from nexus.text.extraction.prepare.mathml import linear_form
from tests.pure.prepare.prepared import html, page_of, texts

TEX = r"E=mc^{2}"
MATH = (
    "<math{0}><semantics><mrow><mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup></mrow>"
    '<annotation encoding="application/x-tex">{1}</annotation></semantics></math>'
)
DRAWN = "<span class='katex-html' aria-hidden=true><span>E</span><span>=</span><span>mc2</span></span>"
ENCYCLOPEDIA = (
    "<span class='mwe-math-element'><span class='mwe-math-mathml-inline' style='display: none;'>"
    + MATH.format("", r"{\displaystyle E=mc^{2}}")
    + "</span><img src='/f.svg' class='mwe-math-fallback-image-inline' aria-hidden=true"
    + r" alt='{\displaystyle E=mc^{2}}'></span>"
)
ASSISTED = (
    "<mjx-container class=MathJax{0}><mjx-math aria-hidden=true></mjx-math><mjx-assistive-mml>"
    + MATH.format("", TEX).replace("{", "{{").replace("}", "}}")
    + "</mjx-assistive-mml></mjx-container>"
)
SCRIPTED = (
    "<span class='MathJax_Preview'>E=…</span><span class='MathJax' id=M-1><nobr>E=mc2</nobr></span>"
    "<script type='math/tex{0}'>E=mc^{{2}}</script>"
)


@pytest.mark.parametrize(
    "formula",
    [
        MATH.format("", TEX),
        "<math alttext='E=mc^{2}'><mi>E</mi></math>",
        ENCYCLOPEDIA,
        f"<span class='katex'><span class='katex-mathml'>{MATH.format('', TEX)}</span>{DRAWN}</span>",
        ASSISTED.format(""),
        SCRIPTED.format(""),
        "<img class='latex' src='/l.png' alt='$E=mc^{2}$'>",
        "<img width=68 height=34 src='img3.png' alt='$ E=mc^{2}$'>",
        "<img src='https://draw.example/equation?tex=E%3Dmc%5E%7B2%7D' alt=''>",
        "<img class='math' src='/l.png' alt='E=mc^{2}'>",
        "<img src='https://latex.draw.example/png?abc' alt='E=mc^{2}'>",
        "<img src='https://draw.example/cgi-bin/mimetex.cgi?abc' alt='E=mc^{2}'>",
        "<img class='inline-formula' src='/l.png' alt='\\(E=mc^{2}\\)'>",
    ],
)
def test_a_formula_in_a_line_is_written_once(formula: str) -> None:
    page = f"<p>The formula {formula} was written on the wall.</p>"
    assert html(page) == f"<p>The formula <code>{TEX}</code> was written on the wall.</p>"


@pytest.mark.parametrize(
    "formula",
    [
        MATH.format(" display=block", TEX),
        f"<p class='katex-display'><span class='katex'>{MATH.format(' display=block', TEX)}{DRAWN}</span></p>",
        ASSISTED.format(" display=true"),
        "<div class='MathJax_Display'><span class='MathJax'>E=mc2</span></div>"
        "<script type='math/tex; mode=display'>E=mc^{2}</script>",
    ],
)
def test_a_displayed_formula_is_a_paragraph(formula: str) -> None:
    assert html(f"<div>Before {formula} after.</div>") == f"<p>Before</p><p><code>{TEX}</code></p><p>after.</p>"


def test_equation_tables_become_paragraphs_and_tables_of_formulas_stay() -> None:
    cell = "<td><math alttext='\\displaystyle {0}'><mi>x</mi></math></td>"
    table = f"<table class='ltx_equationgroup'><tr>{cell.format('a')}{cell.format('=b')}<td>(1)</td></tr></table>"
    assert html(table) == "<p><code>a =b</code> (1)</p>"
    between = "<tr><td colspan=3>and with the wind behind</td></tr>"
    assert html(table.replace("</tr>", f"</tr>{between}")).endswith("(1)</p><p>and with the wind behind</p>")
    assert html(f"<table><tr><td> </td>{cell.format('a')}<td>(2.1)</td></tr></table>") == "<p><code>a</code> (2.1)</p>"
    row = f"<tr>{cell.format('a')}{cell.format('b')}</tr>"
    assert html(f"<table>{row}{row}</table>").startswith("<table><tr><td><code>a</code>")
    assert html(f"<table><tr><td>mass</td>{cell.format('m')}</tr><tr><td>x</td><td>y</td></tr></table>").startswith(
        "<table>"
    )


def test_data_tables_with_formulas_stay() -> None:
    row = "<tr><td>{0}</td><td><math alttext='{1}'><mi>x</mi></math></td></tr>"
    rows = row.format("Circle", "r^2") + row.format("Square", "a^2")
    assert html(f"<table>{rows}</table>").startswith("<table><tr><td>Circle</td><td><code>r^2</code></td></tr>")
    values = row.format("1", "1^2") + row.format("4", "2^2")
    assert html(f"<table>{values}</table>").startswith("<table><tr><td>1</td>")


def test_equation_tables_keep_the_order_and_the_links_and_pictures() -> None:
    math = "<math alttext='x^2'><mi>x</mi></math>"
    assert html(f"<table><tr><td>(1)</td><td>{math}</td></tr></table>") == "<p>(1) <code>x^2</code></p>"
    assert html(f"<table><tr><td>{math}</td><td>(<b>1</b>)</td></tr></table>") == "<p><code>x^2</code> (1)</p>"
    between = f"<tr><td>where {math} and</td><td>{math}{math}</td><td>(2)</td></tr>"
    named = f"<table class=ltx_equationgroup>{between}{{0}}</table>"
    line = "<p>where <code>x^2</code> and <code>x^2 x^2</code> (2)</p>"
    assert html(named.format("")) == line
    found = html(named.format("<tr><td>see <a href='/a'>there</a></td><td><img src='/a.jpg' alt=''></td></tr>"))
    assert '<a href="/a">there</a>' in found
    assert '<img src="/a.jpg"' in found
    assert "<table>" not in found
    found = html(f"<table><tr><td>{math} <a href='/a'>(1)</a></td></tr><tr><td>{math}</td></tr></table>")
    assert '<a href="/a">(1)</a>' in found


@pytest.mark.processor_seconds(60)
def test_huge_equation_tables() -> None:
    math = "<math alttext='x^2'></math>"
    wide = f"<table class=ltx_equation><tr><td>{math}{'<b>a</b>' * 100_000}</td></tr></table>"
    nested = f"<table class=ltx_equation><tr><td>{math}" * 300 + "<b>a</b>" * 50_000
    assert len(texts(wide)) == 1
    assert texts(nested)


def test_formulas_between_kept_blocks_are_kept() -> None:
    alone = MATH.format(" display=block", TEX)
    page = page_of(f"<p>one</p>{alone}<dl><dd>{MATH.format('', TEX)} (1)</dd></dl><p>two</p>{alone}<p>three</p>{alone}")
    kept = [i for i, block in enumerate(page.blocks) if block.text in ("one", "two")]
    assert [page.blocks[i].text for i in with_formulas(page, kept)] == ["one", TEX, f"{TEX} (1)", "two"]


def test_a_drawing_without_mathml_gives_its_characters() -> None:
    drawn = "<mjx-c class='mjx-c1D465 TEX-I'></mjx-c><mjx-c class='mjx-c3D'></mjx-c><mjx-c class='mjx-c32'></mjx-c>"
    assert texts(f"<p>Let <mjx-container class=MathJax><mjx-math>{drawn}</mjx-math></mjx-container>.</p>") == [
        "Let x=2."
    ]
    drawn = "<svg><use data-c='1D465'></use><use data-c='2B'></use><path data-c='31'></path></svg>"
    assert texts(f"<p>Let <mjx-container jax=SVG>{drawn}</mjx-container>.</p>") == ["Let x+1."]


def test_mathml_in_scripts_and_attributes() -> None:
    script = "<script type='math/mml'><math><mi>E</mi><mo>=</mo><mn>1</mn></math></script>"
    assert texts(f"<p>So {script}</p>") == ["So E = 1"]
    drawn = "<span class=MathJax data-mathml='&lt;math>&lt;mi>E&lt;/mi>&lt;mo>=&lt;/mo>&lt;mn>1&lt;/mn>'>E1</span>"
    assert texts(f"<p>So {drawn}</p>") == ["So E = 1"]


def test_a_paragraph_with_the_class_of_a_formula_is_left_alone() -> None:
    prose = "We need to solve this equation in order to find both, and after that it is no problem to go on."
    assert html(f"<div class=MathJax_Display>{prose}</div>") == f"<p>{prose}</p>"


@pytest.mark.parametrize("names", ["post katex", "entry MathJax", "katex-display"])
@pytest.mark.parametrize("tag", ["article", "div"])
def test_an_article_with_the_class_of_a_formula_keeps_its_text(tag: str, names: str) -> None:
    katex = f"<span class='katex'><span class='katex-mathml'>{MATH.format('', TEX)}</span>{DRAWN}</span>"
    page = "<p>one</p><p>two</p>{0}<p>three</p><p>four</p><p>five</p><script type='math/tex'>y</script>"
    kept = "<p>one</p><p>two</p><p>{0}</p><p>three</p><p>four</p><p>five</p>"
    found = html(f"<{tag} class='{names}'>{page.format(f'<p>{katex}</p>')}</{tag}>")
    assert found.startswith(kept.format(f"<code>{TEX}</code>"))
    line = f"<p class='{names}'>Let {{0}} be known, and {{0}} too.</p>"
    assert html(line.format(katex)) == f"<p>Let <code>{TEX}</code> be known, and <code>{TEX}</code> too.</p>"
    assert html(f"<{tag} class='{names}'>{katex} {katex}</{tag}>").count("<code>") == 2


@pytest.mark.processor_seconds(60)
def test_nested_elements_with_the_class_of_a_formula() -> None:
    deep = "<div class=katex>" * 1_800 + "<span>x</span>" * 50_000 + "<p>one</p><math alttext='y'></math>"
    assert "one" in texts(deep)


def test_code_is_not_nested() -> None:
    found = html(f"<pre>print {MATH.format('', TEX)}</pre><p><code>a {MATH.format('', TEX)}</code></p>")
    assert found == f"<pre>print {TEX}</pre><p><code>a {TEX}</code></p>"


def test_text_with_dollar_signs_and_other_pictures_are_left_alone() -> None:
    assert texts("<p>From $5 to $9, and $x^2$.</p>") == ["From $5 to $9, and $x^2$."]
    page = "<p>one</p><img class='equation-photo' src='/wall.jpg' alt='A wall'><p>two</p>"
    assert html(page) == '<p>one</p><img src="/wall.jpg" alt="A wall"><p>two</p>'


@pytest.mark.parametrize(
    "picture",
    [
        '<img src="/blog/latex-tips/fig1.png" alt="my_screenshot">',
        '<img src="/latex/fig1.png" alt="my_screenshot">',
        '<img src="/draw?vertex=1" alt="Three towers">',
        '<img class="math" src="/lesson.jpg" alt="Children in a math lesson" width=800>',
        '<img class="tex" src="/lesson.jpg" alt="my_screenshot">',
    ],
)
def test_photographs_are_no_formulas(picture: str) -> None:
    found = html(f"<p>one</p>{picture}<p>two</p>")
    assert found.startswith("<p>one</p><img ")
    assert "<code>" not in found


@pytest.mark.parametrize(
    ("markup", "line"),
    [
        ("<mi>a</mi><mo>+</mo><mfrac><mrow><mi>b</mi><mo>-</mo><mn>1</mn></mrow><mi>c</mi></mfrac>", "a + (b-1)/c"),
        ("<msub><mi>x</mi><mrow><mi>i</mi><mi>j</mi></mrow></msub><mo>\u2062</mo><msqrt><mn>2</mn></msqrt>", "x_ij√2"),
        ("<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>0</mn></mrow><mi>n</mi></munderover>", "∑_(i = 0)^n"),
        ("<mroot><mi>x</mi><mn>3</mn></mroot>", "√[3]x"),
        ("<mover><mi>x</mi><mo>¯</mo></mover><mo>,</mo><msup><mi>f</mi><mo>\u2032</mo></msup>", "x\u0304, f\u2032"),
        ("<mfrac><mn>1</mn><mrow><mn>2</mn><mi>a</mi></mrow></mfrac>", "1/(2a)"),
        ("<mfrac><mrow><mn>2</mn><mi>a</mi></mrow><mn>1.5</mn></mfrac>", "2a/1.5"),
        ("<msup><mi>e</mi><mrow><mn>2</mn><mi>a</mi></mrow></msup>", "e^(2a)"),
        ("<msup><mfrac><mi>a</mi><mi>b</mi></mfrac><mn>2</mn></msup>", "(a/b)^2"),
        ("<msup><mrow><mo>(</mo><mi>a</mi><mo>+</mo><mi>b</mi><mo>)</mo></mrow><mn>2</mn></msup>", "(a + b)^2"),
        (
            "<msup><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mi>c</mi></mfrac><mn>2</mn></msup>",
            "((a + b)/c)^2",
        ),
        ("<msqrt><mn>2</mn><mi>a</mi></msqrt>", "√(2a)"),
        ("<mmultiscripts><mi>C</mi><mprescripts/><mn>6</mn><mn>14</mn></mmultiscripts>", "_6^14C"),
        ("<mmultiscripts><mi>R</mi><mi>i</mi><none/><none/><mi>j</mi></mmultiscripts>", "R_i^j"),
        ("<mfenced><mi>a</mi><mi>b</mi></mfenced>", "(a, b)"),
        ("<mtable><mtr><mtd>1</mtd><mtd>0</mtd></mtr><mtr><mtd><mn>2</mn></mtd></mtr></mtable>", "1, 0; 2"),
        ("<msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup><mtext>if</mtext><mspace/><mi>y</mi>", "x_1^2 if y"),
    ],
)  # fmt: skip
def test_the_line_of_a_formula_without_tex(markup: str, line: str) -> None:
    math = next(parse_html(f"<math>{markup}</math>").iter("math"))
    assert linear_form(math) == line


@pytest.mark.processor_seconds(60)
def test_huge_formulas() -> None:
    deep = "<msup><mi>x</mi>" * 1_500 + "<mi>y</mi>" + "</msup>" * 1_500
    found = texts(f"<p>a <math>{deep}</math></p><p>{'<math><mi>x</mi></math>' * 30_000}</p>")
    assert len(found) == 2
