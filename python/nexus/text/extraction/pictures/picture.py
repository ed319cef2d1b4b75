"""A picture of a page: its address, its size, what its markup says about it."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lxml import etree

from nexus.text.extraction.blocks import Page
from nexus.text.extraction.picture_urls import attributes_of, picture_urls
from nexus.text.html_tree import word_set

PICTURE_TAGS = frozenset(("img", "amp-img"))
_STYLED = re.compile(r"(?:^|[;\s])(width|height)\s*+:\s*+([0-9]{1,5})px", re.IGNORECASE)
_WORD = re.compile(r"[a-z]+")
_MAX_SRC = 300  # characters of an address that are searched for words


# Words in the class, id or address of what is never a picture of the text, wherever it stands.
_NEVER = word_set(
    "avatar avatars beacon doubleclick emoji emoticon favicon gravatar pixel smiley smilies spacer tracker tracking"
    " userpic"
)
# A class or an id says more than an address: an article about a new logo shows new-logo.png.
DECORATION_WORDS = _NEVER | word_set(
    "ad ads advert advertisement advertising author badge logo logos newsletter promo recommendations"
    " recommended related share sharing social sponsor sponsored subscribe"
)
ICONS = word_set("icon icons")  # of the picture itself: what is around one of a gallery is called gallery-icon too
_SYMBOLS = "\u203c\u2049\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_EMOJI = re.compile(f"[{_SYMBOLS}\U000e0020-\U000e007f\ufe0f\u200d\u20e3#*0-9©®]{{1,16}}")
_EMOJI_START = re.compile(f"[{_SYMBOLS}]")


@dataclass(frozen=True, slots=True)
class Picture:
    node: int
    src: str
    alt: str
    width: int = 0  # 0 where the page does not say
    height: int = 0

    @property
    def smallest_side(self) -> int:
        """0 where the page does not say."""
        return min(self.width or self.height, self.height or self.width)


def read_pictures(page: Page) -> list[Picture]:
    """In document order."""
    nodes = [node for node, tag in enumerate(page.tags) if tag in PICTURE_TAGS]
    around, sources = _sources(page) if nodes else ({}, {})
    return [
        _read_picture(page, node, _take_sources(page, sources, around.get(page.parents[node], -1))) for node in nodes
    ]


def _sources(page: Page) -> tuple[dict[int, int], dict[int, list[int]]]:
    """The <picture> around each <picture> and <source>, and the <source> elements of each <picture>."""
    around: dict[int, int] = {}
    sources: dict[int, list[int]] = {}
    for node, tag in enumerate(page.tags):
        if tag == "picture":
            around[node] = node
        elif tag == "source" and page.parents[node] in around:
            # libxml2 does not know that it is empty: what follows lies inside it.
            around[node] = around[page.parents[node]]
            sources.setdefault(around[node], []).append(node)
    return around, sources


def _take_sources(page: Page, sources: dict[int, list[int]], holder: int) -> Iterator[dict[str, str | None]]:
    """A <picture> shows one image: its first without an address of its own gets the sources, the others nothing."""
    yield from (attributes_of(page.elements[source]) for source in sources.pop(holder, ()))


def _read_picture(page: Page, node: int, sources: Iterable[dict[str, str | None]]) -> Picture:
    element = page.elements[node]
    src = next(picture_urls(element, sources), "")
    width, height = _size(element)
    alt = " ".join((element.get("alt") or "").split())
    return Picture(node, src, alt, width, height)


def is_emoji(alt: str) -> bool:
    """True for the alternative text of an emoji that is drawn as a picture."""
    return bool(_EMOJI_START.search(alt)) and _EMOJI.fullmatch(alt) is not None


def is_decoration_url(src: str, *, strict: bool) -> bool:
    words = _WORD.findall(src[:_MAX_SRC].lower())
    return not (DECORATION_WORDS if strict else _NEVER).isdisjoint(words) or not ICONS.isdisjoint(words)


def _size(element: etree._Element) -> tuple[int, int]:
    styled = {m[1].lower(): m[2] for m in _STYLED.finditer(element.get("style") or "")}
    width, height = (
        (element.get(name) or "").strip().removesuffix("px") or styled.get(name, "") for name in ("width", "height")
    )
    return _pixels(width), _pixels(height)


def _pixels(value: str) -> int:
    return int(value) if value.isascii() and value.isdigit() and len(value) < 6 else 0  # noqa: PLR2004
