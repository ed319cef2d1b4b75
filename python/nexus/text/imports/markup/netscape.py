"""Netscape bookmark files, as browsers and bookmark services write them: never well formed, no two alike."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from nexus.text.imports.documents import Document
from nexus.text.imports.format import Format, one_by_one
from nexus.text.imports.markup.netscape_dialects import Dialect, Folder, Link, dialect_of, folder_of
from nexus.text.imports.markup.pieces import Pieces
from nexus.text.imports.markup.tokens import End, Start, Text, Token, tokens
from nexus.text.imports.records import ImportRecord
from nexus.text.imports.values import MAX_FOLDERS_OPEN

DOCTYPE = re.compile(r"<!DOCTYPE\s+NETSCAPE-Bookmark-file", re.IGNORECASE)
ENTRY = re.compile(r"<DT>\s*(?:<A\s|<H3\b)", re.IGNORECASE)
BREAKS = frozenset({"br", "p", "li"})


@dataclass
class _Reader:
    document: Document
    dialect: Dialect
    number: int = 0
    folders: list[Folder | None] = field(default_factory=list)  # None: a list without a name
    deeper: int = 0  # lists that are open beyond the limit
    folder: Folder | None = None  # named, and not yet opened
    link: Link | None = None
    title: Pieces | None = None  # of the link or folder that is being read
    description: Pieces | None = None  # the text of a DD, while it lasts

    def take(self, token: Token) -> Iterator[ImportRecord]:
        if isinstance(token, Text):
            if pieces := self.title or self.description:
                pieces.add(token)
        elif isinstance(token, Start):
            yield from self._start(token)
        else:
            yield from self._end(token)

    def _start(self, token: Start) -> Iterator[ImportRecord]:
        if token.name in ("dt", "dl", "h3"):
            yield from self.finish()
        if token.name == "dl":
            self._open()
        elif token.name == "h3":
            self.folder, self.title = folder_of(token), Pieces()
        elif token.name == "a" and not self._is_within_description():
            note = self.description.text() if self.description else None  # a DD before its link
            yield from self.finish()
            self.folder = None  # it had no list
            self.link, self.title = Link(token, tuple(each for each in self.folders if each)), Pieces()
            self.link.note = note
        elif token.name == "dd":
            self._end_title()
            self._end_description()
            self.description = Pieces()
        elif token.name in BREAKS and self.description:
            self.description.add(Text("\n"))

    def _end(self, token: End) -> Iterator[ImportRecord]:
        if token.name in ("a", "h3"):
            self._end_title()
        elif token.name == "dd":
            self._end_description()
        elif token.name == "dl":
            yield from self.finish()
            self._close()

    def _is_within_description(self) -> bool:
        """Whether this is in the description of a link or a folder, where a link is text."""
        return self.description is not None and (self.link is not None or self.folder is not None)

    def _end_title(self) -> None:
        if self.title is None:
            return
        if self.link:
            self.link.title = self.title.text()
        elif self.folder:
            self.folder.name = self.title.text()
        self.title = None

    def _end_description(self) -> None:
        if self.description and self.link:
            self.link.note = "\n".join(filter(None, [self.link.note, self.description.text()]))
            self.description = None

    def _open(self) -> None:
        if len(self.folders) < MAX_FOLDERS_OPEN:
            self.folders.append(self.folder)
        else:
            self.deeper += 1
        self.folder = None

    def _close(self) -> None:
        self.folder = None
        if self.deeper:
            self.deeper -= 1
        elif self.folders:
            self.folders.pop()

    def finish(self) -> Iterator[ImportRecord]:
        """What was being read is over."""
        self._end_title()
        self._end_description()
        link, self.link, self.description = self.link, None, None
        if link:
            self.number += 1
            yield self.dialect.record(self.document, self.number, link)


def _read(document: Document) -> Iterator[ImportRecord]:
    reader = _Reader(document, dialect_of(document.beginning))
    with document.open_text() as file:
        for token in tokens(file):
            yield from reader.take(token)
    yield from reader.finish()


def _is_bookmarks(document: Document) -> bool:
    beginning = document.beginning
    return beginning[:1] == "<" and bool(DOCTYPE.search(beginning[:1000]) or ENTRY.search(beginning))


BOOKMARKS = Format("bookmarks", "bookmarks of browsers (HTML)", one_by_one(_read), recognises=_is_bookmarks)
