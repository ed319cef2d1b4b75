"""Parses HTML into the lxml tree that all later steps use."""

import re

from lxml import etree

from nexus.errors import UnparsableHtmlError
from nexus.text.characters import FORBIDDEN_BUT_FORM_FEED
from nexus.text.html_limits import cut_long_tags

_CONTROL = re.compile(f"[{FORBIDDEN_BUT_FORM_FEED}\x7f]")
# libxml2 drops what follows an early </body></html>; browsers and the HTML standard put it into the body.
_EARLY_END = re.compile(r"</(?:body|html)\s*>", re.IGNORECASE)
_RAW_TEXT = re.compile(r"<(script|style|template|svg|noscript)\b.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_IN_HEAD = frozenset(("base", "link", "meta", "noscript", "script", "style", "template", "title"))
_NOT_FLAT = re.compile(r"</?(?!/?(?:p|h[1-6]|li|pre|td|br|title)\b)[a-zA-Z][^<>]*>")


def parse_html(source: str) -> etree._Element:
    """Loses no text silently: libxml2 stops at nesting depth 2048 (256 without huge_tree) and drops everything after
    it, so such a page is flattened to its paragraphs and parsed again."""
    cleaned = _EARLY_END.sub("", _CONTROL.sub("", cut_long_tags(source).replace("\x0c", " ")))
    if not cleaned.strip():
        raise UnparsableHtmlError("The page is empty.")
    root, too_deep = _parse(cleaned)
    if too_deep:
        flat = _NOT_FLAT.sub("<br><br>", _RAW_TEXT.sub(" ", cleaned))
        root, too_deep = _parse(flat)
        if too_deep:
            raise UnparsableHtmlError("The page nests its elements too deeply to be read.")
    if root is None:
        raise UnparsableHtmlError("The page has no HTML that can be read.")
    _end_head(root)
    return root


def _parse(source: str) -> tuple[etree._Element | None, bool]:
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    # Bytes, not str: lxml refuses a str that carries an XML encoding declaration.
    root = etree.fromstring(source.encode("utf-8"), parser)
    too_deep = any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log)
    return root, too_deep


def _end_head(root: etree._Element) -> None:
    """`<head>` and `<body>` may be left out. libxml2 then takes the elements it does not know, such as `<article>` and
    `<main>`, for a part of the head; by the HTML standard they begin the body."""
    head, body = root.find("head"), root.find("body")
    strays = [] if head is None else [child for child in head if child.tag not in _IN_HEAD]
    if not strays:
        return
    if body is None:
        body = etree.SubElement(root, "body")
    strays[-1].tail = (strays[-1].tail or "") + (body.text or "")
    body.text = None
    body[:0] = strays
