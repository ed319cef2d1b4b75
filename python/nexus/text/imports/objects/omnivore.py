"""Omnivore: a ZIP file of metadata, pages and highlights, or all metadata merged into one JSON file."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from nexus.text.imports.documents import Document, UploadedFiles
from nexus.text.imports.format import Format, guarded
from nexus.text.imports.objects.events import EACH
from nexus.text.imports.objects.fields import (
    Fields,
    as_dict,
    as_list,
    as_string,
    content,
    percent,
    records_at,
    tags_of,
)  # fmt: skip
from nexus.text.imports.objects.pages import Pages
from nexus.text.imports.objects.recognise import kind_of
from nexus.text.imports.records import ImportedHighlight, ImportProblem, ImportRecord
from nexus.text.imports.values import item_or_problem, read_color, read_tags, read_text, read_time

METADATA = re.compile(r"metadata_([0-9]+)_to_[0-9]+\.json")
FOLDERS = frozenset({"content", "highlights"})
MAX_HIGHLIGHTS_CHARS = 5_000_000
# Newsletters and uploaded files, which only Omnivore had.
NOT_ON_THE_WEB = re.compile(r"https?://(?:[a-z]+\.)?omnivore\.app/(?:no_url\b|attachments/)|.*/attachments/u/", re.I)
LABELS = re.compile(r"#[^#\n]+(?:#[^#\n]+)*")


def _matches(export: UploadedFiles) -> list[Document]:
    found = [each for each in export.documents if METADATA.fullmatch(each.base_name)]
    beside = {PurePosixPath(each.path).parent / folder for each in found for folder in FOLDERS}
    return found + [each for each in export.documents if PurePosixPath(each.path).parent in beside]


def _read(_export: UploadedFiles, documents: list[Document]) -> Iterator[ImportRecord]:
    beside = _Files(documents)
    for document in sorted((each for each in documents if not _is_beside(each)), key=_order):
        yield from guarded(document, records_at(document, beside.item, EACH))
        yield from beside.pages.problems()


def _is_beside(document: Document) -> bool:
    return PurePosixPath(document.path).parent.name in FOLDERS and not METADATA.fullmatch(document.base_name)


def _order(document: Document) -> tuple[int, str]:
    number = METADATA.fullmatch(document.base_name)
    return int(number[1][:18]) if number else 0, document.name


class _Files:
    """What belongs to an entry, by its slug."""

    def __init__(self, documents: list[Document]) -> None:
        self.pages = Pages()
        self._by_path = {each.path.lower(): each for each in documents}

    def item(self, document: Document, number: int, fields: Fields) -> ImportRecord:
        url = as_string(fields.get("url"))
        title, labels = fields.get("title"), tags_of(fields.get("labels"))
        note, highlights = self._highlights(document, fields)
        html = self._html(document, fields)
        if url and NOT_ON_THE_WEB.match(url):
            if not html:
                message = "The export has neither a web address nor a text for this."
                return ImportProblem(document.name, number, "no_link", message, url=url, title=as_string(title))
            url = None
        return item_or_problem(
            document,
            number,
            url=url,
            title=title,
            saved_at=read_time(fields.get("savedAt")),
            tags=labels,
            archived=fields.get("state") == "Archived",
            progress=percent(fields.get("readingProgress")),
            note=note,
            highlights=highlights,
            html=html,
            author=as_string(fields.get("author")),
            site_name=as_string(fields.get("siteName")),
            lang=as_string(fields.get("language")),
            published_at=read_time(fields.get("publishedAt")),
        )

    def _html(self, document: Document, fields: Fields) -> str | None:
        return content(self.pages.html(self._beside(document, fields, "content", "html")))

    def _highlights(self, document: Document, fields: Fields) -> tuple[str | None, tuple[ImportedHighlight, ...]]:
        markdown = self.pages.text(self._beside(document, fields, "highlights", "md"), MAX_HIGHLIGHTS_CHARS)
        if markdown is not None:
            return read_highlights(markdown)
        found = map(_highlight, map(as_dict, as_list(fields.get("highlights"))))
        return None, tuple(each for each in found if each)

    def _beside(self, document: Document, fields: Fields, folder: str, suffix: str) -> Document | None:
        slug = fields.get("slug")
        if not isinstance(slug, str) or "/" in slug:
            return None
        return self._by_path.get(str(PurePosixPath(document.path).parent / folder / f"{slug}.{suffix}").lower())


def _highlight(fields: Fields) -> ImportedHighlight | None:
    """As its API writes it."""
    quote, note = read_text(fields.get("quote")), read_text(fields.get("annotation"))
    if not quote:
        return None
    return ImportedHighlight(
        quote, note, read_color(fields.get("color")), tags_of(fields.get("labels")), read_time(fields.get("createdAt"))
    )


def read_highlights(markdown: str) -> tuple[str | None, tuple[ImportedHighlight, ...]]:
    """The note of the page, and its highlights: a block with a quote, perhaps one of labels, perhaps a note."""
    page_note: list[str] = []
    highlights: list[_Block] = []
    for block in re.split(r"\n[ \t]*\n", markdown.replace("\r\n", "\n")):
        lines = block.strip().split("\n")
        if block.lstrip().startswith(">"):
            # Only empty lines of a quote got a mark of their own; the others follow as they were.
            highlights.append(_Block("\n".join(line.removeprefix(">").strip() for line in lines).strip()))
        elif not highlights:
            page_note.append(block)
        elif not highlights[-1].labels and not highlights[-1].notes and LABELS.fullmatch(block.strip()):
            highlights[-1].labels = read_tags(block.split("#"))
        else:
            highlights[-1].notes.append(block.strip())
    return read_text("\n\n".join(page_note)), tuple(
        ImportedHighlight(quote, read_text("\n\n".join(each.notes)), tags=each.labels)
        for each in highlights
        if (quote := read_text(each.quote))
    )


@dataclass
class _Block:
    quote: str
    labels: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)


OMNIVORE = Format(
    "omnivore", "Omnivore", _read, matches=_matches, recognises=lambda document: kind_of(document) == "omnivore"
)
