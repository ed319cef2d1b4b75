"""Text that a browser does not show is not text.

Hidden elements stay in the tree under a tag that `collect_blocks` skips: metadata may still read them.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import chain, islice

from lxml import etree

from nexus.text.extraction.blocks import SKIPPED_TAGS
from nexus.text.extraction.prepare.collapsed import Collapsed, is_dialog
from nexus.text.extraction.prepare.edits import FORMULA_CLASS, hide, text_of
from nexus.text.extraction.prepare.prose import Prose

# "backface-visibility: hidden" hides nothing.
_UNSEEN = re.compile(r"(?<![\w-])(?:display:none|visibility:hidden)")
_HOLDS_FORMULA = etree.XPath(f"boolean(descendant-or-self::*[@class='{FORMULA_CLASS}'])")
# Classes that move text out of sight for screen readers.
_READER_NAMES = frozenset(
    (
        "sr-only",
        "screen-reader-text",
        "screen-reader",
        "screenreader",
        "visually-hidden",
        "visuallyhidden",
        "u-visually-hidden",
        "element-invisible",
    )
)
_BESIDE = 10
_FEW = 2
_MAX_LEVELS = 4


def hide_unseen(candidates: Sequence[etree._Element], prose: Prose) -> None:
    """What holds most of the page's text stays: such a page hides it until its scripts ran."""
    collapsed = Collapsed(prose.body)
    seen = _SeenProse(candidates, prose)
    gone: set[etree._Element] = set()
    for element in candidates:
        if element in gone or not _is_unseen(element):
            continue
        chars = prose.chars(element)
        if not chars and not prose.is_exhausted and _shows_only_pictures(element):
            continue
        is_page = prose.is_most(chars) and not is_dialog(element) and (_is_in_article(element) or chars > seen.chars())
        if not is_page and not collapsed.holds(element, chars):
            gone.update(element.iterdescendants())
            hide(element)


def _is_in_article(element: etree._Element) -> bool:
    """There hidden text waits for a script, and the rest of the page may well be longer."""
    levels = zip(element.iterancestors(), range(_MAX_LEVELS), strict=False)
    return any(up.tag in ("article", "main") for up, _ in levels)


class _SeenProse:
    """How much of a page's prose is not hidden."""

    def __init__(self, candidates: Iterable[etree._Element], prose: Prose) -> None:
        self.candidates = candidates
        self.prose = prose
        self.found: int | None = None

    def chars(self) -> int:
        if self.found is None:
            hidden = 0
            inside: set[etree._Element] = set()
            for element in self.candidates:
                if element not in inside and _is_unseen(element):
                    inside.update(element.iterdescendants())
                    hidden += self.prose.chars(element)
            self.found = self.prose.chars(self.prose.body) - hidden
        return self.found


def _is_unseen(element: etree._Element) -> bool:
    return element.tag not in SKIPPED_TAGS and (is_hidden(element) or _is_for_readers(element))


def _shows_only_pictures(element: etree._Element) -> bool:
    """Pictures that screen readers skip are seen, and lazy ones become visible: neither has text that is hidden."""
    style = "".join((element.get("style") or "").split()).lower()
    if element.get("hidden") is not None or "display:none" in style:
        return False
    return (element.tag == "img" or next(element.iter("img"), None) is not None) and not text_of(element)


def _is_for_readers(element: etree._Element) -> bool:
    """Not where the same text for the eye is hidden from screen readers, nor where a cell shows only a symbol for it:
    one of the two must stay."""
    parent = element.getparent()
    if _READER_NAMES.isdisjoint((element.get("class") or "").lower().split()) or parent is None:
        return False
    if parent.tag in ("td", "th", "dd") and len(parent) <= _FEW:
        return False
    beside = chain(
        islice(element.itersiblings(preceding=True), _BESIDE), islice(element.itersiblings(preceding=False), _BESIDE)
    )
    return not any(each.get("aria-hidden") == "true" for each in beside)


def is_hidden(element: etree._Element) -> bool:
    hidden = element.get("hidden")
    if (hidden is not None and hidden != "until-found") or (element.tag == "dialog" and element.get("open") is None):
        return True
    style = element.get("style")
    if style and _UNSEEN.search("".join(style.split()).lower()):
        return True
    # Drawn formulas are hidden from screen readers only; those that became code are shown.
    return element.get("aria-hidden") == "true" and not _HOLDS_FORMULA(element)
