"""The comparison of two articles' structure: what counts as kept, what as lost, and how pages are averaged."""

import pytest
from bench.fidelity.compare import compare, compare_formulas, means
from bench.fidelity.names import compare_names, shares

from nexus.text.extract_text import extract_text

BASE = "https://paper.example/2026/tide.html"
EXPECTED = """
<h2>The tide <a href="#tide">#</a></h2>
<p>The <b><strong>harbour</strong></b> closed at
<a href="/noon?a=1">noon</a>,<sup><a href="#n1">[1]</a></sup> as in 1953.</p>
<figure><picture><source srcset="/p/north-pier-640x480.jpg 640w"><img src="data:image/gif;base64,R0lGOD"></picture>
<figcaption>The pier at low water on the last evening of the year. Photo: A. Lind</figcaption></figure>
<ul><li>Ropes<ul><li>hemp</li></ul></li><li>Sails</li></ul>
<table><tr><th>Day</th><th>Metres</th></tr><tr><td>Monday</td><td>3.1</td></tr></table>
<pre>tide --at  noon</pre><blockquote><p>It came at once.</p></blockquote>
<p>Its height is <math alttext="{\\displaystyle h=a\\cos t}"><mi>h</mi></math>.</p>
"""
OURS = """
<h3>The tide</h3>
<p>The <strong>harbour</strong> closed at
<a href="https://paper.example/noon?a=1">noon</a>,<sup>[1]</sup> as in 1953.</p>
<figure><img src="/media/image?url=https%3A%2F%2Fcdn.example%2Fq%2Fnorth-pier.jpg&amp;w=900">
<figcaption>The pier at low water on the last evening of the year.</figcaption></figure>
<ul><li>Ropes<ul><li>hemp</li></ul></li><li>Sails</li></ul>
<table><tr><th>Day</th><th>Metres</th></tr><tr><td>Monday</td><td>3.1</td></tr></table>
<pre>tide --at noon</pre><blockquote>It came at once.</blockquote>
<p>Its height is \\(h = a\\cos t\\).</p>
"""


def test_an_article_written_another_way_keeps_everything() -> None:
    found = compare(EXPECTED, OURS, BASE)
    assert {kind: c.lost for kind, c in found.items() if c.recall != 1.0} == {}
    assert {kind: c.added for kind, c in found.items() if c.added} == {}
    assert {kind: c.expected for kind, c in found.items()} == {
        "pictures": 1, "captions": 1, "list_items": 3, "links": 1, "emphasis": 1, "headings": 1, "cells": 4, "code": 1,
        "quotes": 1, "footnotes": 1, "formulas": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "kept", "lost"),
    [
        ("pictures", "north-pier.jpg", "mole.jpg"),
        ("captions", "figcaption>", "p>"),
        ("list_items", "<li>Sails</li>", ""),
        ("links", "/noon?a=1", "/evening"),
        ("emphasis", "<strong>harbour</strong>", "harbour"),
        ("headings", "h3>", "p>"),
        ("cells", "3.1", "3.2"),
        ("code", "tide --at noon", "tide"),
        ("quotes", "blockquote>", "p>"),
        ("footnotes", "<sup>[1]</sup>", ""),
        ("formulas", "h = a\\cos t", "h"),
    ],
)
def test_what_is_gone_is_lost(kind: str, kept: str, lost: str) -> None:
    assert kept in OURS
    found = compare(EXPECTED, OURS.replace(kept, lost), BASE)
    assert [name for name, c in found.items() if c.lost] == [kind]
    assert len(found[kind].lost) == 1


def test_what_nobody_expected_costs_precision() -> None:
    found = compare("<ul><li>Sails</li></ul>", "<ul><li>Sails</li><li>Sails</li><li>Subscribe</li></ul>", BASE)
    assert found["list_items"].recall == 1.0
    assert found["list_items"].precision == pytest.approx(1 / 3)
    assert found["list_items"].added == ["Sails", "Subscribe"]


def test_every_page_that_has_a_kind_weighs_the_same() -> None:
    long = compare("<ul>" + "<li>rope</li>" * 98 + "</ul>", "<ul>" + "<li>rope</li>" * 98 + "</ul>", BASE)
    short = compare("<ul><li>mast</li></ul>", "<p>mast</p>", BASE)
    report = means([long, short, compare("<p>no list</p>", "<p>no list</p>", BASE)])
    assert report["list_items"]["recall"] == 0.5
    assert report["list_items"]["precision"] == 1.0
    assert (report["list_items"]["pages_expected"], report["list_items"]["pages_ours"]) == (2, 1)
    assert report["pictures"]["recall"] is None


def test_formulas_of_own_pages_are_found_in_text_and_in_pictures() -> None:
    ours = '<p>where \\(x^2\\) and <img src="/f.svg" alt="{\\displaystyle \\frac {a}{b}}"> meet</p>'
    assert compare_formulas(["x^{2}", "\\frac{a}{b}"], ours)["formulas"].recall == 1.0
    assert compare_formulas(["x^{2}", "\\sqrt{c}"], ours)["formulas"].lost == ["\\sqrtc"]


def test_the_title_above_the_text_is_neither_kept_nor_lost() -> None:
    ours, expected = "<h1>The tide</h1><h2>Evening</h2>", "<h2>Noon</h2><p><a href=/tide>The tide</a> <a href=/x>x</a>"
    found = compare(expected, ours, BASE, "The tide | Paper")
    assert (found["headings"].lost, found["headings"].added) == (["Noon"], ["Evening"])
    assert found["links"].lost == ["x </x>"]


def test_a_caption_that_is_a_paragraph_elsewhere_is_not_added() -> None:
    ours = "<figure><img src='/a.jpg'><figcaption>The old pier</figcaption></figure><figcaption>An advert</figcaption>"
    found = compare("<p><img src='/a.jpg'></p><p>The old pier</p>", ours, BASE)["captions"]
    assert (found.ours, found.added) == (1, ["An advert"])


def test_names_are_right_if_one_holds_the_other() -> None:
    page = b"<html lang=en-GB><head><title>The tide | Paper</title><meta name=author content='Ada Lind'></head><p>Text"
    ours = extract_text(page, content_type="text/html; charset=utf-8", url=BASE)
    expected = {"title": "The tide | Paper", "byline": "By Bo Berg", "lang": "en", "siteName": None}
    found = compare_names(expected, ours)
    assert {name: named.right for name, named in found.items()} == {"title": True, "byline": False, "lang": True}
    assert shares([found])["byline"] == {"share": 0.0, "right": 0, "pages": 1}
