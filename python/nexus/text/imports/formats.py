"""All formats, in the order in which they are tried, and which of them an upload's files have."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import PurePosixPath

from nexus.errors import ImportNotRecognisedError, UnreadableDocumentError
from nexus.text.imports.documents import Document, UploadedFiles
from nexus.text.imports.format import Format
from nexus.text.imports.markup.catalog import MARKUP_FORMATS
from nexus.text.imports.objects.catalog import OBJECT_FORMATS
from nexus.text.imports.plain.link_lists import LINK_LIST
from nexus.text.imports.plain.notes import NOTES
from nexus.text.imports.plain.saved_pages import SAVED_PAGES
from nexus.text.imports.records import ImportProblem
from nexus.text.imports.tables.generic import GENERIC_TABLE
from nexus.text.imports.tables.matter import MATTER
from nexus.text.imports.tables.pocket import POCKET
from nexus.text.imports.tables.read_later import DIIGO, INSTAPAPER, MYMIND, RAINDROP, READECK_TABLE, WALLABAG_TABLE
from nexus.text.imports.tables.readwise import READWISE

# First those of several files, then JSON, tables and markup, each from the more particular to the more general.
FORMATS: tuple[Format, ...] = (
    POCKET,
    MATTER,
    *OBJECT_FORMATS,
    INSTAPAPER,
    RAINDROP,
    READWISE,
    DIIGO,
    READECK_TABLE,
    WALLABAG_TABLE,
    MYMIND,
    *MARKUP_FORMATS,
    GENERIC_TABLE,
    LINK_LIST,
    NOTES,
    SAVED_PAGES,
)
# What belongs to pages is neither an export nor worth a sentence.
READABLE = frozenset({"", ".csv", ".tsv", ".json", ".jsonlz4", ".html", ".htm", ".xml", ".opml", ".md", ".txt", ".pdf"})
# Not looked into inside of a ZIP file, where there may be a hundred thousand of them.
PARTS_OF_PAGES = frozenset({
    ".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".svg", ".ico", ".bmp", ".css", ".js", ".woff", ".woff2", ".ttf",
    ".mp3", ".m4a", ".mp4", ".webm", ".ogg", ".epub",
})  # fmt: skip
MAX_NAMES_SHOWN = 5


@dataclass(frozen=True)
class RecognisedFormat:
    format: Format
    documents: list[Document]


def recognise(export: UploadedFiles, formats: Sequence[Format]) -> tuple[list[RecognisedFormat], list[ImportProblem]]:
    """Which documents are whose, in the order of `formats`, and what is left."""
    claimed: dict[Format, list[Document]] = {each: [] for each in formats}
    problems: list[ImportProblem] = []
    rest = export
    for each in formats:
        # A file that is damaged so early is looked at again, by itself.
        with suppress(UnreadableDocumentError):
            claimed[each] += each.matches(rest)
            rest = rest.without(claimed[each])
    unknown = []
    for document in rest.documents:
        if document.in_zip and _suffix(document) in PARTS_OF_PAGES:
            continue
        try:
            found = next((each for each in formats if each.recognises(document)), None)
            damage = document.damage
        except UnreadableDocumentError as error:
            found, damage = None, error
        if found:
            claimed[found].append(document)
        elif damage:
            problems.append(ImportProblem(document.name, 1, damage.code, damage.message))
        else:
            unknown.append(document)
    recognised = [RecognisedFormat(each, documents) for each, documents in claimed.items() if documents]
    return recognised, [*problems, *_unknown(unknown)]


def formats_of(source: str | None) -> Sequence[Format]:
    """All, or those of one program."""
    if source is None:
        return FORMATS
    found = [each for each in FORMATS if each.source == source]
    if not found:
        known = ", ".join(sorted({each.source for each in FORMATS}))
        raise ImportNotRecognisedError(f"There is no source “{source[:50]}”. Known sources: {known}.")
    return found


def _unknown(documents: Sequence[Document]) -> list[ImportProblem]:
    """One sentence for all files of a ZIP file."""
    groups: dict[str, list[Document]] = {}
    for document in documents:
        if not document.in_zip:
            groups[document.name] = [document]
        elif _suffix(document) in READABLE:
            groups.setdefault(document.name.removesuffix("/" + document.path), []).append(document)
    return [ImportProblem(name, 1, "not_recognised", _sentence(group)) for name, group in groups.items()]


def _suffix(document: Document) -> str:
    return PurePosixPath(document.base_name).suffix


def _sentence(group: Sequence[Document]) -> str:
    if not group[0].in_zip:
        return "This file is not a known export. Nothing was imported from it."
    names = ", ".join(document.path for document in group[:MAX_NAMES_SHOWN])
    more = f" and {len(group) - MAX_NAMES_SHOWN:,} more" if len(group) > MAX_NAMES_SHOWN else ""
    return f"Nothing was imported from these files, which are not known exports: {names}{more}."
