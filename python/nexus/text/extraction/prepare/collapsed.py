"""Sections that are closed until the reader opens them (tabs, accordions, answers): hidden, but part of the text."""

import re

from lxml import etree

from nexus.text.extraction.prepare.edits import find

_CONTROLS = etree.XPath("descendant::*[@aria-controls]")
_SECTION_NAMES = re.compile(
    r"accordion|collaps|tab-?pan|tab-?content|tabbed|expand|toggle|faq|answer|spoiler|(?:^|[\s_-])(?:read-?)?more(?:$|[\s_-])"
)
_OTHER_NAMES = re.compile(
    r"modal|popup|pop-up|overlay|dialog|cookie|consent|gdpr|tooltip|dropdown|drop-down|menu|banner|lightbox|share"
    r"|login|sign-?in|search|alert|toast|error|nav"
)
_OTHER_ROLES = frozenset(("dialog", "alertdialog", "menu", "navigation", "search", "alert", "status", "tooltip"))
_OUTSIDE = frozenset(("nav", "footer", "form", "dialog"))
_OPENERS = frozenset(("h2", "h3", "h4", "h5", "h6", "button", "dt", "summary", "label"))
_LEVELS = 12
_MIN_CHARS = 80


class Collapsed:
    """Knows which elements of a page are opened by a control."""

    def __init__(self, body: etree._Element) -> None:
        self.body = body
        self.controlled: set[str] | None = None

    def holds(self, element: etree._Element, prose_chars: int) -> bool:
        names = f"{element.get('class') or ''} {element.get('id') or ''}".lower()
        role = element.get("role") or ""
        if element.tag == "dialog" or role in _OTHER_ROLES or _OTHER_NAMES.search(names) or _is_outside(element):
            return False
        if role == "tabpanel" or _is_streamed(element):
            return True
        if prose_chars < _MIN_CHARS:
            return False
        named = _SECTION_NAMES.search(names) is not None or (role == "region" and bool(element.get("aria-labelledby")))
        return named or _follows_opener(element) or self._is_controlled(element)

    def _is_controlled(self, element: etree._Element) -> bool:
        if self.controlled is None:
            named = (each.get("aria-controls") or "" for each in find(_CONTROLS, self.body))
            self.controlled = {name for value in named for name in value.split()}
        return element.get("id") in self.controlled


def _is_outside(element: etree._Element) -> bool:
    return any(up.tag in _OUTSIDE for up, _ in zip(element.iterancestors(), range(_LEVELS), strict=False))


def _is_streamed(element: etree._Element) -> bool:
    """React sends parts of a page late, in hidden elements that its script moves to their place."""
    return element.get("hidden") is not None and (element.get("id") or "").startswith("S:")


def _follows_opener(element: etree._Element) -> bool:
    """Right after a heading or button: a question and its answer."""
    before = element.getprevious()
    if before is None:
        return False
    first = next(before.iterchildren(), None)
    return (
        before.tag in _OPENERS
        or before.get("aria-expanded") is not None
        or (first is not None and (first.tag in _OPENERS or first.get("aria-expanded") is not None))
    )
