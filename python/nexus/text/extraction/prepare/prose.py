"""How much prose an element holds, and whether that is most of the page."""

from lxml import etree

from nexus.text.extraction.blocks import SKIPPED_TAGS

# Below this many characters no text is worth comparing with the whole page.
_MIN_CHARS = 200
# An element with more than this share of a page's prose is the page, however it is hidden.
_MAIN_SHARE = 0.4
_NOT_PROSE = SKIPPED_TAGS | {"a", "nav", "button", "label", "option"}
# Hidden elements inside hidden elements are counted again and again: a page that needs more steps is hostile.
_MAX_STEPS = 600_000


class Prose:
    def __init__(self, body: etree._Element) -> None:
        self.body = body
        self.whole: int | None = None
        self.steps = 0

    @property
    def is_exhausted(self) -> bool:
        return self.steps > _MAX_STEPS

    def chars(self, element: etree._Element) -> int:
        """The characters outside links and controls: hidden menus are long, but have no prose."""
        chars = 0
        if self.is_exhausted:
            return chars
        walker = etree.iterwalk(element, events=("start", "end"))
        for event, each in walker:
            self.steps += 1
            if event == "end":
                chars += len((each.tail or "").strip()) if each is not element else 0
            elif each.tag in _NOT_PROSE and each is not element:
                walker.skip_subtree()
            else:
                chars += len((each.text or "").strip())
        return chars

    def is_most(self, chars: int) -> bool:
        """True for so much prose that the element with it must be the page's text."""
        if chars < _MIN_CHARS:
            return False
        if self.whole is None:
            self.whole = self.chars(self.body)
        return chars > _MAIN_SHARE * self.whole
