"""Highlights as files: Markdown, Readwise's table, JSON, plain quotes; written as they are read, page by page."""

import csv
import json
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC
from io import StringIO
from itertools import chain, groupby
from typing import Any, Literal
from uuid import UUID

from sqlalchemy.orm import Session

from nexus.services.file_names import file_name
from nexus.services.highlights.listing import HighlightFilters, HighlightPage, ListedHighlight, list_highlights
from nexus.services.highlights.zip_stream import zip_files
from nexus.services.users import CurrentUser

FileFormat = Literal["markdown", "readwise", "json", "text"]
PAGE_SIZE = 200
# As Readwise's own import wants them.
READWISE_COLUMNS = ("Highlight", "Title", "Author", "URL", "Note", "Location", "Date")
# What Markdown gives a meaning to: anywhere, and at the beginning of a line.
_MARKS = re.compile(r"[\\`*_\[\]<>&~|]")
_LINE_MARKS = re.compile(r"^(\s*)([#>+=-]|\d+(?=[.)]))")
MAX_NAME_BYTES = 200  # a number and a suffix follow
# Windows takes these for devices, whatever their suffix.
_DEVICE = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])\s*(?:\..*)?", re.IGNORECASE)


@dataclass(frozen=True)
class HighlightFile:
    media_type: str
    suffix: str
    chunks: Iterator[bytes]


@dataclass(frozen=True)
class HighlightExporter:
    """`transaction`: makes one for each page but the first. `base_url`: of this server, without a slash at its end."""

    transaction: Callable[[], AbstractContextManager[Session]]
    user: CurrentUser
    base_url: str

    def file(self, session: Session, filters: HighlightFilters, kind: FileFormat) -> HighlightFile:
        """The first page is read at once, so that filters that cannot be read are refused before anything is sent."""
        first = list_highlights(session, self.user, filters, sort="text", limit=PAGE_SIZE)
        highlights = self._all(filters, first)
        if kind == "json":
            return HighlightFile("application/json", ".json", self._as_json(highlights))
        if kind == "readwise":
            rows = chain([readwise_head()], as_readwise(highlights))
            return HighlightFile("text/csv; charset=utf-8", ".csv", rows)
        if kind == "text":
            return HighlightFile("text/plain; charset=utf-8", ".txt", _as_quotes(highlights))
        if filters.media_id:
            parts = (part.encode() for part in self._as_markdown(highlights))
            return HighlightFile("text/markdown; charset=utf-8", ".md", parts)
        return HighlightFile("application/zip", ".zip", zip_files(self._markdown_files(highlights)))

    def _all(self, filters: HighlightFilters, page: HighlightPage) -> Iterator[ListedHighlight]:
        """By text. No transaction is open while the client takes what it got."""
        yield from page.highlights
        while page.next_cursor is not None:
            with self.transaction() as session:
                page = list_highlights(
                    session, self.user, filters, sort="text", limit=PAGE_SIZE, cursor=page.next_cursor
                )
            yield from page.highlights

    def _markdown_files(self, highlights: Iterator[ListedHighlight]) -> Iterator[tuple[str, Iterator[str]]]:
        names: dict[str, int] = {}
        for (_, title), of_text in groupby(highlights, key=lambda each: (each.media_id, each.media.title)):
            yield free_name(names, file_name(title)), self._as_markdown(of_text)

    def _as_markdown(self, highlights: Iterator[ListedHighlight]) -> Iterator[str]:
        """The highlights of one text."""
        for number, highlight in enumerate(highlights):
            if number == 0:
                yield self._front_matter(highlight)
            parts = ["> " + escaped(line) for line in highlight.quote.splitlines()]
            if highlight.note:
                parts += ["", *(escaped(line) for line in highlight.note.splitlines())]
            if highlight.tags:
                parts += ["", " ".join("#" + _MARKS.sub(r"\\\g<0>", hyphenated(tag)) for tag in highlight.tags)]
            where = f"[{highlight.created_at.astimezone(UTC):%Y-%m-%d}]({self.link(highlight)})"
            state = ", not in the current text" if highlight.state == "orphaned" else ""
            yield "\n".join([*parts, "", f"{where} ({highlight.color}{state})", "", ""])

    def _front_matter(self, highlight: ListedHighlight) -> str:
        media = highlight.media
        facts = {
            "title": media.title,
            "author": media.byline,
            "site": media.site_name,
            "url": media.url,
            "nexus": f"{self.base_url}/read/{highlight.media_id}",
        }
        # A JSON string is a YAML string.
        lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in facts.items() if value]
        return "\n".join(["---", *lines, "---", "", f"# {escaped(' '.join(media.title.split()))}", "", ""])

    def link(self, highlight: ListedHighlight) -> str:
        return link_to(self.base_url, highlight.media_id, highlight.id)

    def _as_json(self, highlights: Iterator[ListedHighlight]) -> Iterator[bytes]:
        yield b'{"highlights": ['
        for number, highlight in enumerate(highlights):
            text = json.dumps(_facts(highlight) | {"nexus": self.link(highlight)}, ensure_ascii=False)
            yield (",\n" if number else "\n").encode() + text.encode()
        yield b"\n]}\n"


