"""Headings lose the links that only point at themselves or at an editor: "[edit]", "#", "¶", "Permalink"."""

import re
from collections.abc import Iterable

from lxml import etree

from nexus.text.extraction.prepare.edits import names_of, remove, text_of

_LINK_NAMES = frozenset(("anchor", "anchor-link", "anchorjs-link", "hash-link", "header-anchor", "headerlink"))
_WORDS = frozenset(
    (
        "anchor",
        "copy link",
        "direct link",
        "edit",
        "edit section",
        "link",
        "link to this heading",
        "link to this section",
        "permalink",
        "permalink to this headline",
        "permalink to this heading",
    )
)
_EDIT_ADDRESS = re.compile(r"action=edit|veaction=|/edit(?:[/?#]|$)")
_SYMBOLS = " \t\n#¶§🔗⚓∞[]()\ufe0f\u200b\ufeff"
_MAX_CHARS = 40
# A heading with more links than this is a menu.
_MAX_LINKS = 20


def clean_headings(headings: Iterable[etree._Element], named_links: Iterable[etree._Element]) -> None:
    """`named_links` have a class that says what they are; they also stand beside headings and in definitions."""
    for link in named_links:
        text = text_of(link)
        if _is_symbol(text) or ("editsection" in (link.get("class") or "") and len(text) <= _MAX_CHARS):
            remove(link)
    for heading in headings:
        links = list(heading.iter("a"))
        if links and len(links) <= _MAX_LINKS:
            _clean(heading, links)


def _clean(heading: etree._Element, links: list[etree._Element]) -> None:
    unwanted = [link for link in links if _points_at_itself(link)]
    if not unwanted:
        return
    # The heading's own words are never taken, also not when all of them are such a link.
    rest = len(text_of(heading)) - sum(len(text_of(link)) for link in unwanted)
    for link in unwanted:
        if rest > 0 or not text_of(link):
            _remove_with_brackets(link)


def _points_at_itself(link: etree._Element) -> bool:
    text, address = text_of(link), link.get("href") or ""
    if len(text) > _MAX_CHARS:
        return False
    if _EDIT_ADDRESS.search(address) is not None:
        return True
    if "#" not in address and link.get("href") is not None:
        return False
    if _is_symbol(text) or text.lower().rstrip(".") in _WORDS:
        return next(link.iter("img"), None) is None
    return not _LINK_NAMES.isdisjoint(names_of(link)) and text.lower().startswith(("link to", "permalink", "direct"))


def _is_symbol(text: str) -> bool:
    return all(char in _SYMBOLS or "\ue000" <= char <= "\uf8ff" for char in text)  # icon fonts use private characters


def _remove_with_brackets(link: etree._Element) -> None:
    before, parent = link.getprevious(), link.getparent()
    if parent is None:
        return
    ahead = (before.tail if before is not None else parent.text) or ""
    if ahead.rstrip().endswith("[") and (link.tail or "").lstrip().startswith("]"):
        ahead = ahead.rstrip().removesuffix("[")
        link.tail = (link.tail or "").lstrip().removeprefix("]")
        if before is not None:
            before.tail = ahead
        else:
            parent.text = ahead
    remove(link)
