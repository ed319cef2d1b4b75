"""Walks the tree once: numbers every element in document order and collects every visible run of text as a block."""

from dataclasses import dataclass, field

from lxml import etree

SKIPPED_TAGS = frozenset(
    [
        "script",
        "style",
        "template",
        "svg",
        "math",
        "iframe",
        "object",
        "embed",
        "canvas",
        "audio",
        "video",
        "select",
        "textarea",
        "head",
        "link",
        "meta",
        "input",
        "datalist",
        "map",
        "base",
        "param",
        "track",
        "frameset",
        "noframes",
    ]
)
HEADING_TAGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
BLOCK_TAGS = HEADING_TAGS | frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "button",
        "caption",
        "center",
        "dd",
        "details",
        "dialog",
        "dir",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "header",
        "hgroup",
        "hr",
        "html",
        "legend",
        "li",
        "main",
        "menu",
        "nav",
        "ol",
        "p",
        "pre",
        "search",
        "section",
        "summary",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
        "label",
    ]
)
LINE_BREAK = -1


@dataclass(slots=True)
class Block:
    """An inline run: the text between two block boundaries. A slot is 2*node for an element's text, 2*node+1
    for its tail, LINE_BREAK for a <br>."""

    node: int
    text: str
    slots: list[int]
    link_chars: int
    links: int
    strong_chars: int


@dataclass(slots=True)
class Page:
    elements: list[etree._Element] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)


class _Run:
    """The text collected since the last block boundary."""

    __slots__ = ("broken", "link_chars", "links", "node", "parts", "slots", "strong_chars")

    def __init__(self, node: int) -> None:
        self.node = node
        self.parts: list[str] = []
        self.slots: list[int] = []
        self.link_chars = 0
        self.links = 0
        self.strong_chars = 0
        self.broken = False  # since the last line break there was only white space


def _touches_link(element: etree._Element) -> bool:
    """Two links with nothing between them are apart on the screen: without a break "Women" and "Men" would be
    "WomenMen". Words of the gold text found on collection pages: 0.941 to 0.948."""
    before = element.getprevious()
    return before is not None and before.tag == "a" and not before.tail and bool(before.text)


class _Walk:
    def __init__(self) -> None:
        self.page = Page()
        self.path: list[int] = []
        self.holders: list[int] = [0]
        self.link_depth = 0
        self.strong_depth = 0
        self.pre_depth = 0
        self.run = _Run(0)

    def flush(self) -> None:
        run = self.run
        if run.slots:
            text = " ".join("".join(run.parts).split())
            if text:
                self.page.blocks.append(Block(run.node, text, run.slots, run.link_chars, run.links, run.strong_chars))
        self.run = _Run(self.holders[-1])

    def add(self, text: str, slot: int) -> None:
        run = self.run
        run.parts.append(text)
        run.slots.append(slot)
        if run.broken and not text.isspace():
            run.broken = False
        if self.link_depth:
            run.link_chars += len(text.strip())
        if self.strong_depth:
            run.strong_chars += len(text.strip())

    def line_break(self) -> None:
        # Two breaks with only white space or empty elements between them end a paragraph in pages that have no <p>.
        run = self.run
        if self.pre_depth == 0 and run.broken:
            self.flush()
        elif run.parts:
            run.parts.append("\n")
            run.slots.append(LINE_BREAK)
            run.broken = True

    def open(self, element: etree._Element, tag: str) -> None:
        page = self.page
        node = len(page.elements)
        page.elements.append(element)
        page.tags.append(tag)
        page.parents.append(self.path[-1] if self.path else 0)
        page.ends.append(0)
        self.path.append(node)
        if tag in SKIPPED_TAGS:
            return
        if tag in BLOCK_TAGS and not self.pre_depth:
            self.holders.append(node)
            self.flush()
        elif tag == "br" or tag in BLOCK_TAGS:  # inside <pre> a <div> is a line of code
            self.line_break()
        if tag == "a":
            if not self.pre_depth and _touches_link(element):
                self.line_break()
            self.link_depth += 1
            self.run.links += 1
        elif tag in ("b", "strong"):
            self.strong_depth += 1
        elif tag == "pre":
            self.pre_depth += 1
        if element.text:
            self.add(element.text, 2 * node)

    def close(self, element: etree._Element, tag: str) -> None:
        node = self.path.pop()
        self.page.ends[node] = len(self.page.elements)
        if tag == "a":
            self.link_depth -= 1
        elif tag in ("b", "strong"):
            self.strong_depth -= 1
        elif tag == "pre":
            self.pre_depth -= 1
        if tag in BLOCK_TAGS and not self.pre_depth:
            self.holders.pop()
            self.flush()
        if element.tail and self.path:
            self.add(element.tail, 2 * node + 1)


def collect_blocks(body: etree._Element) -> Page:
    walk = _Walk()
    walker = etree.iterwalk(body, events=("start", "end"))
    for event, element in walker:
        tag = element.tag
        if event == "start":
            walk.open(element, tag)
            if tag in SKIPPED_TAGS:
                walker.skip_subtree()
        else:
            walk.close(element, tag)
    walk.flush()
    return walk.page
