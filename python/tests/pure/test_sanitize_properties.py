from collections.abc import Iterator

import ada_url
from hypothesis import given, settings
from hypothesis import strategies as st
from justhtml import JustHTML

from nexus.text.picture_source import PICTURE_PROXY
from nexus.text.sanitize import ALLOWED_ATTRIBUTES, ALLOWED_TAGS, LINK_ATTRIBUTES, MAX_DEPTH, sanitize_html
from tests.pure.html_soup import SOUP

BASE = "https://site.example/articles/one.html"


def elements(html: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The elements that a second, independent HTML5 parser finds."""
    waiting = list(JustHTML(html, fragment=True, sanitize=False).root.children or ())
    while waiting:
        node = waiting.pop()
        waiting.extend(node.children or ())
        if node.name != "#text":
            yield node.name, {name: value or "" for name, value in (node.attrs or {}).items()}


@given(SOUP)
@settings(max_examples=400)
def test_sanitizing_twice_changes_nothing(html: str) -> None:
    once = sanitize_html(html, BASE)
    assert sanitize_html(once, BASE) == once
    assert sanitize_html(once, "https://elsewhere.example/") == once


@given(SOUP)
@settings(max_examples=400)
def test_nothing_forbidden_survives(html: str) -> None:
    for tag, attributes in elements(sanitize_html(html, BASE)):
        assert tag in ALLOWED_TAGS
        own = ALLOWED_ATTRIBUTES.get(tag, set())
        if tag == "a":
            assert {name: attributes.pop(name) for name in LINK_ATTRIBUTES} == LINK_ATTRIBUTES
        assert set(attributes) <= own
        if "href" in attributes:
            assert ada_url.URL(attributes["href"]).protocol in {"http:", "https:", "mailto:"}
        if "src" in attributes:
            assert attributes["src"].startswith(PICTURE_PROXY + "http")
            assert not set(attributes["src"].removeprefix(PICTURE_PROXY)) & set("\"'<>&?#/: ")


@given(SOUP, st.text(max_size=30))
@settings(max_examples=150)
def test_any_base_is_survived_and_the_result_can_be_stored(html: str, base: str) -> None:
    sanitized = sanitize_html(html, base)
    assert "\0" not in sanitized
    assert sanitized.encode("utf-8").decode("utf-8") == sanitized


@given(st.text(), st.sampled_from(["script", "svg", "form", "iframe", "object", "template", "button", "select"]))
@settings(max_examples=150)
def test_text_beside_a_removed_element_stays(filler: str, removed: str) -> None:
    hidden = "".join(character for character in filler if character.isalnum())
    html = f"<p>before</p>left<{removed}>{hidden}</{removed}>right<p>after</p>"
    words = [word for word in ("before", "left", "right", "after") if word in sanitize_html(html, BASE)]
    assert words == ["before", "left", "right", "after"]


@given(
    st.integers(0, 3000),
    st.sampled_from(["div", "b", "blockquote", "ul><li", "table><tr><td", "font><p", "a href=x"]),
)
@settings(max_examples=40)
def test_no_depth_costs_text(depth: int, opening: str) -> None:
    html = f"<{opening}>" * depth + "deep" + "<p>after</p>"
    sanitized = sanitize_html(html, BASE)
    assert "deep" in sanitized
    assert "after" in sanitized
    deepest = depth_of(sanitized)
    assert deepest <= MAX_DEPTH + 1


def depth_of(html: str) -> int:
    deepest = depth = 0
    for part in html.split("<")[1:]:
        if part.startswith("/"):
            depth -= 1
        elif not part.startswith(("br", "hr", "img")):
            depth += 1
            deepest = max(deepest, depth)
    return deepest
