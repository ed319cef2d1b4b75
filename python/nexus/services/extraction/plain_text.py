"""Clean article HTML to its canonical text."""

import re
import unicodedata

from lxml import etree

_BLOCKS = frozenset(
    [
        "p",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "li",
        "ul",
        "ol",
        "dl",
        "dt",
        "dd",
        "table",
        "thead",
        "tbody",
        "tfoot",
        "tr",
        "caption",
        "blockquote",
        "pre",
        "figure",
        "figcaption",
        "hr",
    ]
)
_CELLS = frozenset(("td", "th"))
_SPACE = re.compile(r"\s+")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")


def render_text(html: str) -> str:
    """Blocks and <br> end a line, a tab parts cells, <pre> keeps its line breaks, no line is blank."""
    if not html:
        return ""
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True)
    root = etree.fromstring(f"<html><body>{_CONTROL.sub('', html)}</body></html>".encode(), parser)
    parts: list[str] = []
    pre = 0
    for event, element in etree.iterwalk(root, events=("start", "end")):
        tag, starting = element.tag, event == "start"
        if tag in _BLOCKS or (tag == "br" and starting):
            parts.append("\n")
        elif tag in _CELLS and starting and element.getprevious() is not None:
            parts.append("\t")
        if tag == "pre":
            pre += 1 if starting else -1
        text = element.text if starting else element.tail
        if text:
            parts.append(text.replace("\t", " ") if pre else _SPACE.sub(" ", text))
    lines = unicodedata.normalize("NFC", "".join(parts)).split("\n")
    cells = ([" ".join(c.split()) for c in line.split("\t")] for line in lines)
    return "\n".join(line for line in ("\t".join(c).strip() for c in cells) if line)
