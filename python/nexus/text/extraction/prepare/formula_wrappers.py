"""Elements that have the class of a formula but hold the text of a page: themes put "katex" on a whole article."""

from lxml import etree

from nexus.text.extraction.blocks import HEADING_TAGS
from nexus.text.extraction.prepare.edits import names_of

CONTAINER_NAMES = frozenset(("katex", "katex-display", "mwe-math-element"))
MATHJAX_NAMES = frozenset(
    (
        "MathJax",
        "MathJax_CHTML",
        "MathJax_Display",
        "MathJax_Preview",
        "MathJax_SVG",
        "MathJax_SVG_Display",
        "MJXc-display",
    )
)
_NAMES = CONTAINER_NAMES | MATHJAX_NAMES
_PAGE_PARTS = frozenset(("article", "main", "section", "body"))
_BLOCKS = (
    _PAGE_PARTS
    | HEADING_TAGS
    | frozenset(
        (
            "p",
            "ul",
            "ol",
            "dl",
            "table",
            "blockquote",
            "pre",
            "figure",
            "form",
            "iframe",
        )
    )
)
# The formula itself: its words are not those of the page.
_FORMULA_TAGS = frozenset(("math", "mjx-container", "script", "style", "svg", "nobr"))
_MAX_WORDS = 2
_MAX_CHARS = 200


class _Container:
    __slots__ = ("chars", "element", "formulas", "is_wrapper", "words")

    def __init__(self, element: etree._Element) -> None:
        self.element = element
        self.is_wrapper = element.tag in _PAGE_PARTS
        self.words = self.chars = self.formulas = 0

    def add(self, text: str | None) -> None:
        """A formula has short names and at most a number beside it."""
        for word in (text or "").split():
            self.chars += len(word)
            self.words += len(word) > 1 and word.strip(".,;:").isalpha()

    def close(self) -> bool:
        many = self.words > _MAX_WORDS or self.chars > _MAX_CHARS or self.formulas > 1
        self.is_wrapper = self.is_wrapper or many
        return self.is_wrapper


def is_container(element: etree._Element) -> bool:
    return not _NAMES.isdisjoint(names_of(element))


def wrappers_within(outermost: etree._Element) -> tuple[set[etree._Element], set[etree._Element]]:
    """The containers in an element (itself too), and those of them that are no formula.

    One walk for all of them: hostile pages nest thousands.
    """
    containers: set[etree._Element] = set()
    wrappers: set[etree._Element] = set()
    opened: list[_Container] = []
    walker = etree.iterwalk(outermost, events=("start", "end"))
    for event, element in walker:
        own = bool(element.get("class")) and is_container(element)
        if event == "start":
            if own:
                containers.add(element)
                opened.append(_Container(element))
            elif element.tag in _BLOCKS:
                opened[-1].is_wrapper = True
            if not own and (element.tag in _FORMULA_TAGS or element.get("aria-hidden") == "true"):
                walker.skip_subtree()
            else:
                opened[-1].add(element.text)
            continue
        if own:
            closed = opened.pop()
            if closed.close():
                wrappers.add(element)
            if opened:  # what holds the text of a page is no formula either
                opened[-1].is_wrapper |= closed.is_wrapper
                opened[-1].formulas += not CONTAINER_NAMES.isdisjoint(names_of(element))
        if opened:
            opened[-1].add(element.tail)
    return containers, wrappers
