"""Sections that are closed until the reader opens them (tabs, accordions, answers): hidden, but part of the text."""

import re

from lxml import etree

from nexus.text.extraction.prepare.edits import find

_CONTROLS = etree.XPath("descendant::*[@aria-controls]")
_SECTION_NAMES = re.compile(
    r"accordion|collaps|tab-?pan|tab-?content|tabbed|expand|toggle|faq|answer|spoiler|(?:^|[\s_-])(?:read-?)?more(?:$|[\s_-])"
)
# Whole words, also written together ("loginmodal"): "search" is in "research", "error" in "terror", "nav" in "navy".
_ENDINGS = (
    r"(?:bar|box|form|content|container|wrapper|body|text|menu|message|banner|notice|modal|popup|dialog|igation|s)"
)
_DIALOG_WORDS = r"modal|popup|pop-up|dialog|cookie|consent|gdpr|lightbox"
_OTHER_WORDS = r"overlay|tooltip|dropdown|drop-down|menu|banner|share|log-?in|sign-?in|search|alert|toast|error|nav"
_BEFORE = r"(?<![a-z])(?:main|sub|site|mega|top|side|login|signin)?"
_DIALOG_NAMES = re.compile(rf"{_BEFORE}(?:{_DIALOG_WORDS}){_ENDINGS}{{0,3}}(?![a-z])")
_OTHER_NAMES = re.compile(rf"{_BEFORE}(?:{_DIALOG_WORDS}|{_OTHER_WORDS}){_ENDINGS}{{0,3}}(?![a-z])")
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_DIALOG_ROLES = frozenset(("dialog", "alertdialog"))
_OTHER_ROLES = frozenset(("dialog", "alertdialog", "menu", "navigation", "search", "alert", "status", "tooltip"))
_OUTSIDE = frozenset(("nav", "footer", "form", "dialog"))
_OPENERS = frozenset(("h2", "h3", "h4", "h5", "h6", "button", "dt", "summary", "label"))
_MAX_LEVELS = 12
_MIN_CHARS = 80


class Collapsed:
    """Knows which elements of a page are opened by a control."""

    def __init__(self, body: etree._Element) -> None:
        self.body = body
        self.controlled: set[str] | None = None

    def holds(self, element: etree._Element, prose_chars: int) -> bool:
        names = _names(element)
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


def is_dialog(element: etree._Element) -> bool:
    """Opened over the page, such as a question about cookies: never its text, however short that is."""
    if element.tag == "dialog" or element.get("role") in _DIALOG_ROLES or element.get("aria-modal") == "true":
        return True
    # A class such as "cookie-accepted" also stands on the element around the whole page.
    return _DIALOG_NAMES.search(_names(element)) is not None and next(element.iter("main", "article"), None) is None


def _names(element: etree._Element) -> str:
    """In lower case, with a hyphen inside "cookieBox"."""
    return _CAPITAL.sub("-", f"{element.get('class') or ''} {element.get('id') or ''}").lower()


def _is_outside(element: etree._Element) -> bool:
    return any(up.tag in _OUTSIDE for up, _ in zip(element.iterancestors(), range(_MAX_LEVELS), strict=False))


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
