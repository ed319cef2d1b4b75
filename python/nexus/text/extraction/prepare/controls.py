"""Controls beside code, such as "Copy", are not part of the text."""

from collections.abc import Iterable
from itertools import islice

from lxml import etree

from nexus.text.extraction.prepare.edits import hide, text_of

_MAX_WORDS = 3
_MAX_LEVELS = 2
_MAX_LOOKED_AT = 20


def hide_code_buttons(buttons: Iterable[etree._Element]) -> None:
    """A short control whose element, or the one around that, also holds code."""
    for button in buttons:
        if len(text_of(button).split()) <= _MAX_WORDS and _is_beside_code(button):
            hide(button)


def _is_beside_code(button: etree._Element) -> bool:
    around = button.getparent()
    for _ in range(_MAX_LEVELS):
        if around is None or around.tag in ("body", "article", "main"):
            return False
        if any(each.tag == "pre" for each in islice(around.iterdescendants(), _MAX_LOOKED_AT)):
            return True
        around = around.getparent()
    return False