def link_to(base_url: str, media_id: UUID, highlight_id: UUID) -> str:
    """Where the viewer shows it."""
    return f"{base_url}/read/{media_id}?highlight={highlight_id}"


def _facts(highlight: ListedHighlight) -> dict[str, Any]:
    facts = vars(highlight) | {"media": vars(highlight.media), "tags": list(highlight.tags)}
    facts |= {"start": highlight.start._asdict(), "end": highlight.end._asdict()}
    facts |= {"id": str(highlight.id), "media_id": str(highlight.media_id)}
    for name in ("created_at", "updated_at", "seen_at"):
        facts[name] = facts[name].astimezone(UTC).isoformat() if facts[name] else None
    return facts


def readwise_head() -> bytes:
    return _row(READWISE_COLUMNS)


def as_readwise(highlights: Iterator[ListedHighlight]) -> Iterator[bytes]:
    """The rows below its head. Readwise reads words with a dot before them, at the beginning of a note, as tags.

    It takes everything else as it is: an apostrophe before what a spreadsheet takes for a formula would stay in it."""
    for _, of_text in groupby(highlights, key=lambda each: each.media_id):
        for number, each in enumerate(of_text, start=1):
            tags = " ".join("." + hyphenated(tag) for tag in each.tags)
            note = "\n".join(filter(None, (tags, each.note)))
            made = each.created_at.astimezone(UTC)
            about = (each.media.title, each.media.byline or "", each.media.url or "")
            yield _row((each.quote, *about, note, str(number), f"{made:%Y-%m-%d %H:%M:%S}"))


def _row(cells: tuple[str, ...]) -> bytes:
    line = StringIO()
    csv.writer(line).writerow(cells)
    return line.getvalue().encode()


def _as_quotes(highlights: Iterator[ListedHighlight]) -> Iterator[bytes]:
    for each in highlights:
        source = ", ".join(filter(None, (each.media.byline, each.media.title, each.media.url)))
        yield f"“{each.quote}”\n— {source}\n\n".encode()


def hyphenated(tag: str) -> str:
    return re.sub(r"\s+", "-", tag)


def escaped(line: str) -> str:
    """A line of words as a line of Markdown."""
    return _LINE_MARKS.sub(_escape_line, _MARKS.sub(r"\\\g<0>", line))


def _escape_line(found: re.Match[str]) -> str:
    indent, mark = found[1], found[2]
    # The number of a list stays, its dot is escaped.
    return f"{indent}{mark}\\" if mark.isdigit() else f"{indent}\\{mark}"


def free_name(taken: dict[str, int], title: str, suffix: str = ".md") -> str:
    """Many file systems do not tell upper case from lower, and take 255 bytes; Windows has names of its own.

    `taken`: the last number of each name."""
    title = title.encode()[:MAX_NAME_BYTES].decode(errors="ignore").strip(" .")
    title = f"_{title}" if _DEVICE.fullmatch(title) else title
    name, number = title, taken.get(title.casefold(), 0) + 1
    while number > 1 and (name := f"{title} {number}").casefold() in taken:
        number += 1
    taken[name.casefold()] = 1
    taken[title.casefold()] = number
    return name + suffix
