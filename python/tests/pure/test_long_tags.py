"""A tag with too many attributes loses the last of them, and nothing else on the page changes."""

import pytest
from lxml import etree

from nexus.text.extraction.parse_html import parse_html
from nexus.text.html_limits import MAX_ATTRIBUTES, MAX_TAG, cut_long_tags

AFTER = "<p title='>'>5 < 6</p><b>end</b>"


def many(count: int, form: str = "data-number-of-it-{}='{}'") -> str:
    return " ".join(form.format(number, number) for number in range(count))


@pytest.mark.parametrize("form", ["data-number-of-it-{}={}", "d-{}='a b>c'", "data-number-of-it-{}", 'd-{} = "/>{}"'])
def test_attributes_beyond_the_bound_go(form: str) -> None:
    cut = cut_long_tags(f"<i>a</i><div class='x' {many(5000, form)} last>text</div>{AFTER}")
    div = next(parse_html(cut).iter("div"))
    assert len(div.attrib) == MAX_ATTRIBUTES
    assert div.get("class") == "x"
    assert div.get("last") is None
    assert cut.startswith("<i>a</i><div class='x' ")
    assert cut.endswith(f">text</div>{AFTER}")


@pytest.mark.parametrize(
    "html",
    [
        "",
        f"<p {many(MAX_ATTRIBUTES)}>{AFTER}",
        f"<img src='data:image/png;base64,{'A' * 10 * MAX_TAG}' alt='x'>{AFTER}",
        f"<p>{'word ' * MAX_TAG}</p>{AFTER}",
        f"<p title='{'a' * MAX_TAG}",
    ],
)
def test_everything_else_stays(html: str) -> None:
    assert cut_long_tags(html) == html


def test_hostile_openers_are_read_once() -> None:
    """Two megabytes that look like nested tags: reading each of them twice would take hours."""
    for opener in ("<a b=", "<a/b='", "<a b=\"'", "<a ", "<a=="):
        html = opener * 400_000
        assert len(cut_long_tags(html)) <= len(html)


def test_parsers_agree_on_where_the_tag_ends() -> None:
    root = parse_html(f'<div {many(9000)} x="a>b"><p>inside</p></div>')
    assert etree.tostring(root, method="text", encoding="unicode").strip() == "inside"
