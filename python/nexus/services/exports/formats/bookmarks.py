"""Bookmarks as browsers and bookmark managers exchange them: Netscape's HTML, one line per link.

Attributes that a program does not know are ignored by it: TAGS, TOREAD and PRIVATE are Pinboard's and linkding's,
DATA-IMPORTANT is Raindrop's. Tags are no folders, because most programs read folders as one more tag; what is archived
is in a folder of its own, since the format has no attribute for that.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from html import escape
from typing import BinaryIO
from uuid import UUID

from nexus.services.exports.formats.chosen_entries import ChosenEntries
from nexus.services.exports.formats.format import ExportProgress
from nexus.services.exports.formats.format_name import FormatName
from nexus.services.library.entries import Entry

# The first bytes by which programs tell the format.
HEAD = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks</H1>
<DL><p>
"""
ARCHIVE = "    <DT><H3>Archive</H3>\n    <DL><p>\n"
END_OF_ARCHIVE = "    </DL><p>\n"
END = "</DL><p>\n"
NO_LINK = "it has no web address"
# Notes keep their tabs and line breaks.
NOT_IN_HTML = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
WEB = ("http://", "https://")


class Bookmarks:
    name: FormatName = "bookmarks"

    def filename(self, chosen: ChosenEntries) -> str:
        return f"{chosen.base_name}-bookmarks.html"

    def write(self, sink: BinaryIO, chosen: ChosenEntries, progress: ExportProgress) -> None:
        _BookmarksExport(sink, chosen, progress).write()


@dataclass
class _BookmarksExport:
    """Reads the chosen entries twice, so that archived ones come last."""

    sink: BinaryIO
    chosen: ChosenEntries
    progress: ExportProgress
    archived: list[UUID] = field(default_factory=list)
    noted: int = 0  # so many of them are in checkpoints
    is_in_archive: bool = False

    def write(self) -> None:
        resume_point = self.progress.resume_point
        if resume_point is None:
            self.sink.write(HEAD.encode())
        else:
            self.archived = [UUID(each) for note in resume_point.notes for each in note["archived"]]
            self.noted = len(self.archived)
            self.is_in_archive = resume_point.notes[-1]["is_in_archive"]
        cursor = resume_point.cursor if resume_point else None
        if not self.is_in_archive:
            self._write_others(cursor)
            cursor = None
        if self.archived:
            self._write_archived(cursor)
        self.sink.write(END.encode())

    def _write_others(self, cursor: str | None) -> None:
        for entry in self.chosen.entries(cursor):
            if entry.archived_at is not None:
                self.archived.append(entry.media_id)
            else:
                self._add(entry)
            self._save(self.chosen, entry)

    def _write_archived(self, cursor: str | None) -> None:
        if not self.is_in_archive:
            self.sink.write(ARCHIVE.encode())
            self.is_in_archive = True
        archived = replace(self.chosen, media_ids=self.archived)
        for entry in archived.entries(cursor):
            self._add(entry)
            self._save(archived, entry)
        self.sink.write(END_OF_ARCHIVE.encode())

    def _add(self, entry: Entry) -> None:
        url = entry.canonical_url or entry.requested_url
        if url is None or not url.lower().startswith(WEB):
            self.progress.leave_out(entry.title, NO_LINK)
        else:
            self.sink.write("".join(_lines(entry, url)).encode())
        self.progress.advance()

    def _save(self, chosen: ChosenEntries, entry: Entry) -> None:
        if self.progress.is_checkpoint_due():
            new = [str(media_id) for media_id in self.archived[self.noted :]]
            self.noted = len(self.archived)
            self.progress.checkpoint(chosen.cursor_of(entry), {"archived": new, "is_in_archive": self.is_in_archive})


def _lines(entry: Entry, url: str) -> Iterator[str]:
    attributes = {
        "HREF": url,
        "ADD_DATE": str(int(entry.created_at.timestamp())),
        "LAST_MODIFIED": str(int(entry.updated_at.timestamp())),
        "PRIVATE": "1",
        "TOREAD": "1" if entry.read_at is None and entry.archived_at is None else "0",
    }
    if entry.tags:
        # A comma in a tag would make two of it.
        attributes["TAGS"] = ",".join(" ".join(name.replace(",", " ").split()) for name in entry.tags)
    if entry.starred_at is not None:
        attributes["DATA-IMPORTANT"] = "true"
    shown = " ".join(f'{name}="{_plain(value)}"' for name, value in attributes.items())
    yield f"    <DT><A {shown}>{_plain(' '.join(entry.title.split()))}</A>\n"
    if about := entry.note or entry.excerpt:
        yield f"    <DD>{_plain(about)}\n"


def _plain(words: str) -> str:
    return escape(NOT_IN_HTML.sub("", words))
