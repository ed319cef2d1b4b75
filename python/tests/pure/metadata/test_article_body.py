"""The article's text in JSON-LD: when it is used, and how it is read."""

import json
from html import escape

import pytest

from nexus.text.extract_text import extract_text
from nexus.text.extraction.metadata.article_body import read_body
from nexus.text.extraction.result import Extraction
from nexus.text.html_tree import word_set

STORY = [
    "The lagoon freezes from the edges, and by January a man can walk to the second island without wetting his boots.",
    "Nobody walks back after dark, because the lamps on the shore cannot be told from those of the fishing boats.",
    "In March the ice sings for a week before it breaks, and children are kept at home until the water is open again.",
    "Then the first ferry comes, with oranges, newspapers and whoever had to stay on the other side for the winter.",
]
NOUNS = sorted(
    word_set(
        "ferry lamp island harbour keeper winter orange letter sailor window bridge market garden engine pillow ladder"
        " candle hammer basket mirror carpet bottle needle violin button anchor"
    )
)
LONG = [
    f"Every {one} of the {two} was a {three} once, but no {four} had ever told the {five} about it before."
    for one, two, three, four, five in zip(*(NOUNS[start:] + NOUNS[:start] for start in range(0, 25, 5)), strict=True)
]
FISH = [
    "Fish of the deep sea carry their own light, which they use to find each other and what they eat.",
    "Some of them have not changed since before there were birds, and hardly anybody has seen them alive.",
]


def extract(body: str, shown: str = "", kind: str = "Article") -> Extraction:
    node = json.dumps({"@type": kind, "headline": "The lagoon in winter", "articleBody": body})
    head = f'<title>The lagoon in winter</title><script type="application/ld+json">{node}</script>'
    page = f"<html><head>{head}</head><body>{shown}</body></html>"
    return extract_text(page.encode(), content_type="text/html; charset=utf-8", url="https://example.test/lagoon")


def paragraphs(lines: list[str]) -> str:
    return "".join(f"<p>{line}</p>" for line in lines)


def test_it_is_used_where_the_page_shows_nothing() -> None:
    assert extract("\n\n".join(STORY), '<div id="root"></div>').content_html == paragraphs(STORY)


def test_it_is_used_where_the_page_shows_only_its_beginning() -> None:
    shown = f"<article><h1>The lagoon in winter</h1>{paragraphs(LONG[:4])}</article>"
    assert extract("\n".join(LONG), shown).text == "\n".join(LONG)


def test_it_is_used_where_the_page_shows_scraps() -> None:
    assert extract("\n".join(LONG), "<main><p>Sign in to read on</p><p>Menu</p></main>").text == "\n".join(LONG)


@pytest.mark.parametrize("escapes", [0, 1, 2])
def test_its_markup_is_read_as_markup(escapes: int) -> None:
    body = f"<h2>Winter</h2>{paragraphs(STORY)}<ul><li>one <b>island</b></li><li>two</li></ul>"
    for _ in range(escapes):
        body = escape(body)
    found = extract(body)
    assert found.text == "\n".join(["Winter", *STORY, "one island", "two"])
    assert "&lt;" not in found.content_html
    assert "<li>one <strong>island</strong></li>" in found.content_html


def test_the_same_text_in_elements_wins() -> None:
    shown = f"<article><h1>The lagoon in winter</h1>{paragraphs(LONG)}<p>See <a href='/map'>the map</a>.</p></article>"
    for body in ("\n".join(LONG), escape(paragraphs(LONG) * 5), "\n".join(LONG * 5)):
        found = extract(body, shown)
        assert found.content_html.count("<p>") >= len(LONG)
        assert found.text.count("Every ") == len(LONG)
        assert "&lt;p" not in found.content_html


def test_a_longer_text_of_something_else_does_not_replace_an_article() -> None:
    shown = f"<article><h1>The lagoon in winter</h1>{paragraphs(LONG[:12])}</article>"
    assert "Every harbour" in extract("\n".join(FISH * 40), shown).text


@pytest.mark.parametrize(
    "body",
    ["lagoon, winter, ice, ferry, " * 200, "12.5 13.7 14.9 " * 300, "<p></p>" * 400, "&lt;p&gt;&lt;/p&gt;" * 400],
)
def test_what_is_no_prose_is_no_text(body: str) -> None:
    assert extract(body, "<p>Sign in to read on.</p>").text == "Sign in to read on."


def test_signs_that_are_no_markup_stay() -> None:
    assert read_body("If a < b and b > c, then AT&amp;T wins.").text == "If a < b and b > c, then AT&T wins."
    assert read_body("If a < b.").html == "<p>If a &lt; b.</p>"


def test_line_breaks_are_paragraphs_where_the_markup_has_none() -> None:
    assert read_body("One <b>line</b>.\nAnother one.").html == "<p>One <strong>line</strong>.</p><p>Another one.</p>"
