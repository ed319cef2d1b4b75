from datetime import UTC, datetime

import pytest

from tests.pure.metadata.pages import meta, read

JSON_LD = """<script type="application/ld+json">{"@context":"https://schema.org","@graph":[
 {"@type":"WebSite","name":"The Site"},
 {"@type":["NewsArticle"],"headline":"Head &amp; line","author":[{"name":"Ada"},{"name":"Bo"},"https://x.test/me"],
  "datePublished":"2026-03-01T10:00:00+02:00","image":{"url":"/lead.jpg"},"inLanguage":"en-GB"}]}</script>"""


def test_json_ld_comes_first() -> None:
    found = read(JSON_LD + '<meta property="og:title" content="Other"><meta name="author" content="Someone">')
    assert found.title == "Head & line"
    assert found.byline == "Ada, Bo"
    assert found.site_name == "The Site"
    assert found.published_at == datetime(2026, 3, 1, 8, tzinfo=UTC)
    assert found.lead_image == "https://www.example.test/lead.jpg"
    assert found.lang == "en-GB"


def test_headline_that_the_page_does_not_show_gives_way_to_a_title_that_it_does() -> None:
    declared = '<meta property="og:title" content="List of rivers"><title>List of rivers - Site</title>'
    assert read(JSON_LD + declared, "<h1>List of rivers</h1>").title == "List of rivers"


def test_dublin_core_then_open_graph_then_the_page() -> None:
    graph = '<meta property="og:title" content="OG"><meta name="DC.title" content="DC"><title>T</title>'
    assert read(graph).title == "DC"
    assert read('<meta property="og:title" content="OG"><title>T</title>').title == "OG"
    assert read("", "<h1>Heading</h1>").title == "Heading"
    assert read('<meta name="DC.creator" content="By Cleo">').byline == "Cleo"
    assert read("", "<article><time datetime='2025-05-06'>x</time></article>").published_at == datetime(
        2025, 5, 6, tzinfo=UTC
    )


def test_the_site_is_cut_off_the_title() -> None:
    head = '<title>A title here | Some Site</title><meta property="og:site_name" content="Some Site">'
    assert read(head).title == "A title here"
    assert read("<title>A long headline - Section - Site</title>", "<h1>A long headline</h1><h1>x</h1>").title == (
        "A long headline"
    )


def test_the_host_names_the_site_where_nothing_else_does() -> None:
    assert read("<title>x</title>").site_name == "example.test"
    assert read("<title>x</title>", url=None).site_name is None


def test_the_site_has_no_slogan() -> None:
    assert read(meta("og:site_name", "The Harbour - ropes, ships and all that floats")).site_name == "The Harbour"
    assert read(meta("og:site_name", "Harbour - News")).site_name == "Harbour - News"


def test_a_title_in_the_place_of_the_site_s_name() -> None:
    title = "How to tie a rope in the dark"
    found = read(meta("og:site_name", title) + meta("og:title", title), f"<h1>{title}</h1>")
    assert (found.title, found.site_name) == (title, "example.test")


def test_broken_json_ld_and_hostile_values_are_survived() -> None:
    broken = '<script type="application/ld+json">{"@type": "Article", </script>'
    odd = '<script type="application/ld+json">[1, null, {"@type": 5, "headline": {}, "author": 3}]</script>'
    nested = '<script type="application/ld+json">' + "[" * 5000 + "</script>"
    found = read(broken + odd + nested + '<meta property="og:image" content="http://[bad">')
    assert found.title is None
    assert found.lead_image is None


@pytest.mark.parametrize("url", ["http://[bad", "not a url", ""])
def test_a_bad_address_of_the_page_is_survived(url: str) -> None:
    assert read('<base href="http://[x"><title>t</title>', url=url).title == "t"


def test_images_are_http_only() -> None:
    assert read('<meta property="og:image" content="javascript:alert(1)">').lead_image is None
    assert read('<meta property="og:image" content="data:image/png;base64,AA">').lead_image is None
