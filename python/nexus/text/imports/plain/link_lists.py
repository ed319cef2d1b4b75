"""Lists of links: one on a line, with its title behind a bar (OneTab), or as Markdown links."""

import re
from collections.abc import Iterator

from nexus.text.imports.documents import Document
from nexus.text.imports.format import Format, one_by_one
from nexus.text.imports.records import ImportProblem, ImportRecord
from nexus.text.imports.values import item_or_problem, link_problem

MAX_LINE_CHARS = 1 << 16
MARKER = re.compile(r"(?:[-*+•]|[0-9]{1,6}[.)])\s+(?:\[[ xX]\]\s+)?")
MARKDOWN = re.compile(r"\[([^\[\]]{0,1000})\]\(<?(https?://(?:[^\s()<>]|\([^\s()<>]{0,200}\))+)", re.IGNORECASE)
BARE = re.compile(r"<?(https?://[^\s<>|]+(?:\|[^\s<>|]+)*)>?", re.IGNORECASE)
OTHER_SCHEME = re.compile(r"(?:[a-z][a-z0-9+.-]{1,20}://|(?:javascript|data|about|mailto|place|chrome):)\S*", re.I)
TITLE_MARKS = re.compile(r"\s*(?:\||\t)\s*")
AFTER_LINK = ".,;:!?'\"*_"


def _is_list(document: Document) -> bool:
    beginning = document.beginning
    if beginning[:1] in ("<", "{") or beginning.startswith("---"):
        return False  # markup, JSON, a note with properties
    lines = [line for line in (line.strip() for line in beginning.splitlines()) if line and not line.startswith("#")]
    if len(beginning) >= MAX_LINE_CHARS:
        lines = lines[:-1]
    links = sum(_is_link_line(line) for line in lines)
    return links > len(lines) / 2


def _is_link_line(line: str) -> bool:
    entry = _without_marker(line[:MAX_LINE_CHARS])
    if BARE.match(entry) or OTHER_SCHEME.match(entry):
        return True
    return MARKDOWN.match(entry) is not None


def _read(document: Document) -> Iterator[ImportRecord]:
    number, at_line_start = 1, True
    with document.open_text() as file:
        while line := file.readline(MAX_LINE_CHARS):
            if at_line_start:
                yield from _links(document, number, line.strip())
            at_line_start = line.endswith(("\n", "\r"))
            number += at_line_start


def _links(document: Document, number: int, line: str) -> Iterator[ImportRecord]:
    if line.startswith("#"):
        return
    entry = _without_marker(line.removeprefix("\ufeff"))
    if found := MARKDOWN.findall(entry):
        for title, url in found:
            yield item_or_problem(document, number, url=url, title=title)
    elif link := BARE.match(entry):
        rest = TITLE_MARKS.match(entry, link.end())
        yield item_or_problem(document, number, url=link[1], title=entry[rest.end() :] if rest else None)
    elif link := BARE.search(entry):
        yield item_or_problem(document, number, url=link[1].rstrip(AFTER_LINK))
    elif OTHER_SCHEME.match(entry) and (refused := link_problem(entry.split()[0])):
        yield ImportProblem(document.name, number, *refused, url=entry[:2000])


def _without_marker(line: str) -> str:
    marker = MARKER.match(line)
    return line[marker.end() :] if marker else line


LINK_LIST = Format("links", "list of links", one_by_one(_read), recognises=_is_list)
