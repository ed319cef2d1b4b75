"""Layout tables are told from data tables; two line breaks are a paragraph."""

import pytest

from tests.pure.prepare.prepared import PROSE, html, texts


@pytest.mark.parametrize(
    "table",
    [
        "<table role=presentation><tr><td>a<td>b</table>",
        "<table><tr><td>a</td></tr><tr><td>b</td></tr></table>",
        "<table><tr><td><table><tr><td>a</td></tr></table></td><td>b</td></tr></table>",
        "<table width='100%'><tr><td><form>a</form></td><td>b</td></tr></table>",
        "<table><tr><td><h2>a</h2></td><td>b</td></tr></table>",
        "<table><tr><td>a</td><td>b</td></tr></table>",
        "<table role=presentation><tr><th>a</th><th>b</th></tr></table>",
        "<table role=presentation><caption>a</caption><tr><td>b</td></tr></table>",
    ],
)
def test_layout_tables_become_blocks(table: str) -> None:
    assert "<table" not in html(table)
    assert texts(table) == ["a", "b"]


def test_a_menu_beside_the_text_of_a_page_is_layout() -> None:
    menu = "<a href=/>Home</a><br><a href=/b>Book</a>"
    page = f"<table width='100%'><tr><td>{menu}</td><td>{PROSE}<br><br>End</td></tr></table>"
    assert "<table" not in html(page)
    assert texts(page)[1:] == [PROSE.strip(), "End"]


@pytest.mark.parametrize(
    "table",
    [
        "<table><tr><th>Year</th><th>Wind</th></tr><tr><td>1900</td><td>7</td></tr></table>",
        "<table><tr><td>1900</td><td>7</td></tr><tr><td>1901</td><td>8</td></tr></table>",
        "<table><caption>Wind</caption><tr><td>7</td></tr></table>",
        f"<table><tr><td>-v</td><td>{PROSE}</td></tr><tr><td>-q</td><td>{PROSE}</td></tr><tr><td>-x</td><td>x</td></tr></table>",
        "<table><tr><td><p>a</p></td><td><ul><li>b</li><li>c</li></ul></td></tr><tr><td>d</td><td>e</td></tr></table>",
        "<table><tr><td><h3>1900</h3></td><td>7</td></tr><tr><td>1901</td><td>8</td></tr></table>",
        "<table><tr><td><h3>Pros</h3></td><td><h3>Cons</h3></td></tr>"
        "<tr><td><p>Cheap</p></td><td><ul><li>Slow</li><li>Loud</li></ul></td></tr></table>",
    ],
)
def test_data_tables_stay_tables(table: str) -> None:
    found = html(table)
    assert found.startswith("<table>")
    assert found.count("<tr>") == table.count("<tr>")


def test_a_data_table_inside_a_layout_table_stays() -> None:
    inner = "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>"
    assert html(f"<table><tr><td>menu</td><td>{inner}</td></tr></table>") == f"<p>menu</p>{inner}"


def test_cards_and_a_page_with_headings_are_layout() -> None:
    card = "<td><h3>Wind</h3><p>A line a day.</p></td>"
    assert "<table" not in html(f"<table><tr>{card}{card}</tr><tr>{card}{card}</tr></table>")
    menu = "<tr><td>Home</td><td>Book</td></tr>"
    page = f"<table>{menu * 4}<tr><td>Menu</td><td><h2>Wind</h2>{PROSE}</td></tr></table>"
    assert "<table" not in html(page)


@pytest.mark.parametrize(
    "gap", ["<br><br>", "<br> <br>", "<br>&nbsp;<br>", "<br>\n<span> </span><br/>", "<b><br></b><br>"]
)
def test_two_line_breaks_end_a_paragraph(gap: str) -> None:
    assert texts(f"<div>one{gap}two<br>three</div>") == ["one", "two three"]
    table = "<table><tr><th>a</th><td>one{0}two</td></tr></table>"
    assert html(table.format(gap)) == table.format("<br><br>")
    assert html(f"<ul><li>one{gap}two<br>three</li></ul>") == "<ul><li>one<br><br>two<br>three</li></ul>"


def test_line_numbers_beside_code_are_gone() -> None:
    page = "<table><tr><td><pre>9\n10\n</pre></td><td><pre>a = 1\nb = 2</pre></td></tr></table>"
    assert html(page) == "<pre>a = 1\nb = 2</pre>"
    page = "<table><tr><td><pre>9\n11\n</pre></td><td><pre>a = 1</pre></td></tr></table>"
    assert html(page) == "<pre>9\n11</pre><pre>a = 1</pre>"


@pytest.mark.processor_seconds(60)
def test_tables_in_tables_in_tables() -> None:
    deep = "<table><tr><td>x" * 600 + "</table>" * 600
    assert len(texts(deep + "<table><tr><td>y</table>" * 20_000)) == 20_600
