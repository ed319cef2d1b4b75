"""Formulas: TeX or MathML in a page, text or the description of a picture in what is read."""

import re

from lxml import etree

_IGNORED = re.compile(
    r"\\(?:displaystyle|textstyle|left|right)(?![a-zA-Z])|\\[,;!:]|[\s{}$\u2061-\u2064\u200b]|\\[()\[\]]"
)
_CLASSES = ("math", "tex", "latex")


def squeezed(text: str) -> str:
    """Without spaces, braces, delimiters and layout: "{\\displaystyle x^{2}}" and "$x^2$" are one formula."""
    return _IGNORED.sub("", text)


def _of_math(math: etree._Element) -> frozenset[str]:
    """Its TeX, where it is written down. The letters alone ("h") are found in any text, so they are the last resort."""
    written = [math.get("alttext") or ""]
    written += [
        "".join(map(str, a.itertext())) for a in math.iter("annotation") if "tex" in (a.get("encoding") or "").lower()
    ]
    shown = "".join(e.text or "" for e in math.iter() if e.tag not in ("annotation", "annotation-xml"))
    return frozenset(filter(None, map(squeezed, written))) or frozenset([squeezed(shown)])


def formulas_in(root: etree._Element) -> list[frozenset[str]]:
    """The different formulas of a page, each in all the ways it is written there."""
    found = [_of_math(math) for math in root.iter("math")]
    found += [
        frozenset([squeezed(script.text or "")])
        for script in root.iter("script")
        if (script.get("type") or "").startswith("math/tex")
    ]
    found += [
        frozenset([squeezed(image.get("alt") or "")])
        for image in root.iter("img")
        if any(word in (image.get("class") or "") for word in _CLASSES)
    ]
    different: list[frozenset[str]] = []
    for ways in found:
        if ways - {""} and not any(ways & known for known in different):
            different.append(ways)
    return different


def written_formulas(root: etree._Element) -> str:
    """Everything in which a formula may be found again: the text and the descriptions of pictures."""
    parts = [*map(str, root.itertext()), *(image.get("alt") or "" for image in root.iter("img"))]
    return squeezed("".join(parts))
