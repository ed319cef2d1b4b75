"""Pages that are made to take long take time in proportion to their length.

In proportion to the square of the length each of them took minutes.
"""

from datetime import timedelta
from typing import Any

import pytest

from nexus.text.extraction.metadata.dates import parse_date
from nexus.text.extraction.metadata.person_names import clean_name
from tests.pure.metadata.pages import ld, meta, read

pytestmark = pytest.mark.processor_seconds(30)
MANY = 40_000


@pytest.mark.parametrize(
    ("title", "head", "body"),
    [
        ("a", "<title>" + "a | b - " * MANY + "</title>", "<h1>a</h1>"),
        (("a：b_c－" * MANY)[:1000], meta("og:title", "a：b_c－" * MANY) + meta("og:site_name", "x " * MANY), ""),
        ("t", "<title>t</title>", "<h1>t</h1>" * MANY),
        ("t", "<title>t</title>", "<h1>t</h1>" + "<time datetime='2024-01-01'>x</time>" * MANY),
        ("t", "<title>t</title>", "<h1>t</h1>" + "<div class=author>" * 1500 + "Ada" + "</div>" * 1500),
        ("t", "<title>t</title>", "<h1>t</h1>" + "<i class=author><b rel=author></b></i>" * MANY),
        ("t", "<title>t</title>", "<div class=author>" + "<b>x</b>" * MANY + "</div><h1>t</h1>" + "<b></b>" * MANY),
        (None, meta("author", "By " * MANY) * 3, ""),
        (None, meta("author", "Ada , " * MANY), ""),
        (None, "".join(meta("author", f"Ada {number}") for number in range(MANY)), ""),
        (
            "a | b",
            ld(*({"@type": "Organization", "name": f"Site {number}"} for number in range(MANY)))
            + "<title>a | b</title>",
            "",
        ),
        (
            "x 0",
            ld(*({"@type": "Article", "headline": f"x {number}", "url": f"/{number}"} for number in range(MANY))),
            "",
        ),
        (None, '<link rel="canonical" href="/' + "../" * MANY + '">', ""),
        ("t", meta("article:published_time", "1" * MANY) + meta("date", "1 " * MANY), "<h1>t</h1>" + "1. " * MANY),
        ("x " * 999 + "x", "<link rel='" + "a " * MANY + "'>", "<h1>" + "<b>x " * 1000 + "</h1>"),
    ],
    ids=range(15),
)
def test_heads(title: str | None, head: str, body: str) -> None:
    assert read(head, body).title == title


@pytest.mark.parametrize(
    ("value", "title"),
    [
        (None, "t"),
        (5, "t"),
        (True, "t"),
        ([], "t"),
        ({}, "t"),
        ([[]], "t"),
        ({"name": {"name": ["x"]}}, "x"),
        ({"@id": 3}, "t"),
        (["a", None, {"@id": "#"}], "a"),
    ],
)
def test_values_of_the_wrong_kind(value: Any, title: str) -> None:
    keys = ("headline", "name", "author", "creator", "publisher", "image", "url", "mainEntityOfPage", "articleBody",
            "datePublished", "inLanguage", "articleSection", "description", "@id", "thumbnailUrl")  # fmt: skip
    assert read(ld({"@type": "Article", **dict.fromkeys(keys, value)}), "<h1>t</h1>").title == title


def test_types_of_the_wrong_kind() -> None:
    node = {"@type": {"a": 1}, "@graph": {"@type": [3]}, "headline": "a"}
    assert read(ld(node), "<h1>t</h1>").title == "t"


@pytest.mark.parametrize(
    "written",
    [
        "1 Jan 99999999999999999999 00:00:00 +0000",
        "1 Jan 2020 00:00:00 +99999999999999999999999",
        "1 Jan 2020 00:00:00 -99999999999999999999999",
        "1 Jan 2020 99999999999999999999:00:00",
        "5 ²²² 2024",
        "²²²² 5 2024",
        "0001-01-01T00:00:00+23:59",
        "9999-12-31T23:59:59-23:59",
        "9" * 5000,
        "9" * 5000 + "-01-01",
    ],
)
def test_dates_that_are_no_dates(written: str) -> None:
    found = read(
        meta("article:published_time", written) + ld({"@type": "Article", "datePublished": written}),
        f"<h1>t</h1><p>{written}</p><time datetime='{written}'>x</time>",
        url=f"https://example.test/{written}/",
    ).published_at
    assert found is None or found.year == 2020


def test_zones_that_a_database_refuses() -> None:
    for zone in ("+23:59", "-23:59", "+01:00:30", "+01:00:00.5"):
        found = parse_date(f"2024-03-05T12:00:00{zone}")
        assert found is not None
        assert found.utcoffset() == timedelta(0)


@pytest.mark.parametrize("depth", [20, 600])
@pytest.mark.parametrize(("start", "end"), [("[", "]"), ('{"name":', "}"), ('[{"@value":', "}]")])
def test_deep_values(depth: int, start: str, end: str) -> None:
    deep = f'{start * depth}"a"{end * depth}'
    keys = ("headline", "name", "author", "publisher", "image", "datePublished", "url", "description", "@id")
    values = ", ".join(f'"{key}": {deep}' for key in keys)
    image = f'{{"url": "/a.png", "width": {deep}}}'
    for node in (f'{{"@type": "Article", {values}}}', f'{{"@type": ["Article", {deep}], "image": {image}}}'):
        page = read(f'<script type="application/ld+json">{node}</script>', "<h1>t</h1>")
        assert page.title == "t"


def test_numbers_with_thousands_of_digits() -> None:
    digits = "9" * 5000
    node = f'{{"@type": "Article", "headline": "a", "image": {{"url": "/a.png", "width": {digits}}}}}'
    page = read(f'<script type="application/ld+json">{node}</script>' + meta("og:image:width", digits), "<h1>t</h1>")
    assert page.title == "t", "a script with such a number is not read"


@pytest.mark.parametrize("name", ["a@" * 5000, "(" * 5000, "senior " * 5000, "5 " * 5000, "@a " * 5000, "<" * 5000])
def test_names(name: str) -> None:
    assert clean_name(name) == ""
