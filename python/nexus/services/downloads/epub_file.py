"""An EPUB 3 book: a document for each text, its pictures, a table of contents."""

import hashlib
import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import BinaryIO, ClassVar, Literal, Self

from nexus.services.downloads.article import ExportedArticle
from nexus.services.downloads.epub_package import (
    CONTAINER,
    BookChapter,
    BookFile,
    book_document,
    contents_document,
    package_document,
)
from nexus.services.downloads.language import direction_of, language_of
from nexus.services.downloads.markup import EmbeddedPicture, Markup
from nexus.services.downloads.page_parts import article_foot, article_head, left_out_note, style_sheet
from nexus.services.downloads.renditions import SUFFIXES, Rendition
from nexus.services.downloads.selection import LeftOut

MEDIA_TYPE = "application/epub+zip"
MEMBER_TIME = (1980, 1, 1, 0, 0, 0)  # the same for all, so that the same book is the same file


@dataclass
class EpubFile:
    out: BinaryIO
    _chapters: list[BookChapter] = field(default_factory=list)
    _files: dict[str, BookFile] = field(default_factory=dict)
    _cover: str | None = None

    syntax: ClassVar[Literal["html", "xml"]] = "xml"

    def __post_init__(self) -> None:
        self._zip = zipfile.ZipFile(self.out, "w")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # Also of a book that is not finished, which would else be written to a closed file later.
        self._zip.close()

    def begin(self) -> None:
        # First and as it is, so that a program can tell the format by the first bytes.
        self._put("mimetype", MEDIA_TYPE.encode(), compress=False)
        self._put("META-INF/container.xml", CONTAINER.encode())

    def prefix(self) -> str:
        return ""

    def add_picture(self, rendition: Rendition) -> EmbeddedPicture:
        return EmbeddedPicture(self._add_picture(rendition))

    def add_cover(self, rendition: Rendition) -> None:
        self._cover = self._add_picture(rendition)

    def add_article(self, article: ExportedArticle, markup: Markup, words: str) -> None:
        number = len(self._chapters) + 1
        name, direction = f"text-{number}.xhtml", direction_of(words)
        body = article_head(article) + markup.content + article_foot(article, markup.missing_pictures)
        document = book_document(article.title, f"<section>\n{body}</section>", language_of(article.lang), direction)
        self._add_file(name, "application/xhtml+xml", document.encode())
        # Without its text, so that a book takes no more memory than its largest text.
        self._chapters.append(BookChapter(name, replace(article, html=""), markup.headings, direction))

    def flush(self) -> int:
        """How much of the file does not change any more: files in it are written one after the other."""
        self.out.flush()
        return self.out.tell()

    def finish(self, title: str, left_out: Sequence[LeftOut]) -> None:
        spine = [chapter.name for chapter in self._chapters]
        if len(spine) > 1:
            spine.insert(0, "contents.xhtml")
        if left_out:
            page = book_document("Left out", left_out_note(left_out), "en", "ltr")
            self._add_file("left-out.xhtml", "application/xhtml+xml", page.encode())
            spine.append("left-out.xhtml")
        self._add_file("style.css", "text/css", style_sheet("epub.css").encode())
        self._add_file("contents.xhtml", "application/xhtml+xml", contents_document(title, self._chapters).encode())
        package = package_document(title, self._chapters, list(self._files.values()), spine, self._cover)
        self._put("EPUB/package.opf", package.encode())

    def _add_picture(self, rendition: Rendition) -> str:
        suffix = SUFFIXES[rendition.content_type]
        name = f"picture-{hashlib.sha256(rendition.data).hexdigest()[:24]}.{suffix}"
        if name not in self._files:
            self._add_file(name, rendition.content_type, rendition.data, compress=False)
        return name

    def _add_file(self, name: str, media_type: str, data: bytes, *, compress: bool = True) -> None:
        if not self._files:
            self.begin()
        self._put(f"EPUB/{name}", data, compress=compress)
        self._files[name] = BookFile(f"file-{len(self._files) + 1}", name, media_type)

    def _put(self, name: str, data: bytes, *, compress: bool = True) -> None:
        info = zipfile.ZipInfo(name, MEMBER_TIME)
        info.compress_type = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
        info.external_attr = 0o644 << 16
        self._zip.writestr(info, data)


def opening() -> bytes:
    """What every book begins with."""
    out = io.BytesIO()
    with EpubFile(out) as book:
        book.begin()
        return out.getvalue()
