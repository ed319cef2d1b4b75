"""Text that a browser does not show is not text (contracts, section 5).

Hidden elements stay in the tree under a tag that `collect_blocks` skips: metadata may still read them.
"""

import re
from collections.abc import Iterable

from lxml import etree

from nexus.text.extraction.blocks import SKIPPED_TAGS
from nexus.text.extraction.prepare.collapsed import Collapsed
from nexus.text.extraction.prepare.edits import hide
from nexus.text.extraction.prepare.prose import MAIN_SHARE, MIN_CHARS, prose_chars

# "backface-visibility: hidden" hides nothing.
_UNSEEN = re.compile(r"(?<![\w-])(?:display:none|visibility:hidden)")
_HOLDS_FORMULA = etree.XPath("boolean(descendant-or-self::code)")
# Each element that is left as it is costs a walk over its text: a page with more of them is hostile.
_MAX_KEPT = 100


def hide_unseen(candidates: Iterable[etree._Element], body: etree._Element) -> None:
    """What holds most of the page's text stays: such a page hides it until its scripts ran."""
    whole = kept = 0
    collapsed = Collapsed(body)
    for element in candidates:
        if element.tag in SKIPPED_TAGS or not is_hidden(element):
            continue
        chars = prose_chars(element) if kept < _MAX_KEPT else 0
        if chars >= MIN_CHARS:
            whole = whole or prose_chars(body)
        if (whole and chars > MAIN_SHARE * whole) or collapsed.holds(element, chars):
            kept += 1
        else:
            hide(element)


def is_hidden(element: etree._Element) -> bool:
    hidden = element.get("hidden")
    if (hidden is not None and hidden != "until-found") or (element.tag == "dialog" and element.get("open") is None):
        return True
    style = element.get("style")
    if style and _UNSEEN.search("".join(style.split()).lower()):
        return True
    # Drawn formulas are hidden from screen readers only; those that became code are shown.
    return element.get("aria-hidden") == "true" and not _HOLDS_FORMULA(element)
