"""A ZIP of Markdown notes that opens as a vault: a note for each entry, pictures in a folder beside them."""

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from nexus.errors import MediaNotReadyError, NotFoundError, ProcessPoolError
from nexus.logging import get_logger
from nexus.services.downloads.article import load_html
from nexus.services.downloads.article_writer import TOO_MUCH
from nexus.services.downloads.markup import picture_urls
from nexus.services.exports.formats.chosen_entries import ChosenEntries
from nexus.services.exports.formats.format import ExportProgress
from nexus.services.exports.formats.format_name import FormatName
from nexus.services.exports.formats.format_tools import FormatTools
from nexus.services.exports.formats.notes.note import write_note
from nexus.services.exports.formats.readwise import highlights_of
from nexus.services.exports.formats.zip_members import GrowingZip, add_bytes
from nexus.services.file_names import file_name
from nexus.services.highlights.files import free_name
from nexus.services.library.entries import Entry

log = get_logger(__name__)

PICTURES = "pictures"
SUFFIXES = {
    "image/avif": "avif",
    "image/gif": "gif",
    "image/jpeg": "jpg",
    "image/png": "png",
    "image/webp": "webp",
}
# What has a meaning in a link to a note.
UNFIT = re.compile(r"[#^\[\]]+")


@dataclass(frozen=True)
class MarkdownNotes:
    tools: FormatTools
    name: FormatName = "markdown"

    def filename(self, chosen: ChosenEntries) -> str:
        return f"{chosen.base_name}-markdown.zip"

    def write(self, sink: BinaryIO, chosen: ChosenEntries, progress: ExportProgress) -> None:
        resume_point = progress.resume_point
        notes = resume_point.notes if resume_point else ()
        with GrowingZip(sink, (member for note in notes for member in note["members"])) as archive:
            vault = _Vault(self.tools, chosen, progress, archive)
            vault.remember(title for note in notes for title in note["titles"])
            for entry in chosen.entries(resume_point.cursor if resume_point else None):
                vault.add(entry)
                progress.advance()
                if progress.is_checkpoint_due():
                    progress.checkpoint(chosen.cursor_of(entry), vault.new())


@dataclass
class _Vault:
    tools: FormatTools
    chosen: ChosenEntries
    progress: ExportProgress
    archive: GrowingZip
    taken: dict[str, int] = field(default_factory=lambda: {PICTURES: 1})  # a note's folder and the pictures'
    stored: set[str] = field(default_factory=set)
    titles: list[str] = field(default_factory=list)  # of the notes since the last checkpoint

    def remember(self, titles: Iterable[str]) -> None:
        """What an earlier attempt wrote: the same titles in the same order give the same names."""
        for title in titles:
            free_name(self.taken, title)
        self.stored = {name for name in self.archive.namelist() if name.startswith(f"{PICTURES}/")}

    def new(self) -> dict[str, Any]:
        titles, self.titles = self.titles, []
        return {"members": self.archive.new_members(), "titles": titles}

    def add(self, entry: Entry) -> None:
        note = write_note(entry, self._text(entry), list(highlights_of(self.chosen, [entry])))
        title = note_name(entry.title)
        self.titles.append(title)
        name = free_name(self.taken, title)
        add_bytes(self.archive, name, entry.created_at, note.encode())

    def _text(self, entry: Entry) -> str | None:
        html = self._html(entry) if entry.can_read else None
        if html is None:
            return None
        # Loads soupsieve, 0.1 s of a worker's start, and most workers write no notes.
        from nexus.text.markdown import to_markdown  # noqa: PLC0415

        pictures = {url: name for url in picture_urls(html) if (name := self._picture(entry, url))}
        try:
            return self.tools.pool.run(to_markdown, html, pictures, exact=True)
        except ProcessPoolError as error:
            log.warning("a text is left out of a note", media=str(entry.media_id), reason=error.message)
            self.progress.leave_out(entry.title, TOO_MUCH)
            return ""

    def _html(self, entry: Entry) -> str | None:
        try:
            with self.chosen.database.transaction() as session:
                return load_html(session, self.chosen.user, entry.media_id)
        except (NotFoundError, MediaNotReadyError):
            return None  # it left the library a moment ago

    def _picture(self, entry: Entry, url: str) -> str | None:
        """Its path from the note; one that several texts show is there once. None: the library has no copy."""
        self.progress.check()
        found = self.tools.read_picture(self.chosen.user, url)
        suffix = SUFFIXES.get((found.content_type if found else None) or "")
        if found is None or suffix is None:
            return None
        name = f"{PICTURES}/{hashlib.sha256(found.data).hexdigest()[:24]}.{suffix}"
        if name not in self.stored:
            self.stored.add(name)
            add_bytes(self.archive, name, entry.created_at, found.data, compress=False)
        return name


def note_name(title: str) -> str:
    """As a file system and a link to the note take it."""
    return file_name(UNFIT.sub(" ", unicodedata.normalize("NFC", title)).strip().lstrip("."))
