"""Pictures and embeds take time in proportion to the page; each of these pages took minutes or more."""

import pytest

from nexus.text.extraction.blocks import Page, collect_blocks
from nexus.text.extraction.embed_cards import embed_cards
from nexus.text.extraction.parse_html import parse_html
from nexus.text.extraction.pictures.choose_pictures import kept_pictures

pytestmark = pytest.mark.processor_seconds(30)

MANY = 20_000


def page_of(source: str) -> Page:
    body = parse_html(source).find("body")
    assert body is not None
    return collect_blocks(body)


def test_a_long_class_around_many_embeds() -> None:
    embeds = "".join(f"<embed src='https://video.example/{i}' title=t></embed>" for i in range(MANY))
    page = page_of(f"<div><p>one</p><div class='{'wrapper ' * MANY}'>{embeds}</div><p>two</p></div>")
    assert len(embed_cards(page, {0, 1})) == MANY


@pytest.mark.parametrize("wrapper", ["div class='{}'", "div id='{}'", "figure class='{}'", "a href='/?{}'"])
@pytest.mark.parametrize("source", ["/{}.jpg", "/a.jpg"])
def test_a_long_attribute_around_many_pictures(wrapper: str, source: str) -> None:
    images = "".join(f"<img src={source.format(i)}>" for i in range(MANY))
    page = page_of(f"<div><p>one</p><{wrapper.format('wrapper ' * MANY)}><p>text</p>{images}</div><p>two</p></div>")
    shown = kept_pictures(page, {0, 2}).figures
    assert bool(shown) == wrapper.startswith(("div", "figure"))  # a link to another page is an advertisement


@pytest.mark.parametrize("end", ["", "</source>"])
def test_a_picture_with_many_sources_and_images(end: str) -> None:
    source = f"<source srcset='data:x 1x'>{end}" * (MANY if end else 1_000)
    page = page_of(f"<p>one</p><picture>{source}{'<img>' * MANY}<img src=/a.jpg></picture><p>two</p>")
    assert [figure.pictures[0].src for figure in kept_pictures(page, {0, 1}).figures] == ["/a.jpg"]
