"""Which pictures of a page belong to its text, from the text around them that is kept."""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from nexus.text.extraction.blocks import BLOCK_TAGS, HEADING_TAGS, Block, Page
from nexus.text.extraction.pictures.captions import captioned_wrapper, figure_around, figure_caption
from nexus.text.extraction.pictures.element_blocks import ElementBlocks
from nexus.text.extraction.pictures.element_names import ElementNames
from nexus.text.extraction.pictures.line_edges import LineEdges
from nexus.text.extraction.pictures.picture import (
    Picture,
    is_decoration_url,
    is_emoji,
    read_pictures,
)
from nexus.text.extraction.pictures.same_picture import picture_key
from nexus.text.picture_source import is_picture_url

_ICON_SIDE = 32
_AVATAR_SIDE = 60
_LARGE_SIDE = 200
_MAX_LEVELS = 12
_ASIDE_WORDS = 30
_MAX_CAPTIONS = 12
_AROUND = 10
_A_FEW = 12
_OUTSIDE = frozenset(("nav", "footer", "aside", "form", "button"))


@dataclass(frozen=True, slots=True)
class Figure:
    """Pictures that share a caption, or one picture without."""

    node: int  # what is written in its place: a <figure>, another wrapper, or the picture itself
    pictures: tuple[Picture, ...]
    caption: tuple[Block, ...]
    caption_first: bool


@dataclass(frozen=True, slots=True)
class Pictures:
    figures: list[Figure]
    in_line: dict[int, list[Picture]]  # by the first slot of their block
    headings: tuple[Block, ...] = ()  # of galleries


def kept_pictures(page: Page, kept: set[int], lead_image: str = "") -> Pictures:
    """`lead_image` is the address that the page's head names as the picture of the article."""
    pictures = read_pictures(page) if kept else []
    if not pictures:
        return Pictures([], {})
    return _Choice(page, kept, pictures, picture_key(lead_image)).pictures()


