"""Medium: a ZIP file of HTML pages. Bookmarks and lists are saves; claps, posts and sessions are not."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from nexus.text.imports.documents import Document, UploadedFiles
from nexus.text.imports.format import Format, guarded
from nexus.text.imports.markup.pieces import Pieces
from nexus.text.imports.markup.tokens import End, Start, Text, tokens
from nexus.text.imports.records import ImportProblem, ImportRecord
from nexus.text.imports.values import folder_tags, item_or_problem, read_time

BOOKMARKS = re.compile(r"bookmarks-?[0-9]*\.html?")
# All that its export contains; what is not read is no save.
FOLDERS = frozenset({
    "blocks", "bookmarks", "claps", "collections-following", "highlights", "interests", "ips", "lists", "membership",
    "partner-program", "posts", "profile", "pubs-following", "sessions", "topics-following", "twitter",
    "users-following",
})  # fmt: skip
README = "readme.html"
NO_ADDRESS = "Medium's export does not say which article this highlight is from."


def _matches(export: UploadedFiles) -> list[Document]:
    roots = {
        path.parent.parent
        for path in (PurePosixPath(each.path) for each in export.documents if BOOKMARKS.fullmatch(each.base_name))
        if path.parent.name == "bookmarks"
    }
    return [each for each in export.documents if _folder(each, roots) is not None]


def _folder(document: Document, roots: set[PurePosixPath]) -> str | None:
    path = PurePosixPath(document.path)
    for folder in path.parents:
        if folder.parent in roots and folder.name in FOLDERS:
            return folder.name
    return "" if path.parent in roots and document.base_name == README else None


def _read(_export: UploadedFiles, documents: list[Document]) -> Iterator[ImportRecord]:
    for document in sorted(documents, key=lambda each: each.name):
        folder = PurePosixPath(document.path).parent.name
        if document.base_name == README:
            continue
        if folder in ("bookmarks", "lists") or (folder not in FOLDERS and _is_bookmarks(document)):
            yield from guarded(document, _Page(document, is_list=folder == "lists").records())
        elif folder == "highlights":
            yield from guarded(document, _highlights(document))


def _is_bookmarks(document: Document) -> bool:
    return "h-cite" in document.beginning and "medium.com" in document.beginning


class _Page:
    def __init__(self, document: Document, *, is_list: bool) -> None:
        self._document = document
        self._is_list = is_list
        self._name = ""
        self._number = 0
        self._link: Start | None = None
        self._title = ""
        self._time: str | None = None
        self._text: Pieces | None = None

    def records(self) -> Iterator[ImportRecord]:
        with self._document.open_text() as file:
            for token in tokens(file):
                if isinstance(token, Text):
                    if self._text:
                        self._text.add(token)
                elif isinstance(token, Start):
                    yield from self._start(token)
                else:
                    self._end(token)
                    if token.name == "li":
                        yield from self._finish()
        yield from self._finish()

    def _start(self, token: Start) -> Iterator[ImportRecord]:
        if token.name in ("li", "footer"):
            yield from self._finish()
        if token.name == "a" and "href" in token.raw and self._is_post(token):
            self._link, self._text = token, Pieces()
        elif token.name == "time" and self._link:
            self._time, self._text = token.get("datetime"), Pieces()
        elif token.name == "h1":
            self._text = Pieces()

    def _is_post(self, token: Start) -> bool:
        """A list ends with a link to the user's profile."""
        kinds = (token.get("class") or "").split()
        return not self._link and "p-author" not in kinds and "u-url" not in kinds and "p-canonical" not in kinds

    def _end(self, token: End) -> None:
        if not self._text or token.name not in ("a", "time", "h1"):
            return
        text, self._text = self._text.text(), None
        if token.name == "h1":
            self._name = text
        elif token.name == "a":
            self._title = text
        else:
            self._time = self._time or text

    def _finish(self) -> Iterator[ImportRecord]:
        link, self._link = self._link, None
        if link:
            self._number += 1
            yield item_or_problem(
                self._document,
                self._number,
                url=link.get("href"),
                title=self._title,
                saved_at=read_time(self._time),
                tags=folder_tags(self._name.replace("/", "-")) if self._is_list else (),
            )
        self._title, self._time, self._text = "", None, None


def _highlights(document: Document) -> Iterator[ImportRecord]:
    number, depth = 0, 0
    text: Pieces | None = None
    with document.open_text() as file:
        for token in tokens(file):
            if isinstance(token, Text):
                if text:
                    text.add(token)
            elif token.name == "span":
                is_begin = isinstance(token, Start) and "markup--highlight" in (token.get("class") or "")
                text = Pieces() if is_begin and not text else text
                depth += (1 if isinstance(token, Start) else -1) if text else 0
                if text and depth <= 0:
                    number += 1
                    quote, text, depth = " ".join(text.text().split())[:200], None, 0
                    yield ImportProblem(document.name, number, "no_link", NO_ADDRESS, title=quote or None)


MEDIUM = Format("medium", "Medium", _read, matches=_matches, recognises=_is_bookmarks)
