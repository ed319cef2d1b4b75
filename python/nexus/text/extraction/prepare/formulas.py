"""Formulas become text: each is written once, as <code> with its TeX or its linear form.

Pages hold a formula up to three times (MathML for screen readers, drawn spans, a picture as a fallback), and most
of the copies are hidden: so this rule comes before the one for hidden text.
"""

from collections.abc import Iterable

from lxml import etree

from nexus.text.extraction.prepare.edits import FORMULA_CLASS, empty, hide, names_of, writable
from nexus.text.extraction.prepare.equation_tables import write_equations
from nexus.text.extraction.prepare.formula_source import formula_text
from nexus.text.extraction.prepare.formula_wrappers import MATHJAX_NAMES, is_container, wrappers_within

_DISPLAYED = etree.XPath("boolean(descendant::math[@display='block' or @mode='display'])")
_DISPLAY_NAMES = frozenset(("katex-display", "MathJax_Display", "MathJax_SVG_Display", "MJXc-display"))
_MAX_CODE_LEVELS = 12


def write_formulas(candidates: Iterable[etree._Element]) -> None:
    inside: set[etree._Element] = set()
    read: set[etree._Element] = set()
    wrappers: set[etree._Element] = set()
    written = []
    for element in candidates:
        if element in inside or not _is_formula(element):
            continue
        if element not in read and is_container(element):
            for known, found in zip((read, wrappers), wrappers_within(element), strict=True):
                known.update(found)
        if element in wrappers:  # the formulas inside it come later in the list
            continue
        inside.update(element.iterdescendants())
        if _is_copy(element):
            hide(element)
        elif text := writable(formula_text(element)):
            _write(element, text)
            written.append(element)
        elif element.tag == "script" or "MathJax_Preview" in names_of(element):
            hide(element)
    write_equations(written)


def _is_formula(element: etree._Element) -> bool:
    if element.tag in ("math", "mjx-container"):
        return True
    if element.tag == "script":
        return (element.get("type") or "").startswith("math/")
    if element.tag == "img":
        return bool(element.get("alt")) or "tex=" in (element.get("src") or "")
    return is_container(element)


def _is_copy(element: etree._Element) -> bool:
    """MathJax 2 puts a preview and its drawing before the script that holds the TeX."""
    if element.tag == "script" or MATHJAX_NAMES.isdisjoint(names := names_of(element)):
        return False
    after = element.getnext()
    if after is not None and "MathJax_Preview" in names and not MATHJAX_NAMES.isdisjoint(names_of(after)):
        return True
    return after is not None and after.tag == "script" and (after.get("type") or "").startswith("math/")


def _is_display(element: etree._Element) -> bool:
    if element.tag == "script":
        return "mode=display" in (element.get("type") or "")
    if element.get("display") in ("block", "true") or element.get("mode") == "display":
        return True
    return not _DISPLAY_NAMES.isdisjoint(names_of(element)) or bool(_DISPLAYED(element))


def _write(element: etree._Element, text: str) -> None:
    """A displayed formula is a paragraph of its own. Inside code it is text: code in code would be nested."""
    display = _is_display(element) and element.tag != "img"
    in_code = any(
        up.tag in ("pre", "code") for up, _ in zip(element.iterancestors(), range(_MAX_CODE_LEVELS), strict=False)
    )
    empty(element)
    if display and not in_code:
        element.tag = "p"
        element = etree.SubElement(element, "code")
    else:
        element.tag = "span" if in_code else "code"
    element.set("class", FORMULA_CLASS)
    element.text = text
