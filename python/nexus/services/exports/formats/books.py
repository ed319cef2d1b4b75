"""The chosen texts as web pages or books: one file for up to a hundred texts, a ZIP of several files beyond that.

A page of a thousand texts is too much for a browser, a book of a thousand chapters for most e-readers. Beyond a hundred
texts, HTML has a page for each text and an index page, EPUB a book for each hundred.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, BinaryIO, Literal, NamedTuple

from nexus.errors import NothingToDownloadError
from nexus.services.downloads.article_writer import ArticleWriter
from nexus.services.downloads.epub_file import EpubFile
from nexus.services.downloads.html_file import CONTENT_SECURITY_POLICY, OPENING, HtmlFile
from nexus.services.downloads.page_parts import plain, style_sheet
from nexus.services.downloads.selection import MAX_ENTRIES, LeftOut, Selection, why_left_out
from nexus.services.exports.formats.chosen_entries import ChosenEntries
from nexus.services.exports.formats.format import ExportProgress
from nexus.services.exports.formats.format_tools import FormatTools
from nexus.services.exports.formats.zip_members import GrowingZip, add_bytes, add_file
from nexus.services.file_names import file_name
from nexus.services.highlights.files import free_name
from nexus.services.library.entries import Entry

NO_TEXT = "None of these has a text to read yet, so there is nothing to export."


@dataclass(frozen=True)
class HtmlOrEpub:
    name: Literal["html", "epub"]
    tools: FormatTools

    def filename(self, chosen: ChosenEntries) -> str:
        return f"{chosen.base_name}.{self.name}" if _is_one(chosen) else f"{chosen.base_name}-{self.name}.zip"

    def write(self, sink: BinaryIO, chosen: ChosenEntries, progress: ExportProgress) -> None:
        export = _HtmlOrEpubExport(self.name, self.tools, chosen, progress)
        if _is_one(chosen):
            export.write_one(sink)
            return
        notes = progress.resume_point.notes if progress.resume_point else ()
        with GrowingZip(sink, (member for note in notes for member in note["members"])) as archive:
            count = export.write_pages(archive) if self.name == "html" else export.write_parts(archive)
        if not count:
            raise NothingToDownloadError(NO_TEXT)


def _is_one(chosen: ChosenEntries) -> bool:
    return chosen.total <= MAX_ENTRIES


class _Page(NamedTuple):
    stem: str  # of its name, before a number was added
    line: str  # of the list


@dataclass(frozen=True)
class _HtmlOrEpubExport:
    kind: Literal["html", "epub"]
    tools: FormatTools
    chosen: ChosenEntries
    progress: ExportProgress

    def write_one(self, sink: BinaryIO) -> None:
        left_out: list[LeftOut] = []
        ready = [entry.media_id for entry in self._readable(left_out)]
        if not ready:
            raise NothingToDownloadError(NO_TEXT)
        self._write(sink, Selection(self.chosen.title, ready, left_out))

    def write_parts(self, archive: GrowingZip) -> int:
        """How many books there are."""
        count = len(archive.filelist)
        for part in _batches(self._readable([])):
            title = f"{self.chosen.title}, part {count + 1}"
            with self.tools.file() as file:
                if self._write(file, Selection(title, [entry.media_id for entry in part])):
                    count += 1
                    name = f"{file_name(self.chosen.title)} {count:03}.epub"
                    add_file(archive, name, self.chosen.requested_at, file, compress=False)
            self._save(archive, part[-1])
        return count

    def write_pages(self, archive: GrowingZip) -> int:
        taken: dict[str, int] = {"index": 1}
        listed: list[_Page] = []
        for note in self.progress.resume_point.notes if self.progress.resume_point else ():
            listed += [_Page(*each) for each in note["pages"]]
        for page in listed:
            free_name(taken, page.stem, ".html")
        noted = len(listed)
        for entry in self._readable([]):
            with self.tools.file() as file:
                if not self._write(file, Selection(entry.title, [entry.media_id])):
                    continue
                stem = file_name(entry.title)
                name = free_name(taken, stem, ".html")
                add_file(archive, f"texts/{name}", entry.created_at, file)
                listed.append(_Page(stem, _listed(entry, name)))
            if self._save(archive, entry, pages=listed[noted:]):
                noted = len(listed)
        index = _index(self.chosen.title, [page.line for page in listed])
        add_bytes(archive, "index.html", self.chosen.requested_at, index.encode())
        return len(listed)

    def _save(self, archive: GrowingZip, entry: Entry, **note: Any) -> bool:
        """All up to this entry is in the archive."""
        if not self.progress.is_checkpoint_due():
            return False
        self.progress.checkpoint(self.chosen.cursor_of(entry), note | {"members": archive.new_members()})
        return True

    def _readable(self, left_out: list[LeftOut]) -> Iterator[Entry]:
        resume_point = self.progress.resume_point
        for entry in self.chosen.entries(resume_point.cursor if resume_point else None):
            if entry.can_read:
                yield entry
                continue
            problem = why_left_out(entry)
            left_out.append(problem)
            self._advance(problem)

    def _write(self, file: BinaryIO, selection: Selection) -> bool:
        """False: all of these texts are gone since they were chosen."""
        articles = ArticleWriter(
            self.chosen.database, self.tools.pool, self.tools.read_picture, self.chosen.user, self.progress.check
        )
        with (
            self.tools.file() as body,
            self.tools.file() as pictures,
            EpubFile(file) if self.kind == "epub" else HtmlFile(file, body, pictures) as writer,
        ):
            try:
                articles.write(selection, writer, self._advance)
            except NothingToDownloadError:
                return False
        return True

    def _advance(self, problem: LeftOut | None) -> None:
        if problem is not None:
            self.progress.leave_out(problem.title, problem.reason)
        self.progress.advance()


def _batches(entries: Iterator[Entry]) -> Iterator[Sequence[Entry]]:
    batch: list[Entry] = []
    for entry in entries:
        batch.append(entry)
        if len(batch) == MAX_ENTRIES:
            yield batch
            batch = []
    if batch:
        yield batch


def _listed(entry: Entry, name: str) -> str:
    about = " · ".join(filter(None, (entry.site_name, f"{entry.created_at:%Y-%m-%d}")))
    href = escape("texts/" + _quoted(name))
    return f'<li><a href="{href}" dir="auto">{plain(entry.title)}</a> <small>{plain(about)}</small></li>\n'


def _quoted(name: str) -> str:
    return name.replace("%", "%25").replace("#", "%23").replace("?", "%3F")


def _index(title: str, listed: Sequence[str]) -> str:
    return (
        f'{OPENING}<html>\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{CONTENT_SECURITY_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{plain(title)}</title>\n<style>\n{style_sheet('html.css')}</style>\n</head>\n<body>\n"
        f"<nav>\n<h1>{plain(title)}</h1>\n<ol>\n{''.join(listed)}</ol>\n</nav>\n</body>\n</html>\n"
    )
