"""Sanitized HTML as elements that HTML and EPUB both allow where they stand.

Parsers accept what the standards forbid: a block inside a word in bold, a list item outside a list, a caption that is
not first. Browsers show it all the same; an EPUB reader may refuse the whole book. No text is lost on the way.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import quote, unquote

from lxml import etree
from selectolax.lexbor import LexborNode

from nexus.services.downloads.repair_structure import repair_structure
from nexus.text.characters import FORBIDDEN_IN_XML
from nexus.text.html_tree import TEXT, parse_fragment, walk, word_set
from nexus.text.picture_source import PICTURE_PROXY
from nexus.text.sanitize import BLOCK_TAGS, INLINE_TAGS

HEADINGS = word_set("h1 h2 h3 h4 h5 h6")
# Blocks inside these become line breaks.
WORDS_ONLY = HEADINGS | word_set("pre dt caption")
# Where these may stand depends on each other; a plain division may stand everywhere.
DIVISIONS = word_set("section article header footer aside")
# A time must be written in one of the forms of the standard; what people wrote is seldom one.
RENAMED = {"time": "span"} | dict.fromkeys(DIVISIONS, "div")
# What an element with this parent must be; content that is something else gets such an element around it.
INNER = {
    "ul": "li", "ol": "li", "dl": "dd", "table": "tbody", "thead": "tr", "tbody": "tr", "tfoot": "tr", "tr": "td",
}  # fmt: skip
PARENTS = {
    "li": ("ul", "ol"), "dt": ("dl",), "dd": ("dl",), "caption": ("table",), "thead": ("table",), "tbody": ("table",),
    "tfoot": ("table",), "tr": ("thead", "tbody", "tfoot"), "td": ("tr",), "th": ("tr",), "figcaption": ("figure",),
}  # fmt: skip
NOT_AN_ESCAPE = re.compile("%(?![0-9A-Fa-f]{2})")
URI_CHARS = ":/?#[]@!$&'()*+,;=%~"
NUMBERS = {"colspan": range(1, 1001), "rowspan": range(1, 65535), "width": range(1, 10_000), "height": range(1, 10_000)}
MAX_LEVEL = 6


@dataclass(frozen=True)
class EmbeddedPicture:
    """`src`: what is written for a picture of a text."""

    src: str


@dataclass(frozen=True)
class Heading:
    level: int
    id: str
    text: str


@dataclass(frozen=True)
class Markup:
    content: str
    headings: tuple[Heading, ...]
    missing_pictures: int


def picture_urls(html: str) -> list[str]:
    """The URLs of the pictures in a sanitized text, each once, in its order."""
    found = re.findall(f'src="{re.escape(PICTURE_PROXY)}([^"]*)"', html)
    return list(dict.fromkeys(unquote(url) for url in found))


def write_markup(
    html: str,
    pictures: Mapping[str, EmbeddedPicture],
    *,
    title: str = "",
    prefix: str = "",
    syntax: Literal["html", "xml"] = "html",
) -> Markup:
    """`title`: a first heading that says the same is left out; `prefix`: of the ids of headings."""
    builder = _Builder(pictures)
    for node, name, is_start in walk(parse_fragment(html).root, ()):
        builder.add(node, name, is_start=is_start)
    root = builder.root
    repair_structure(root)
    headings = _name_headings(root, title, prefix)
    inner = [etree.tostring(child, encoding="unicode", method=syntax) for child in root]
    return Markup(_escape(root.text or "") + "".join(inner), headings, builder.missing)


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _name_headings(root: etree._Element, title: str, prefix: str) -> tuple[Heading, ...]:
    """The title is the only first-level heading of a text; its own begin one level below."""
    found = [each for each in root.iter(*sorted(HEADINGS)) if _words(each)]
    if found and title and _words(found[0]).lower() == " ".join(title.split()).lower():
        found.pop(0).tag = "removed"
        etree.strip_elements(root, "removed", with_tail=False)
    shift = max(0, 2 - min((int(str(each.tag)[1]) for each in found), default=2))
    named = []
    for number, each in enumerate(found, 1):
        level = min(MAX_LEVEL, int(str(each.tag)[1]) + shift)
        each.tag = f"h{level}"
        each.set("id", f"{prefix}s{number}")
        named.append(Heading(level, each.get("id", ""), _words(each)))
    return tuple(named)


def _words(element: etree._Element) -> str:
    for line in element.iter("br"):
        line.text = " "  # parts two words; a void element is written without it
    found = "".join(map(str, element.itertext()))
    for line in element.iter("br"):
        line.text = None
    return " ".join(found.split())


def web_url(href: str) -> str:
    """As RFC 3986 has it: browsers allow characters that readers of books refuse."""
    return quote(NOT_AN_ESCAPE.sub("%25", href), safe=URI_CHARS)


@dataclass
class _Block:
    """An open block of the source: `current` is where its content goes, which is not always an element of its own."""

    current: etree._Element
    words_only: bool = False
    strong: bool = False


@dataclass
class _Builder:
    pictures: Mapping[str, EmbeddedPicture]
    root: etree._Element = field(default_factory=lambda: etree.Element("div"))
    missing: int = 0

    def __post_init__(self) -> None:
        self._blocks = [_Block(self.root)]
        self._inlines: list[tuple[str, dict[str, str]] | None] = []  # as the source has them; None: left out
        self._open: list[etree._Element] = []  # the elements that stand for them in the current block
        self._open_in: etree._Element | None = None
        self._ended: etree._Element | None = None  # its next words begin a new line

    def add(self, node: LexborNode, name: str, *, is_start: bool) -> None:
        tag = RENAMED.get(name, name)
        if tag == TEXT:
            self._text(FORBIDDEN_IN_XML.sub("", node.text_content or ""))
        elif tag in INLINE_TAGS:
            self._begin_inline(tag, node) if is_start else self._end_inline()
        elif tag in BLOCK_TAGS:
            self._begin_block(tag, node) if is_start else self._end_block()
        elif not is_start:
            return
        elif tag == "img":
            self._image(node)
        elif tag in ("br", "hr"):
            self._line(tag)

    def _begin_inline(self, tag: str, node: LexborNode) -> None:
        attributes = {}
        if tag == "a":
            href = node.attributes.get("href")
            attributes = {"href": web_url(href)} if href else {}
            if note := node.attributes.get("title"):
                attributes["title"] = FORBIDDEN_IN_XML.sub("", note)
        is_link_in_link = tag == "a" and any(each and each[0] == "a" for each in self._inlines)
        self._inlines.append(None if is_link_in_link else (tag, attributes))

    def _end_inline(self) -> None:
        if self._inlines.pop() is not None:
            del self._open[len([each for each in self._inlines if each]) :]

    def _begin_block(self, tag: str, node: LexborNode) -> None:
        self._open = []
        outer = self._blocks[-1]
        if outer.words_only:
            self._ended = outer.current
            self._blocks.append(_Block(outer.current, words_only=True))
            return
        if outer.current.tag == "p":
            parent = outer.current.getparent()
            outer.current = self.root if parent is None else parent
        if tag == "div" and outer.current.tag == "dl":
            self._blocks.append(_Block(outer.current))  # groups of terms
            return
        tag, strong = self._fitting(tag, outer)
        parent = outer.current if self._takes(outer.current, tag) else self._inside(outer)
        element = etree.SubElement(parent, tag, _numbers(tag, node))
        if strong:
            self._inlines.append(("strong", {}))
        self._blocks.append(_Block(element, words_only=tag in WORDS_ONLY, strong=strong))

    def _fitting(self, tag: str, outer: _Block) -> tuple[str, bool]:
        """The element that may stand here, and whether it stands for a heading."""
        if tag in PARENTS:
            # Content that was wrapped ends with the next real item.
            above = outer.current.getparent()
            if outer.current.get("made") and above is not None and above.tag in PARENTS[tag]:
                outer.current = above
            return (tag, False) if outer.current.tag in PARENTS[tag] else ("div", False)
        in_head = tag in HEADINGS and any(block.current.tag == "th" for block in self._blocks)
        return ("p", True) if in_head else (tag, False)

    def _takes(self, parent: etree._Element, tag: str) -> bool:
        return parent.tag not in INNER or parent.tag in PARENTS.get(tag, ())

    def _inside(self, block: _Block) -> etree._Element:
        """Where words and blocks may stand in a list or a table."""
        while (inner := INNER.get(str(block.current.tag))) is not None:
            block.current = etree.SubElement(block.current, inner, {"made": "1"})
        return block.current

    def _end_block(self) -> None:
        self._open = []
        block = self._blocks.pop()
        if block.strong:
            self._inlines.pop()
        if block.words_only and self._blocks[-1].words_only:
            self._ended = block.current

    def _break(self, element: etree._Element) -> None:
        """Between words that stood in blocks of their own."""
        last = element[-1] if len(element) else None
        if last is None and not (element.text or "").strip():
            return
        if last is None or last.tag != "br" or (last.tail or "").strip():
            etree.SubElement(element, "br")

    def _place(self) -> etree._Element:
        """Where words go now, with all open inline elements around them."""
        block = self._inside(self._blocks[-1])
        if self._open_in is not block:
            self._open, self._open_in = [], block
        if self._ended is block:
            self._break(block)
            self._ended = None
        wanted = [each for each in self._inlines if each]
        for tag, attributes in wanted[len(self._open) :]:
            parent = self._open[-1] if self._open else block
            self._open.append(etree.SubElement(parent, tag, attributes))
        return self._open[-1] if self._open else block

    def _text(self, text: str) -> None:
        current = self._blocks[-1].current
        is_between = self._ended is not None or (self._inlines and not self._open)
        if text.isspace() and (current.tag in INNER or is_between):
            if current.tag not in INNER and self._ended is None:
                _append(current, text)
            return
        if text:
            _append(self._place(), text)

    def _line(self, tag: str) -> None:
        block = self._blocks[-1]
        if tag == "br":
            etree.SubElement(self._place(), "br")
        elif block.words_only:
            self._break(block.current)
        else:
            self._open = []
            if block.current.tag == "p":
                parent = block.current.getparent()
                block.current = self.root if parent is None else parent
            etree.SubElement(self._inside(block), "hr")

    def _image(self, node: LexborNode) -> None:
        given = node.attributes
        alt = FORBIDDEN_IN_XML.sub("", given.get("alt") or "")
        url = unquote((given.get("src") or "").removeprefix(PICTURE_PROXY))
        picture = self.pictures.get(url)
        if picture is None:
            self.missing += 1 if url else 0
            missing = etree.SubElement(self._place(), "span", {"class": "no-picture"})
            missing.text = alt.strip() or "Picture not included"
            return
        etree.SubElement(self._place(), "img", {"src": picture.src, "alt": alt} | _numbers("img", node))


def _numbers(tag: str, node: LexborNode) -> dict[str, str]:
    given = node.attributes
    kept = {}
    for name in {"img": ("width", "height"), "td": ("colspan", "rowspan"), "th": ("colspan", "rowspan")}.get(tag, ()):
        value = given.get(name) or ""
        if value.isascii() and value.isdigit() and int(value) in NUMBERS[name]:
            kept[name] = str(int(value))
    if tag == "ol" and re.fullmatch("-?[0-9]{1,9}", given.get("start") or ""):
        kept["start"] = str(int(given.get("start") or 1))
    return kept


def _append(element: etree._Element, text: str) -> None:
    if len(element):
        element[-1].tail = (element[-1].tail or "") + text
    else:
        element.text = (element.text or "") + text
