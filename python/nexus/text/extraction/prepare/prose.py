"""How much prose an element holds."""

from lxml import etree

from nexus.text.extraction.blocks import SKIPPED_TAGS

# Below this many characters no text is worth comparing with the whole page.
MIN_CHARS = 200
# An element with more than this share of a page's prose is the page, however it is hidden.
MAIN_SHARE = 0.4
_NOT_PROSE = SKIPPED_TAGS | {"a", "nav", "button", "label", "option"}


def prose_chars(element: etree._Element) -> int:
    """The characters outside links and controls: hidden menus are long, but have no prose."""
    chars = 0
    walker = etree.iterwalk(element, events=("start", "end"))
    for event, each in walker:
        if event == "end":
            chars += len((each.tail or "").strip()) if each is not element else 0
        elif each.tag in _NOT_PROSE and each is not element:
            walker.skip_subtree()
        else:
            chars += len((each.text or "").strip())
    return chars
