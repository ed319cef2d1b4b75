"""Recognises exports of other programs by their content. The viewer's recognise-export.ts does the same."""

import csv
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import StringIO
from typing import Any, Literal

from lxml import html as lxml_html
from lxml.etree import ParserError

# Columns that together occur only in this program's table, in lower case.
TABLES = {
    "Pocket": {"title", "url", "time_added"},
    "Instapaper": {"url", "title", "selection", "folder"},
    "Raindrop.io": {"title", "excerpt", "url", "folder", "created"},
    "Readwise Reader": {"title", "url", "document tags", "saved date"},
    "Readwise": {"highlight", "book title"},
    "wallabag": {"title", "url", "content", "mime type"},
    "Readeck": {"url", "title", "labels", "is_archived"},
    "Matter": {"title", "publisher", "url", "last interaction date"},
    "Diigo": {"title", "url", "tags", "annotations", "created_at"},
}
ADDRESS_COLUMNS = ("url", "link", "href", "address", "given_url")
ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)
EXPORT_PAGE = re.compile(r"<title>\s*(Pocket|Instapaper:) Export\s*</title>", re.IGNORECASE)
BEGINNING = 4096
MAX_CELL = 100_000_000
Shape = Literal["CSV", "JSON", "HTML", "OPML"]


@dataclass(frozen=True)
class Export:
    """`source`: the program, or None when only the shape is known."""

    source: str | None
    shape: Shape
    urls: tuple[str, ...]


def recognise_export(content: str) -> Export | None:
    """By content, never by file name. None: not an export."""
    text = content.removeprefix("\ufeff").lstrip()
    if text.startswith("<"):
        return _from_markup(text)
    if text.startswith(("[", "{")):
        return _from_json(text)
    return _from_table(text)


def _addresses(values: Iterable[Any]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if _is_address(value)))


def _is_address(value: Any) -> bool:
    return isinstance(value, str) and ADDRESS.fullmatch(value) is not None


def _from_markup(text: str) -> Export | None:
    beginning = text[:BEGINNING]
    is_opml = re.search(r"<opml[\s>]", beginning, re.IGNORECASE) is not None
    title = EXPORT_PAGE.search(beginning)
    if not is_opml and title is None:
        return None
    try:
        page = lxml_html.fromstring(text.encode())  # tolerant: real files have raw ampersands
    except ParserError:
        return None
    if is_opml:
        return Export(None, "OPML", _addresses(outline.get("xmlurl") for outline in page.iter("outline")))
    source = title[1].rstrip(":").capitalize() if title else None
    return Export(source, "HTML", _addresses(link.get("href") for entry in page.iter("li") for link in entry.iter("a")))


def _from_table(text: str) -> Export | None:
    first_line = text.splitlines()[0] if text else ""
    separator = ";" if first_line.count(";") > first_line.count(",") else ","
    columns = [name.lower().strip() for name in next(csv.reader([first_line], delimiter=separator), [])]
    if len(columns) < 2:  # noqa: PLR2004
        return None
    source = next((name for name, names in TABLES.items() if names <= set(columns)), None)
    column = next((index for index, name in enumerate(columns) if name in ADDRESS_COLUMNS), None)
    if column is None:
        return Export(source, "CSV", ()) if source else None
    csv.field_size_limit(MAX_CELL)
    rows = list(csv.reader(StringIO(text, newline=""), delimiter=separator))[1:]
    cells = [row[column].strip() for row in rows if len(row) > column]
    # In an unknown table half of the column must be links; prose may begin with such words, too.
    if source is None and sum(map(_is_address, cells)) * 2 < max(1, len(rows)):
        return None
    return Export(source, "CSV", _addresses(cells))


def _from_json(text: str) -> Export | None:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    found = _from_array(_objects(data)) if isinstance(data, list) else _from_object(data)
    if found is None:
        return None
    source, urls = found
    return Export(source, "JSON", _addresses(urls))


Found = tuple[str | None, list[Any]]


def _objects(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _from_array(entries: list[dict[str, Any]]) -> Found | None:
    first = entries[0] if entries else {}
    if {"slug", "savedAt"} <= first.keys():
        return "Omnivore", [one.get("url") for one in entries]
    if {"is_archived", "url"} <= first.keys():
        return "wallabag", [one.get("url") for one in entries]
    if {"href", "toread"} <= first.keys():
        return "Pinboard", [one.get("href") for one in entries]
    return _unknown(entries)


def _unknown(entries: list[dict[str, Any]]) -> Found | None:
    urls = [one.get("url") or one.get("href") or one.get("link") for one in entries]
    return (None, urls) if any(map(_is_address, urls)) else None


def _from_object(data: dict[str, Any]) -> Found | None:
    bookmarks, collections = _objects(data.get("bookmarks")), _objects(data.get("collections"))
    contents = _objects([one.get("content") for one in bookmarks])
    if contents:
        return "Karakeep", [one.get("url") for one in contents]
    if any("article__url" in one for one in bookmarks):
        return "Readability", [one.get("article__url") for one in bookmarks]
    if any(isinstance(one.get("links"), list) for one in collections):
        return "Linkwarden", [link.get("url") for one in collections for link in _objects(one.get("links"))]
    return _from_browser(data) or _from_feed_reader(data) or _unknown([o for v in data.values() for o in _objects(v)])


def _from_browser(data: dict[str, Any]) -> Found | None:
    if isinstance(roots := data.get("roots"), dict) and "bookmark_bar" in roots:
        return "Chrome", [url for root in roots.values() for url in _in_tree(root)]
    if {"typeCode", "children"} <= data.keys():
        return "Firefox", list(_in_tree(data))
    return None


def _from_feed_reader(data: dict[str, Any]) -> Found | None:
    items = _objects(data.get("items"))
    if any("alternate" in one for one in items):
        return "a feed reader", [link.get("href") for one in items for link in _objects(one.get("alternate"))]
    if isinstance(embedded := data.get("_embedded"), dict) and (found := _objects(embedded.get("items"))):
        return "wallabag", [one.get("url") for one in found]
    return None


def _in_tree(node: Any) -> Iterator[Any]:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            yield one.get("url") or one.get("uri")
            waiting += reversed(_objects(one.get("children")))
