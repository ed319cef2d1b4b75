"""The structure of an article: its pictures, captions, list items and so on, each as something to compare."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from lxml import etree, html

from bench.fidelity.urls import link_key, picture_keys

_WORD = re.compile(r"\w+")
_SPACE = re.compile(r"\s+")
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_EMPHASIS = frozenset(("em", "i", "strong", "b"))
_CODE = frozenset(("pre", "code", "tt", "kbd", "samp"))
_LISTS = frozenset(("ul", "ol", "dl"))
_IN_LINE = _EMPHASIS | {
    "a",
    "code",
    "tt",
    "kbd",
    "samp",
    "span",
    "sup",
    "sub",
    "u",
    "s",
    "q",
    "cite",
    "abbr",
    "small",
    "bdi",
}
# What sites add to a heading: a link to edit it, a link to itself.
_ANCHOR = re.compile(r"\s*(?:\[\s*edit\s*(?:source)?\s*\]|[#¶§])\s*$", re.IGNORECASE)
_MARK = re.compile(r"[\[(]?\s*(?:\d{1,3}|[a-z]|[*†‡§]+|(?:note|nb) \d+)\s*[\])]?", re.IGNORECASE)
_BACK = frozenset("^↑↩")
_MIN_ROWS = 2
_LAYOUT_WORDS = 30

Root: TypeAlias = etree._Element  # noqa: SLF001 lxml has no public name for the type


@dataclass(frozen=True, slots=True)
class Item:
    """Two are the same if they share a key. `shown` is for whoever reads the list of losses."""

    keys: frozenset[str]
    shown: str


def parse(source: str) -> Root:
    parser = html.HTMLParser(remove_comments=True, remove_pis=True, encoding="utf-8")
    return html.document_fromstring(f"<body>{source}</body>".encode("utf-8", "replace"), parser=parser)


def plain(text: str) -> str:
    """Words alone, or the characters where there is no word."""
    text = unicodedata.normalize("NFKC", text)
    return " ".join(_WORD.findall(text.lower())) or _SPACE.sub("", text)


def text_of(element: Root, without: frozenset[str] = frozenset()) -> str:
    """The text inside, less that of the elements named in `without`; a space where a line or a block ends."""
    parts: list[str] = []
    skipping = 0
    for event, node in etree.iterwalk(element, events=("start", "end")):
        apart = "" if node.tag in _IN_LINE else " "
        if event == "start":
            if skipping or (node is not element and node.tag in without):
                skipping += 1
            else:
                parts += [apart, node.text or ""]
        else:
            skipping -= bool(skipping)
            if not skipping and node is not element:
                parts += [apart, node.tail or ""]
    return _SPACE.sub(" ", "".join(parts)).strip()


def _inside(element: Root, tags: frozenset[str]) -> bool:
    return any(a.tag in tags for a in element.iterancestors())


def _texts(elements: Iterator[Root], without: frozenset[str] = frozenset()) -> list[Item]:
    found = ((text, plain(text)) for text in (text_of(e, without) for e in elements))
    return [Item(frozenset([key]), text) for text, key in found if key]


def _pictures(root: Root, base: str) -> list[Item]:
    """Each once: a page repeats a picture for those without scripts."""
    found: list[Item] = []
    for image in root.iter("img"):
        keys = picture_keys(image, base)
        if keys and not any(keys & other.keys for other in found):
            found.append(Item(keys, image.get("src") or min(keys)))
    return found


def _is_mark(element: Root) -> bool:
    """A footnote's number in the text; not the way back from the footnote."""
    text = text_of(element)
    if not _MARK.fullmatch(text) or (element.tag == "a" and "#" not in (element.get("href") or "")):
        return False
    return not (text.isalpha() and _inside(element, frozenset(["li"])))


def _footnotes(root: Root, _: str) -> list[Item]:
    marks = [e for e in root.iter("sup", "a") if _is_mark(e)]
    inner = {id(a) for e in marks for a in e.iterdescendants("sup", "a")}
    return _texts(e for e in marks if id(e) not in inner)


def _links(root: Root, base: str) -> list[Item]:
    found = []
    for link in root.iter("a"):
        text, address = text_of(link), link.get("href") or ""
        anchor = _inside(link, _HEADINGS) and plain(text) in ("edit", "edit source", "#", "¶", "§")
        if not plain(text) or not address or address.startswith("javascript:") or text[0] in _BACK or anchor:
            continue
        if not (_is_mark(link) and "#" in address):
            key = f"{plain(text)} {link_key(address, base)}"
            found.append(Item(frozenset([key]), f"{text} <{address}>"))
    return found


def _emphasis(root: Root, _: str) -> list[Item]:
    """One item where one emphasis is all that another holds; a heading is emphasis enough."""
    chosen = []
    for element in root.iter(*_EMPHASIS):
        outer = next((a for a in element.iterancestors(*_EMPHASIS)), None)
        same = outer is not None and plain(text_of(outer)) == plain(text_of(element))
        if not same and not _inside(element, _HEADINGS) and not _MARK.fullmatch(text_of(element)):
            chosen.append(element)
    return _texts(iter(chosen))


def _headings(root: Root, _: str) -> list[Item]:
    texts = [_ANCHOR.sub("", text_of(e)) for e in root.iter(*_HEADINGS)]
    return [Item(frozenset([plain(text)]), text) for text in texts if plain(text)]


def _is_data(table: Root) -> bool:
    """By the same rule on both sides: rows and columns, no table inside, short cells."""
    rows = [len(row.findall("td")) + len(row.findall("th")) for row in table.iter("tr")]
    cells = sum(rows)
    if sum(n > 1 for n in rows) < _MIN_ROWS or any(True for _ in table.iterdescendants("table")):
        return False
    return len(_WORD.findall(text_of(table))) <= _LAYOUT_WORDS * cells


def _cells(root: Root, _: str) -> list[Item]:
    return _texts(cell for table in root.iter("table") if _is_data(table) for cell in table.iter("td", "th"))


def _code(root: Root, _: str) -> list[Item]:
    outermost = [e for e in root.iter(*_CODE) if not _inside(e, _CODE)]
    texts = ["".join(map(str, e.itertext())) for e in outermost]
    return [Item(frozenset([key]), text.strip()) for text in texts if (key := _SPACE.sub("", text))]


def _quotes(root: Root, _: str) -> list[Item]:
    quotes = frozenset(["blockquote"])
    return _texts(e for e in root.iter("blockquote", "q") if not _inside(e, quotes))


_COLLECT: dict[str, Callable[[Root, str], list[Item]]] = {
    "pictures": _pictures,
    "captions": lambda root, _: _texts(root.iter("figcaption")),
    "list_items": lambda root, _: _texts(root.iter("li", "dd"), _LISTS),
    "links": _links,
    "emphasis": _emphasis,
    "headings": _headings,
    "cells": _cells,
    "code": _code,
    "quotes": _quotes,
    "footnotes": _footnotes,
}
KINDS = (*_COLLECT, "formulas")


def structure_of(root: Root, base: str) -> dict[str, list[Item]]:
    return {kind: collect(root, base) for kind, collect in _COLLECT.items()}
