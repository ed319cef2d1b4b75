"""Containers nested beyond the bound become line breaks, and nothing else on the page changes."""

import pytest

from nexus.text.html_limits import MAX_NESTING, cut_deep_nesting
from nexus.text.page_verdict import page_verdict
from nexus.text.sanitize import sanitize_html

AFTER = "<section><p>And after the tower, the sea went on.</p></section>"


def nested(depth: int, inside: str = "wind") -> str:
    return "<div class='a'>" * depth + inside + "</div>" * depth + AFTER


@pytest.mark.parametrize(
    "html",
    [
        nested(MAX_NESTING),
        "<p>one" * 3 * MAX_NESTING,
        "<ul>" + "<li>one" * 3 * MAX_NESTING + "</ul>",
        "<div></div>" * 3 * MAX_NESTING,
        "<b><i>" * MAX_NESTING,
    ],
)
def test_what_is_not_deep_stays_as_it_is(html: str) -> None:
    assert cut_deep_nesting(html) == html


def test_containers_beyond_the_bound_go_and_every_word_stays() -> None:
    cut = cut_deep_nesting(nested(MAX_NESTING + 500, "the <DIV>wind</DIV> rose"))
    assert cut.count("<div class='a'>") == cut.lower().count("</div>") == MAX_NESTING
    assert cut.count("<br>") == 4
    assert "the <br>wind<br> rose" in cut
    assert cut.endswith("</div>" + AFTER)


def test_a_closing_tag_of_nothing_open_does_not_hide_the_depth() -> None:
    cut = cut_deep_nesting("<div></ul>" * 3 * MAX_NESTING)
    assert cut.count("<div>") == MAX_NESTING


@pytest.mark.parametrize("opening", ["<div>", "<ul><li>", "<section><p>"])
def test_two_hundred_kilobytes_of_nested_tags_are_sanitized_and_judged(opening: str) -> None:
    source = opening * (200_000 // len(opening)) + "The wind." + AFTER
    safe = sanitize_html(source, "")
    assert "The wind." in safe
    assert "the sea went on" in safe
    assert page_verdict(source, text="The wind. And after the tower, the sea went on.").outcome == "ok"
