"""Folders of pages that were saved as HTML files: by a browser, by SingleFile, by us."""

import re
from collections.abc import Iterator
from datetime import datetime
from html import unescape
from pathlib import PurePosixPath

from nexus.errors import UnreadableDocumentError
from nexus.text.imports.documents import Document
from nexus.text.imports.format import Format, one_by_one
from nexus.text.imports.page_file import read_page_file
from nexus.text.imports.records import ImportedItem, ImportProblem, ImportRecord
from nexus.text.imports.values import read_link, read_time, read_title

HEAD_CHARS = 1 << 20  # styles stand before some links
SUFFIXES = (".html", ".htm", ".xhtml")
PAGE = re.compile(r"<(?:!doctype\s+html|html|head|body|meta|title|article|h1|p|div|!--)[\s>-]", re.IGNORECASE)
SINGLE_FILE = re.compile(r"<!--\s*Page saved with SingleFile(.{0,5000}?)-->", re.DOTALL)
SINGLE_FILE_LINE = re.compile(r"^\s*(url|saved date):\s*(.+?)\s*$", re.MULTILINE)
BROWSER = re.compile(r"<!--\s*saved from url=\([0-9]{1,8}\)(\S{1,5000}?)\s*-->", re.IGNORECASE)
TAG = re.compile(r"<(link|meta|html)\s([^<>]{1,6000})>", re.IGNORECASE)
ATTRIBUTE = re.compile(r"([\w:-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")
TITLE, TITLE_END = re.compile(r"<title[^<>]{0,500}>", re.IGNORECASE), re.compile(r"</title", re.IGNORECASE)
MAX_TITLE_CHARS = 5000
BROWSER_DATE = re.compile(r"\w{3} (\w{3} [0-9]{2}) ([0-9]{4}) ([0-9:]{8}) GMT([+-][0-9]{4})")


def _recognises(document: Document) -> bool:
    if document.is_alone or not document.base_name.endswith(SUFFIXES):
        return False
    return PAGE.match(document.beginning) is not None


def _read(document: Document) -> Iterator[ImportRecord]:
    content = None
    try:
        content = read_page_file(document)
    except UnreadableDocumentError as error:
        yield ImportProblem(document.name, 1, error.code, error.message)
    head = (content or document.beginning)[:HEAD_CHARS]
    saved_from, saved_at = _saved_from(head)
    tags = [(tag[1].lower(), _attributes(tag[2])) for tag in TAG.finditer(head)]
    canonical = [at.get("href") for name, at in tags if name == "link" and "canonical" in at.get("rel", "").lower()]
    social = [at.get("content") for name, at in tags if name == "meta" and at.get("property", "").lower() == "og:url"]
    url = next((link for each in (saved_from, *canonical, *social) if (link := read_link(each))), None)
    if url or content:
        title = read_title(_title(head), url) or read_title(PurePosixPath(document.path).stem)
        yield ImportedItem(
            document.name, 1, url, title, saved_at, html=content,
            lang=next((at["lang"][:35] for _, at in tags if at.get("lang")), None),
        )  # fmt: skip


def _title(head: str) -> str:
    start = TITLE.search(head)
    end = TITLE_END.search(head, start.end(), start.end() + MAX_TITLE_CHARS) if start else None
    return unescape(head[start.end() : end.start()]) if start and end else ""


def _saved_from(head: str) -> tuple[str | None, datetime | None]:
    if comment := SINGLE_FILE.search(head):
        said = dict(SINGLE_FILE_LINE.findall(comment[1]))
        return said.get("url"), _browser_time(said.get("saved date", ""))
    comment = BROWSER.search(head)
    return (comment[1] if comment else None), None


def _browser_time(text: str) -> datetime | None:
    """`Sat Mar 02 2024 10:05:07 GMT+0100 (…)`."""
    if found := BROWSER_DATE.match(text):
        return read_time(f"{found[1]} {found[2]} {found[3]} {found[4]}")
    return read_time(text)


def _attributes(text: str) -> dict[str, str]:
    found = ATTRIBUTE.findall(text)
    return {name.lower(): unescape(double or single or bare) for name, double, single, bare in reversed(found)}


SAVED_PAGES = Format("html", "saved pages (HTML)", one_by_one(_read), recognises=_recognises)
