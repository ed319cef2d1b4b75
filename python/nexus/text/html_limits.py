"""Cuts what makes HTML parsers slow: tags with very many attributes, and very deep nesting."""

import re
from collections import Counter
from itertools import islice

# Every parser compares each attribute of a tag with all before it: 50 000 took lxml 7 s and lexbor 6 s.
MAX_TAG = 40_000
MAX_ATTRIBUTES = 1000
# An HTML5 parser searches for an open <p> above each block it opens: 40 000 nested <div> took lexbor 4.5 s.
MAX_NESTING = 1000

# Read as the HTML standard does: a quote opens a value only right behind "=".
_ATTRIBUTE = r"""[\s/]*+[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+)?)?"""
_attribute = re.compile(_ATTRIBUTE)
_tag = re.compile(rf"<[a-zA-Z](?:{_ATTRIBUTE})*+")

# Elements that stay open until they are closed. A second <p>, <li> or <td> closes the first by itself.
_container = re.compile(
    r"<(/?)(address|article|aside|blockquote|center|details|dialog|dir|div|dl|fieldset|figcaption|figure|footer"
    r"|header|hgroup|main|menu|nav|ol|section|summary|ul)\b[^<>]*+>",
    re.IGNORECASE,
)


def cut_long_tags(html: str) -> str:
    """Drops attributes beyond the limit. A long tag with few (an image in a data: URL) stays."""
    if any(tag.end() - tag.start() > MAX_TAG for tag in _tag.finditer(html)):
        return _tag.sub(_within_bound, html)
    return html


def _within_bound(match: re.Match[str]) -> str:
    tag = match[0]
    if len(tag) <= MAX_TAG:
        return tag
    ends = (attribute.end() for attribute in _attribute.finditer(tag, 1))
    return tag[: next(islice(ends, MAX_ATTRIBUTES, None), len(tag))]


def cut_deep_nesting(html: str) -> str:
    """Containers beyond the limit become line breaks; every word stays."""
    if html.count("<") <= MAX_NESTING:
        return html
    return _Cut().over(html)


class _Cut:
    def __init__(self) -> None:
        self.depth = 0
        # By name: a closing tag without an open element closes nothing.
        self.open: Counter[str] = Counter()

    def over(self, html: str) -> str:
        parts: list[str] = []
        at = 0
        for tag in _container.finditer(html):
            if not self.stays(tag[1] == "", tag[2].lower()):
                between = html[at : tag.start()]
                parts += between, "<br>" if between.strip() else ""
                at = tag.end()
        return "".join(parts) + html[at:] if parts else html

    def stays(self, opens: bool, name: str) -> bool:
        if opens:
            self.open[name] += 1
            self.depth += 1
            return self.depth <= MAX_NESTING
        if not self.open[name]:
            return True
        self.open[name] -= 1
        self.depth -= 1
        return self.depth < MAX_NESTING
