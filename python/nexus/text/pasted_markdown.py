"""Whether a pasted text is Markdown, and its HTML.

Much plain text contains a literal ``*``, ``#`` or ``1.``. So it takes markup that is rarely written otherwise
(a link, a fence around code), or several others.
"""

import re
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_HEADING = re.compile(r"(#{1,6})[ \t]+\S")
_FENCE = re.compile(r"(`{3,}|~{3,})[\w+#.-]*[ \t]*")
_ITEM = re.compile(r" {0,3}(?:[-*+]|\d{1,3}\.)[ \t]+\S")
_QUOTE = re.compile(r">[ \t]+\S")
_UNDERLINE = re.compile(r"(?:={3,}|-{3,})[ \t]*")
_LINK = re.compile(
    r"\[[^\]\[\n]{1,500}\]\((?:https?://|mailto:)[^\s()<>]{1,2000}(?:\([^\s()<>]{0,200}\))?(?:[ ]\"[^\"\n]{0,200}\")?\)"
)
_BOLD = re.compile(r"(?<![\w*\\])\*\*(?=\S)[^*\n]{1,500}(?<=\S)\*\*(?![\w*])")
_CODE = re.compile(r"(?<![`\\\w])`[^`\n]{1,200}`(?![`\w])")
_TWICE = 2

# Markup is slow to parse: 200 000 brackets take twenty seconds. This much takes one, and long notes stay below it.
_MAX_WORK = 60_000
_WORK = {"[": 5, "*": 2, "_": 2, "~": 2, "|": 2, "\n": 2}

# Lines wrapped by an editor are about this long; in shorter ones the author's line ends are kept.
_WRAPPED_CHARS = 60


def is_markdown(text: str) -> bool:
    """`text` must have normalized line ends."""
    if sum(text.count(character) * cost for character, cost in _WORK.items()) > _MAX_WORK:
        return False
    lines = text.split("\n")
    if _has_fence(lines) or _LINK.search(text):
        return True
    headings = _heading_levels(lines)
    bold = len(_BOLD.findall(text))
    if not headings:
        return bold >= _TWICE or (bold > 0 and _has_other_markup(text, lines))
    # Comments of a script look like headings of the first level.
    is_outline = len(headings) >= _TWICE and max(headings) > 1
    return is_outline or bold > 0 or _has_other_markup(text, lines)


def markdown_html(text: str) -> str:
    """Must be sanitized: tags are escaped here, but links may have any scheme."""
    html: str = _parser(keeps_line_ends=not _is_wrapped(text)).render(text)
    return html


@cache
def _parser(*, keeps_line_ends: bool) -> "MarkdownIt":
    from markdown_it import MarkdownIt  # noqa: PLC0415 - 60 modules that only a pasted text needs

    return MarkdownIt("commonmark", {"html": False, "breaks": keeps_line_ends}).enable(["table", "strikethrough"])


def _heading_levels(lines: list[str]) -> list[int]:
    """After a blank line; one of the first level also before one, or before a list."""
    levels = []
    for before, line, after in zip(["", *lines], lines, [*lines[1:], ""], strict=False):
        heading = _HEADING.match(line)
        if heading and not before.strip():
            level = len(heading[1])
            if level > 1 or not after.strip() or _ITEM.match(after):
                levels.append(level)
    return levels


def _has_fence(lines: list[str]) -> bool:
    """Only a closed one counts."""
    opened = ""
    for line in lines:
        fence = _FENCE.fullmatch(line)
        if opened and line.rstrip() == opened:
            return True
        if fence and not opened:
            opened = fence[1]
    return False


def _has_other_markup(text: str, lines: list[str]) -> bool:
    filled = [line for line in lines if line.strip()]
    has_list = any(_ITEM.match(first) and _ITEM.match(second) for first, second in pairwise(filled))
    has_quote = any(_QUOTE.match(line) for line in lines)
    has_underline = any(first.strip() and _UNDERLINE.fullmatch(second) for first, second in pairwise(lines))
    return has_list or has_quote or has_underline or _CODE.search(text) is not None


def _is_wrapped(text: str) -> bool:
    starts = (_HEADING, _ITEM, _QUOTE, _FENCE)
    plain = [
        line if line.strip() and not any(start.match(line) for start in starts) else "" for line in text.split("\n")
    ]
    inner = sorted(len(first) for first, second in pairwise(plain) if first and second)
    return bool(inner) and inner[len(inner) // 2] >= _WRAPPED_CHARS
