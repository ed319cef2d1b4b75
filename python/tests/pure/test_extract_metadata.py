from datetime import UTC, datetime

import pytest

from nexus.text.extraction.metadata import Metadata, parse_date, read_metadata
from nexus.text.extraction.parse_html import parse_html


def metadata(head: str, body: str = "", url: str | None = "https://www.example.test/a/b", lang: str = "") -> Metadata:
    return read_metadata(parse_html(f"<html {lang}><head>{head}</head><body>{body}</body></html>"), url)


JSON_LD = """<script type="application/ld+json">{"@context":"https://schema.org","@graph":[
 {"@type":"WebSite","name":"The Site"},
 {"@type":["NewsArticle"],"headline":"Head &amp; line","author":[{"name":"Ada"},{"name":"Bo"},"https://x.test/me"],
  "datePublished":"2026-03-01T10:00:00+02:00","image":{"url":"/lead.jpg"},"inLanguage":"en-GB"}]}</script>"""


def test_json_ld_comes_first() -> None:
    found = metadata(JSON_LD + '<meta property="og:title" content="Other"><meta name="author" content="Someone">')
    assert found.title == "Head & line"
    assert found.byline == "Ada, Bo"
    assert found.site_name == "The Site"
    assert found.published_at == datetime(2026, 3, 1, 8, tzinfo=UTC)
    assert found.lead_image == "https://www.example.test/lead.jpg"
    assert found.lang == "en-GB"


def test_headline_that_the_page_does_not_show_gives_way_to_a_title_that_it_does() -> None:
    declared = '<meta property="og:title" content="List of rivers"><title>List of rivers - Site</title>'
    assert metadata(JSON_LD + declared, "<h1>List of rivers</h1>").title == "List of rivers"


def test_open_graph_then_dublin_core_then_the_page() -> None:
    graph = '<meta property="og:title" content="OG"><meta name="DC.title" content="DC"><title>T</title>'
    assert metadata(graph).title == "OG"
    assert metadata('<meta name="DC.title" content="DC"><title>T</title>').title == "DC"
    assert metadata("<title>T</title>", "<h1>Heading</h1>").title == "Heading"
    assert metadata('<meta name="DC.creator" content="By Cleo">').byline == "Cleo"
    assert metadata("", "<article><time datetime='2025-05-06'>x</time></article>").published_at == datetime(
        2025, 5, 6, tzinfo=UTC
    )


def test_the_site_is_cut_off_the_title() -> None:
    head = '<title>A title here | Some Site</title><meta property="og:site_name" content="Some Site">'
    assert metadata(head).title == "A title here"
    assert metadata("<title>A long headline - Section - Site</title>", "<h1>A long headline</h1><h1>x</h1>").title == (
        "A long headline"
    )


def test_the_host_names_the_site_where_nothing_else_does() -> None:
    assert metadata("<title>x</title>").site_name == "example.test"
    assert metadata("<title>x</title>", url=None).site_name is None


def test_broken_json_ld_and_hostile_values_are_survived() -> None:
    broken = '<script type="application/ld+json">{"@type": "Article", </script>'
    odd = '<script type="application/ld+json">[1, null, {"@type": 5, "headline": {}, "author": 3}]</script>'
    nested = '<script type="application/ld+json">' + "[" * 5000 + "</script>"
    found = metadata(broken + odd + nested + '<meta property="og:image" content="http://[bad">')
    assert found.title is None
    assert found.lead_image is None


@pytest.mark.parametrize("url", ["http://[bad", "not a url", ""])
def test_a_bad_address_of_the_page_is_survived(url: str) -> None:
    assert metadata('<base href="http://[x"><title>t</title>', url=url).title == "t"


def test_images_are_http_only() -> None:
    assert metadata('<meta property="og:image" content="javascript:alert(1)">').lead_image is None
    assert metadata('<meta property="og:image" content="data:image/png;base64,AA">').lead_image is None


def test_language_is_a_tag_or_nothing() -> None:
    assert metadata("", lang='lang="de_AT"').lang == "de-AT"
    assert metadata("", lang='lang="{{ locale }}"').lang is None
    assert metadata('<meta property="og:locale" content="fr_FR">').lang == "fr-FR"


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("2026-02-03", 3),
        ("2026-02-03T23:00:00Z", 3),
        ("Tue, 03 Feb 2026 10:00:00 GMT", 3),
        ("3 February 2026", 3),
        ("Feb 3, 2026", 3),
        ("03.02.2026", 3),
        ("yesterday", None),
        ("0001-01-01", None),
    ],
)
def test_dates(written: str, day: int | None) -> None:
    found = parse_date(written)
    assert (found and (found.year, found.month, found.day)) == ((2026, 2, day) if day else None)
    assert found is None or found.tzinfo is not None
