"""The few changes that the rules of this folder make to the tree."""

import re
from typing import Any

from lxml import etree

from nexus.text.characters import FORBIDDEN_BUT_FORM_FEED

# `collect_blocks` skips these, so their text is nobody's. Their elements stay in the tree, because metadata is
# often in hidden elements (<span itemprop="author" hidden>, JSON-LD in a hidden <div>).
HIDDEN_TAG = "template"
# The class of the <code> that holds a formula.
FORMULA_CLASS = "formula"
# Pages hold these as "&#1;" and "%01": lxml reads them, but raises an error when they are written.
_FORBIDDEN = re.compile(f"[{FORBIDDEN_BUT_FORM_FEED}]")


def body_of(root: etree._Element) -> etree._Element:
    body = root.find("body")
    return root if body is None else body


def find(path: etree.XPath, element: etree._Element) -> list[etree._Element]:
    found: Any = path(element)
    return list(found)


def writable(text: str) -> str:
    """Without the characters that XML forbids: for whatever is written into the tree."""
    return _FORBIDDEN.sub("", text.replace("\x0c", " "))


def names_of(element: etree._Element) -> list[str]:
    """The class names of an element."""
    return (element.get("class") or "").split()


def hide(element: etree._Element) -> None:
    element.tag = HIDDEN_TAG


def text_of(element: etree._Element) -> str:
    return " ".join("".join(map(str, element.itertext())).split())


def empty(element: etree._Element) -> None:
    """Without attributes, text and children; the text after it stays."""
    tail = element.tail
    element.clear()
    element.tail = writable(tail) if tail else None
