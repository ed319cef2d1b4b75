"""Writes the kept blocks as simple article HTML, with the structure of the page's own elements."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from html import escape

from nexus.text.extraction.blocks import HEADING_TAGS, LINE_BREAK, Block, Page
from nexus.text.extraction.embed_cards import EmbedCard
from nexus.text.extraction.pictures.choose_pictures import Figure, Pictures
from nexus.text.extraction.pictures.element_blocks import text_place
from nexus.text.extraction.pictures.picture import Picture, is_emoji

_LEAVES = HEADING_TAGS | {"p", "pre"}
_HOLDERS = frozenset(("li", "td", "th", "dt", "dd", "caption", "figcaption"))
_OUTER = frozenset(["ul", "ol", "dl", "table", "thead", "tbody", "tfoot", "tr", "blockquote", "figure"])
_KEPT = _LEAVES | _HOLDERS | _OUTER
_INLINE = {
    "a": "a",
    "b": "strong",
    "strong": "strong",
    "em": "em",
    "i": "em",
    "code": "code",
    "tt": "code",
    "kbd": "kbd",
    "samp": "samp",
    "var": "var",
    "sup": "sup",
    "sub": "sub",
    "u": "u",
    "s": "s",
    "strike": "s",
    "del": "del",
    "ins": "ins",
    "mark": "mark",
    "q": "q",
    "cite": "cite",
    "abbr": "abbr",
    "small": "small",
    "time": "time",
}
_ATTRIBUTES = {
    "a": ("href", "title"),
    "td": ("colspan", "rowspan"),
    "th": ("colspan", "rowspan"),
    "ol": ("start",),
    "time": ("datetime",),
}
_SAME = {"menu": "ul", "dir": "ul"}
_LEVELS = frozenset("123456")
_BOLD = re.compile(r"font-weight\s*+:\s*+(?:bold|[6-9]00)", re.IGNORECASE)
_ITALIC = re.compile(r"font-style\s*+:\s*+(?:italic|oblique)", re.IGNORECASE)
_SPACE = re.compile(r"\s+")
_START = re.compile(r"(?:\s|<br>)*+")
_MAX_REPEATED = 100_000

Chain = tuple[int, ...]


def _shared(have: Sequence[int], want: Sequence[int]) -> int:
    """How many elements both chains begin with."""
    count = 0
    for one, other in zip(have, want, strict=False):
        if one != other:
            break
        count += 1
    return count


def _trimmed(content: str) -> str:
    """Without white space and line breaks at its ends. By hand: a pattern for the end took hours for 100 000 <br>."""
    end = len(content)
    while end and (content[end - 1].isspace() or content.endswith("<br>", 0, end)):
        end -= 1 if content[end - 1].isspace() else len("<br>")
    return _START.sub("", content[:end], count=1)


class _Writer:
    """Opens and closes only what differs between one block and the next."""

    def __init__(self, page: Page, in_line: dict[int, list[Picture]]) -> None:
        self.page = page
        self.tags = list(page.tags)  # those that chain() has come by are named as they are written
        self.in_line = in_line
        self.out: list[str] = []
        self.open: list[int] = []
        self.loose_end = self.loose_node = -1
        self.chains: dict[int, tuple[Chain, Chain]] = {}
        self.repeated: Counter[int] = Counter()

    def chain(self, node: int) -> tuple[Chain, Chain]:
        """The ancestors of an element that shape the output: (blocks, inlines), outermost first."""
        known = self.chains.get(node)
        if known is not None:
            return known
        tags, parents = self.tags, self.page.parents
        path = []
        while node not in self.chains and node:
            path.append(node)
            node = parents[node]
        blocks, inlines = self.chains.get(node, ((), ()))
        self.chains.setdefault(node, (blocks, inlines))
        for step in reversed(path):
            tag = tags[step] = self._name(step, in_code=bool(blocks) and tags[blocks[-1]] == "pre")
            if tag in _KEPT:
                blocks = (*blocks, step)
            elif tag in _INLINE and not any(tags[i] == tag for i in inlines):
                inlines = (*inlines, step)
            self.chains[step] = (blocks, inlines)
        return blocks, inlines

    def _name(self, node: int, *, in_code: bool) -> str:
        """Its tag, or the tag that means what its role or its style says; bold keywords of code mean nothing."""
        tag, element = self.page.tags[node], self.page.elements[node]
        if tag in ("div", "p", "span") and element.get("role") == "heading":
            level = (element.get("aria-level") or "2").strip()
            return f"h{level}" if level in _LEVELS else "h6"
        if tag in ("span", "font") and not in_code:
            style = element.get("style") or ""
            return "strong" if _BOLD.search(style) else "em" if _ITALIC.search(style) else tag
        return _SAME.get(tag, tag)

    def tag_open(self, node: int, name: str) -> str:
        element = self.page.elements[node]
        values = [(key, element.get(key)) for key in _ATTRIBUTES.get(name, ())]
        written = "".join(f' {k}="{escape(v.strip())}"' for k, v in values if v and v.strip())
        # A link around many blocks is written again for each: 79 kB became 128 MB.
        self.repeated[node] += len(written)
        return f"<{name}{written if self.repeated[node] <= _MAX_REPEATED else ''}>"

    def containers(self, node: int) -> Chain:
        """A paragraph, heading or pre contains only text: as an ancestor of other blocks it is left out."""
        blocks = self.chain(node)[0]
        return tuple(n for n in blocks[:-1] if self.tags[n] not in _LEAVES) + blocks[-1:]

    def move_to(self, target: Chain) -> None:
        shared = _shared(self.open, target)
        for node in reversed(self.open[shared:]):
            self.out.append(f"</{self.tags[node]}>")
        for node in target[shared:]:
            self.out.append(self.tag_open(node, self.tags[node]))
        self.open = list(target)

    def block(self, block: Block) -> None:
        target = self.containers(block.node)
        last = self.tags[target[-1]] if target else ""
        if last in _LEAVES:
            self.move_to(target[:-1])
            opening = self.tag_open(target[-1], last)
            self.out.append(f"{opening}{self.inline(block, last == 'pre')}</{last}>")
            return
        self.move_to(target)
        content = self.inline(block, False)
        if last in _HOLDERS:
            # Two runs of text in one list item or cell would otherwise be joined; two of the same element are
            # paragraphs that the page separates with <br><br>.
            apart = "<br><br>" if block.node == self.loose_node else "<br>"
            self.out.append(f"{apart}{content}" if self.loose_end == len(self.out) else content)
            self.loose_end, self.loose_node = len(self.out), block.node
        else:
            self.out.append(f"<p>{content}</p>")

    def inline(self, block: Block, pre: bool) -> str:
        parts: list[str] = []
        opened: Chain = ()
        page, spaced, breaks = self.page, True, 0
        pictures = self.in_line.get(block.slots[0], ())
        shown = 0
        for slot in block.slots:
            if slot == LINE_BREAK:
                breaks += 1
                spaced = True
                continue
            node, is_tail = slot >> 1, slot & 1
            while shown < len(pictures) and pictures[shown].node < text_place(page, slot):
                opened = self._picture(parts, opened, pictures[shown])
                shown, spaced = shown + 1, False
            element = page.elements[node]
            text = element.tail if is_tail else element.text
            if not pre:
                text = _SPACE.sub(" ", text or "")
                text = text.lstrip() if spaced else text
                spaced = text.endswith(" ") if text else spaced
            wanted = self.chain(page.parents[node] if is_tail else node)[1]
            if breaks:
                # Between two links, not inside the first.
                opened = self._switch(parts, opened, wanted[: _shared(opened, wanted)])
                parts.append(("\n" if pre else "<br>") * breaks)
                breaks = 0
            opened = self._switch(parts, opened, wanted)
            parts.append(escape(text or "", quote=False))
        for picture in pictures[shown:]:
            parts.append("<br>" if page.tags[picture.node - 1] == "br" else "")
            opened = self._picture(parts, opened, picture)
        self._switch(parts, opened, ())
        content = "".join(parts)
        # Outside <pre> white space at a block's ends is ignored; inside, only a last line break.
        return content.rstrip("\n") if pre else _trimmed(content)

    def _picture(self, parts: list[str], opened: Chain, picture: Picture) -> Chain:
        opened = self._switch(parts, opened, self.chain(picture.node)[1])
        parts.append(picture.alt if is_emoji(picture.alt) else _image(picture))
        return opened

    def _switch(self, parts: list[str], opened: Chain, wanted: Chain) -> Chain:
        shared = _shared(opened, wanted)
        tags = self.tags
        parts += [f"</{_INLINE[tags[n]]}>" for n in reversed(opened[shared:])]
        parts += [self.tag_open(n, _INLINE[tags[n]]) for n in wanted[shared:]]
        return wanted

    def figure(self, figure: Figure) -> None:
        tags = self.tags
        holders = self.containers(self.page.parents[figure.node])
        self.move_to(tuple(n for n in holders if tags[n] not in _LEAVES))
        content = "".join(map(self._linked_image, figure.pictures))
        if figure.caption:
            lines = dict.fromkeys(self.inline(block, False) for block in figure.caption)  # often twice, for two layouts
            caption = f"<figcaption>{'<br>'.join(lines)}</figcaption>"
            content = caption + content if figure.caption_first else content + caption
        is_figure = figure.caption or tags[figure.node] == "figure"
        self.out.append(f"<figure>{content}</figure>" if is_figure else content)

    def thematic_break(self, node: int) -> None:
        holders = self.containers(self.page.parents[node])
        self.move_to(tuple(n for n in holders if self.tags[n] not in _LEAVES))
        self.out.append("<hr>")

    def card(self, card: EmbedCard) -> None:
        holders = self.containers(self.page.parents[card.node])
        self.move_to(tuple(n for n in holders if self.tags[n] not in _LEAVES))
        self.out.append(card.html)

    def _linked_image(self, picture: Picture) -> str:
        links = [n for n in self.chain(picture.node)[1] if self.tags[n] == "a" and self._leads_somewhere(n)]
        return f"{self.tag_open(links[-1], 'a')}{_image(picture)}</a>" if links else _image(picture)

    def _leads_somewhere(self, link: int) -> bool:
        """False for the buttons of a gallery."""
        href = (self.page.elements[link].get("href") or "#").strip().lower()
        return not href.startswith(("#", "javascript:"))


def _image(picture: Picture) -> str:
    written = (("alt", picture.alt), ("width", picture.width), ("height", picture.height))
    others = [f' {name}="{escape(str(value))}"' for name, value in written if value]
    return f'<img src="{escape(picture.src)}"{"".join(others)}>'


def _thematic_breaks(page: Page, kept: list[Block]) -> list[int]:
    """The <hr> right between two kept blocks of its own parent."""
    nodes = [node for node, tag in enumerate(page.tags) if tag == "hr"]
    if not nodes:
        return []
    starts = [text_place(page, block.slots[0]) for block in page.blocks]
    slots = {block.slots[0] for block in kept}
    found = {}
    for node in nodes:
        after = bisect_right(starts, node)
        beside = page.blocks[max(0, after - 1) : after + 1]
        parent = page.parents[node]
        if len(beside) > 1 and all(b.slots[0] in slots and parent < b.node < page.ends[parent] for b in beside):
            found[after] = node  # the last of several in a row
    return list(found.values())


def content_html(page: Page, kept: list[Block], pictures: Pictures, cards: Sequence[EmbedCard] = ()) -> str:
    def position(item: Block | Figure | EmbedCard | int) -> float:
        if isinstance(item, int):
            return item
        if isinstance(item, EmbedCard):
            return item.node
        return item.pictures[0].node if isinstance(item, Figure) else text_place(page, item.slots[0])

    captions = {block.slots[0] for figure in pictures.figures for block in figure.caption}
    blocks = [block for block in (*kept, *pictures.headings) if block.slots[0] not in captions]
    items: list[Block | Figure | EmbedCard | int] = [
        *blocks,
        *pictures.figures,
        *cards,
        *_thematic_breaks(page, blocks),
    ]
    writer = _Writer(page, pictures.in_line)
    for item in sorted(items, key=position):
        if isinstance(item, Figure):
            writer.figure(item)
        elif isinstance(item, EmbedCard):
            writer.card(item)
        elif isinstance(item, int):
            writer.thematic_break(item)
        else:
            writer.block(item)
    writer.move_to(())
    return "".join(writer.out)
