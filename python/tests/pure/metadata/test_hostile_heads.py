"""Pages that are made to take long take time in proportion to their length."""

import json
from typing import Any

import pytest

from nexus.text.extraction.metadata.person_names import clean_name
from tests.pure.metadata.pages import ld, meta, read

pytestmark = pytest.mark.timeout(30)
MANY = 40_000


@pytest.mark.parametrize(
    ("head", "body"),
    [
        ("<title>" + "a | b - " * MANY + "</title>", "<h1>a</h1>"),
        (meta("og:title", "a：b_c－" * MANY) + meta("og:site_name", "x " * MANY), ""),
        ("<title>t</title>", "<h1>t</h1>" * MANY),
        ("<title>t</title>", "<h1>t</h1>" + "<time datetime='2024-01-01'>x</time>" * MANY),
        ("<title>t</title>", "<h1>t</h1>" + "<div class=author>" * 1500 + "Ada" + "</div>" * 1500),
        ("<title>t</title>", "<h1>t</h1>" + "<i class=author><b rel=author></b></i>" * MANY),
        ("<title>t</title>", "<div class=author>" + "<b>x</b>" * MANY + "</div><h1>t</h1>" + "<b></b>" * MANY),
        (meta("author", "By " * MANY) * 3, ""),
        (meta("author", "Ada , " * MANY), ""),
        ("".join(meta("author", f"Ada {number}") for number in range(MANY)), ""),
        (
            ld(*({"@type": "Organization", "name": f"Site {number}"} for number in range(MANY)))
            + "<title>a | b</title>",
            "",
        ),
        (ld(*({"@type": "Article", "headline": f"x {number}", "url": f"/{number}"} for number in range(MANY))), ""),
        ('<link rel="canonical" href="/' + "../" * MANY + '">', ""),
        (meta("article:published_time", "1" * MANY) + meta("date", "1 " * MANY), "<h1>t</h1>" + "1. " * MANY),
        ("<link rel='" + "a " * MANY + "'>", "<h1>" + "<b>x " * 1000 + "</h1>"),
    ],
    ids=range(15),
)
def test_heads(head: str, body: str) -> None:
    read(head, body)


def test_values_of_the_wrong_kind() -> None:
    values: list[Any] = [None, 5, True, [], {}, [[]], {"name": {"name": ["x"]}}, {"@id": 3}, ["a", None, {"@id": "#"}]]
    for value in values:
        keys = ("headline", "name", "author", "creator", "publisher", "image", "url", "mainEntityOfPage", "articleBody",
                "datePublished", "inLanguage", "articleSection", "description", "@id", "thumbnailUrl")  # fmt: skip
        read(ld({"@type": "Article", **dict.fromkeys(keys, value)}), "<h1>t</h1>")
    read(f"<script type='application/ld+json'>{json.dumps({'@type': {'a': 1}, '@graph': {'@type': [3]}})}</script>")


@pytest.mark.parametrize("name", ["a@" * 5000, "(" * 5000, "senior " * 5000, "5 " * 5000, "@a " * 5000, "<" * 5000])
def test_names(name: str) -> None:
    clean_name(name)
