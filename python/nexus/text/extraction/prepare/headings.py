"""Headings lose the links that only point at themselves or at an editor: "[edit]", "#", "¶", "Permalink"."""

import re
from collections.abc import Iterable
from itertools import islice

from lxml import etree

from nexus.text.extraction.blocks import HEADING_TAGS
from nexus.text.extraction.prepare.edits import HIDDEN_TAG, empty, hide, names_of, writable

_LINK_NAMES = frozenset(("anchor", "anchor-link", "anchorjs-link", "hash-link", "header-anchor", "headerlink"))
# Said of a heading only by what made the page.
_PHRASES = frozenset(
    (
        "copy link",
        "direct link",
        "edit section",
        "link to this heading",
        "link to this section",
        "permalink",
        "permalink to this headline",
        "permalink to this heading",
    )
)
# Also ordinary words of a heading: "Link and Zelda", "How to edit pages".
_WORDS = frozenset(("anchor", "edit", "link"))
_EDIT_URL = re.compile(r"action=edit|veaction=|/edit(?:[/?#]|$)")
_EDIT_NAME = re.compile(r"(?<![a-z])edit(?:section|link)?(?![a-z])")
_SYMBOLS = " \t\n\xa0#¶§🔗⚓∞[]()\ufe0f\u200b\ufeff"
_MAX_CHARS = 40
_MAX_PIECES = 50
# A heading with more links than this is a menu.
_MAX_LINKS = 20


def clean_headings(headings: Iterable[etree._Element], named_links: Iterable[etree._Element]) -> None:
    """`named_links` have a class that says what they are; they also stand beside headings and in definitions."""
    for link in named_links:
        text = _short_text(link)
        if text is not None and (_is_symbol(text) or "editsection" in (link.get("class") or "")):
            _drop(link)
    for heading in headings:
        # Headings around headings would be read once for each level.
        if next(heading.iterdescendants(*HEADING_TAGS), None) is not None:
            continue
        links = list(islice(heading.iter("a"), _MAX_LINKS + 1))
        if len(links) <= _MAX_LINKS:
            for link in reversed(links):  # the last one first, then the one before it is the last
                _clean(heading, link)


def _clean(heading: etree._Element, link: etree._Element) -> None:
    text = _short_text(link)
    if text is None or not _points_at_itself(link, text):
        return
    before, after = _words_around(heading, link)
    # Between words a link is one of them. The heading's own words are never taken, also not if all are such a link.
    if before != after or not text:
        _drop_with_brackets(link)


def _points_at_itself(link: etree._Element, text: str) -> bool:
    url, words = link.get("href"), text.lower().rstrip(".")
    if _is_symbol(text):
        return (url is None or "#" in url) and next(link.iter("img"), None) is None
    if url is None:
        return False
    edits = words in ("edit", "edit section") or _EDIT_URL.search(url) is not None
    if edits and (_is_in_brackets(link) or _EDIT_NAME.search((link.get("class") or "").lower())):
        return True
    if "#" not in url:
        return False
    if words in _PHRASES or (words in _WORDS and _is_in_brackets(link)):
        return True
    named = not _LINK_NAMES.isdisjoint(names_of(link))
    return named and (words in ("anchor", "link") or words.startswith(("link to", "permalink", "direct")))


def _is_symbol(text: str) -> bool:
    return all(char in _SYMBOLS or "\ue000" <= char <= "\uf8ff" for char in text)  # icon fonts use private characters


def _short_text(element: etree._Element) -> str | None:
    """None for more than such a link holds."""
    pieces = list(islice(element.itertext(), _MAX_PIECES))
    text = " ".join("".join(map(str, pieces)).split())
    return text if len(pieces) < _MAX_PIECES and len(text) <= _MAX_CHARS else None


def _words_around(heading: etree._Element, link: etree._Element) -> tuple[bool, bool]:
    """Whether the heading has words before the link, and after it."""
    found = [False, False]
    side = 0
    walker = etree.iterwalk(heading, events=("start", "end"))
    for event, each in walker:
        if event == "start":
            if each is link:
                side = 1
            if each is link or each.tag == HIDDEN_TAG:
                walker.skip_subtree()
            elif not _is_symbol((each.text or "").strip()):
                found[side] = True
        elif each is not heading and not _is_symbol((each.tail or "").strip()):
            found[side] = True
    return found[0], found[1]


def _text_before(link: etree._Element) -> str:
    before, parent = link.getprevious(), link.getparent()
    if before is not None:
        return before.tail or ""
    return (parent.text or "") if parent is not None else ""


def _is_in_brackets(link: etree._Element) -> bool:
    return _text_before(link).rstrip().endswith("[") and (link.tail or "").lstrip().startswith("]")


def _drop_with_brackets(link: etree._Element) -> None:
    before, parent = link.getprevious(), link.getparent()
    if parent is None:
        return
    if _is_in_brackets(link):
        ahead = writable(_text_before(link).rstrip().removesuffix("["))
        link.tail = writable((link.tail or "").lstrip().removeprefix("]"))
        if before is not None:
            before.tail = ahead
        else:
            parent.text = ahead
    _drop(link)


def _drop(link: etree._Element) -> None:
    """Its place stays: to join the text before and after it would copy that text for each link of a paragraph."""
    empty(link)
    hide(link)