class _Choice:
    def __init__(self, page: Page, kept: set[int], pictures: list[Picture], lead_image: str) -> None:
        self.page = page
        self.all = pictures
        self.nodes = [picture.node for picture in pictures]
        self.names = ElementNames(page)
        self.ranges = ElementBlocks(page, kept)
        self.lines = LineEdges(page, self.ranges)
        self.kept = kept
        self.lead_image = lead_image
        self.root = self._text_root()
        self.last_kept = max(kept)
        self.captions: dict[int, list[int]] = {}
        self.caption_blocks: set[int] = set()
        self.elsewhere: dict[int, bool] = {}
        self.galleries: set[int] = set()  # by the kept block before them
        self.headings: list[Block] = []

    def pictures(self) -> Pictures:
        in_line: dict[int, list[Picture]] = {}
        candidates: list[tuple[Picture, int]] = []
        for picture in self.all:
            block = self.ranges.around(picture.node)
            if block < 0 and is_emoji(picture.alt) and picture.smallest_side < _LARGE_SIDE:
                block = self.lines.beside(picture.node, self._block_around(picture.node))
            if block >= 0:
                if block in self.kept and self._fits_a_line(picture):
                    in_line.setdefault(self.page.blocks[block].slots[0], []).append(picture)
            elif picture.src and not _is_icon(picture):
                candidates.append((picture, self._wrapper(picture.node)))
        self.caption_blocks = {i for blocks in self.captions.values() for i in blocks}
        groups: dict[int, list[Picture]] = {}
        seen: set[tuple[int, str]] = set()
        for picture, wrapper in candidates:
            place = (self._block_around(picture.node), picture.src)
            if picture_key(picture.src) == self.lead_image:
                place = (0, self.lead_image)  # a second copy is for other screens
            # A lazy loader keeps a copy for browsers without scripts beside it.
            if place not in seen and self._belongs(picture, wrapper):
                seen.add(place)
                groups.setdefault(wrapper, []).append(picture)
        return Pictures(list(self._figures(groups)), in_line, tuple(self.headings))

    def _text_root(self) -> int:
        """The element of the text; where the text is a single paragraph, what that stands in."""
        root = self.ranges.kept_root()
        return root if len(self.ranges.inside(root)) > 1 else self.page.parents[root]

    def _wrapper(self, node: int) -> int:
        """The figure or captioned element around a picture, or the picture itself."""
        figure = figure_around(self.page, node)
        if figure:
            if figure not in self.captions:
                self.captions[figure] = figure_caption(self.page, self.ranges, self.names, figure)
            if self.captions[figure]:
                return figure
        wrapper, caption = captioned_wrapper(self.page, self.ranges, self.names, figure or node, self._count)
        if wrapper:
            self.captions[wrapper] = caption
        return wrapper or figure or node

    def _count(self, node: int) -> int:
        """How many pictures the element holds; copies count once, and more than a few are a few."""
        low = bisect_left(self.nodes, node)
        high = bisect_left(self.nodes, self.page.ends[node])
        return len({picture.src for picture in self.all[low : min(high, low + _A_FEW)] if picture.src})

    def _figures(self, groups: dict[int, list[Picture]]) -> Iterator[Figure]:
        for wrapper, pictures in groups.items():
            caption = self.captions.get(wrapper, [])
            others = [i for i in self.ranges.inside(wrapper) if i in self.kept and i not in caption]
            blocks = tuple(self.page.blocks[i] for i in caption)
            if others and not caption:
                yield from (Figure(picture.node, (picture,), (), False) for picture in pictures)
                continue
            first = bool(caption) and self.ranges.spans[caption[0]][0] < pictures[0].node
            yield Figure(wrapper, _without_previews(pictures), blocks, first)

    def _fits_a_line(self, picture: Picture) -> bool:
        if is_emoji(picture.alt):
            return True
        if not picture.src or 0 < picture.smallest_side < _ICON_SIDE:
            return False
        return not self.names.is_decoration(picture.node) and not is_decoration_url(picture.src, strict=False)

    def _belongs(self, picture: Picture, wrapper: int) -> bool:
        before, after = self._beside(wrapper)
        container = self._container(wrapper)
        enclosed = (before in self.kept and after in self.kept) or any(
            i in self.kept for i in self.captions.get(wrapper, ())
        )
        leads = bool(self.lead_image) and picture_key(picture.src) == self.lead_image
        strict = not (enclosed or leads)
        if is_decoration_url(picture.src, strict=strict) or self._in_decoration(picture.node, container):
            return False
        if enclosed:
            return not self._is_button(picture, wrapper)
        if leads and self._is_near(range(len(self.page.blocks)), before, after):
            return True
        return self._belongs_to_one_side(picture, wrapper, container, before, after)

    def _belongs_to_one_side(self, picture: Picture, wrapper: int, container: int, before: int, after: int) -> bool:
        inside = self.ranges.inside(container)
        touches = self._is_kept_in(inside, before) or self._is_kept_in(inside, after)
        around_text = container < self.root < self.page.ends[container]  # more than the text
        elsewhere = self._leads_elsewhere(picture)
        if not elsewhere and self._is_first_between(before, after):
            return True
        if self._is_large(picture, wrapper) and (not around_text or wrapper < self.root):
            if elsewhere and before >= self.last_kept and not self._is_figure(wrapper):
                return False  # below the text, the large pictures that are links are advertisements
            return touches or (self._is_mostly_kept(inside, before) and self._is_near(inside, before, after))
        return touches and not around_text and not elsewhere and self._is_mostly_kept(inside, before)

    def _is_button(self, picture: Picture, wrapper: int) -> bool:
        """A drawing of unknown size that is a link to another page: "print", "comment"."""
        drawn = picture.src.split("?", 1)[0].lower().endswith((".gif", ".png", ".svg"))
        return drawn and not picture.smallest_side and not self._is_figure(wrapper) and self._leads_elsewhere(picture)

    def _is_kept_in(self, inside: range, block: int) -> bool:
        return block in inside and block in self.kept

    def _is_mostly_kept(self, inside: range, block: int) -> bool:
        """Whether most of the text around the block, within its container, is kept."""
        around = range(max(inside.start, block + 1 - _AROUND), min(inside.stop, block + 1 + _AROUND))
        return 2 * self.ranges.kept_words(around) > self.ranges.words(around)

    def _is_large(self, picture: Picture, wrapper: int) -> bool:
        return self._is_figure(wrapper) or picture.smallest_side >= _LARGE_SIDE

    def _is_figure(self, wrapper: int) -> bool:
        return self.page.tags[wrapper] == "figure" or wrapper in self.captions

    def _is_first_between(self, before: int, after: int) -> bool:
        """In the middle of the text, with a few words beside it: a gallery has a heading, which stays, and counts its
        pictures. Those that follow its first one are small copies to choose from."""
        inside = self.ranges.inside(self.root)
        last = self._nearest_kept(range(before, inside.start - 1, -1))
        if last < 0 or self._nearest_kept(range(after, inside.stop)) < 0 or last in self.galleries:
            return False
        self.galleries.add(last)
        if before != last and self.page.tags[self.page.blocks[before].node] in HEADING_TAGS:
            self.headings.append(self.page.blocks[before])
        return True

    def _is_near(self, inside: range, before: int, after: int) -> bool:
        """A kept block of its container is at most a few words away: a date and a name stand between."""
        sides = (range(before, inside.start - 1, -1), range(after, inside.stop))
        return any(self._nearest_kept(blocks) >= 0 for blocks in sides)

    def _nearest_kept(self, blocks: range) -> int:
        """-1: there is none, or more than a few words stand before it."""
        words = 0
        for index in blocks:
            if index in self.kept:
                return index
            words += self.ranges.words(range(index, index + 1))
            if words > _ASIDE_WORDS:
                break
        return -1

    def _beside(self, wrapper: int) -> tuple[int, int]:
        """The blocks before and after it, without its own caption and those of its neighbours."""
        inside = self.ranges.inside(wrapper)
        before = inside.start - 1 if inside else self.ranges.before(wrapper)
        after = inside.stop if inside else before + 1
        for _ in range(_MAX_CAPTIONS):
            before -= self._is_left_caption(before)
            after += self._is_left_caption(after)
        return before, after

    def _is_left_caption(self, block: int) -> bool:
        return block in self.caption_blocks and block not in self.kept

    def _block_around(self, node: int) -> int:
        while node and self.page.tags[node] not in BLOCK_TAGS:
            node = self.page.parents[node]
        return node

    def _container(self, wrapper: int) -> int:
        """The nearest element that holds other text. A few words that are not kept ("Photo: Ann Lee", "Advertisement")
        do not count: a picture is not judged by them."""
        own = self.ranges.inside(wrapper)
        words, kept_words = self.ranges.words(own), self.ranges.kept_words(own)
        node = self.page.parents[wrapper]
        for _ in range(_MAX_LEVELS):
            inside = self.ranges.inside(node)
            if self.page.tags[node] in BLOCK_TAGS and (
                self.ranges.kept_words(inside) > kept_words or self.ranges.words(inside) - words > _ASIDE_WORDS
            ):
                break
            if not node:
                break
            node = self.page.parents[node]
        return node

    def _in_decoration(self, node: int, container: int) -> bool:
        """In an element without kept text that is a menu, a form, an advertisement …; also one around the container."""
        for _ in range(_MAX_LEVELS * 4):
            if not node:
                return False
            if self.page.tags[node] in _OUTSIDE and not self.ranges.kept_words(self.ranges.inside(node)):
                return not (self.page.tags[node] == "button" and figure_around(self.page, node))
            if node > container and self.names.is_decoration(node):
                return True
            node = self.page.parents[node]
        return False

    def _leads_elsewhere(self, picture: Picture) -> bool:
        """A link to another page around the picture: the card of another story."""
        node = picture.node
        for _ in range(_MAX_LEVELS):
            node = self.page.parents[node]
            if self.page.tags[node] == "a":
                if node not in self.elsewhere:  # a link may be long and hold all pictures of the page
                    href = (self.page.elements[node].get("href") or "#").lower()
                    self.elsewhere[node] = not (href.startswith("#") or is_picture_url(href))
                return self.elsewhere[node]
        return False


def _is_icon(picture: Picture) -> bool:
    largest = max(picture.width, picture.height)
    return 0 < picture.smallest_side < _ICON_SIDE or 0 < largest < _AVATAR_SIDE


def _without_previews(pictures: list[Picture]) -> tuple[Picture, ...]:
    """A figure may show a small copy until the large one, which follows it, has loaded."""
    last = {picture_key(p.src): p for p in pictures}
    return tuple(sorted(last.values(), key=lambda p: p.node))
