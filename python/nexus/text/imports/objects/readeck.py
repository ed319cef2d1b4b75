"""Readeck: a backup as a ZIP file, with a folder for each bookmark."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from nexus.text.imports.documents import Document, UploadedFiles
from nexus.text.imports.format import Format, guarded
from nexus.text.imports.objects.events import build, json_events
from nexus.text.imports.objects.fields import (
    Fields,
    as_dict,
    as_list,
    content,
    language,
    no_entry,
    people,
    percent,
    tags_of,
)  # fmt: skip
from nexus.text.imports.objects.pages import Pages
from nexus.text.imports.records import ImportedHighlight, ImportRecord
from nexus.text.imports.values import item_or_problem, read_color, read_flag, read_text, read_time

PARENTS = 3  # of bookmarks/<UID>/info.json


def _matches(export: UploadedFiles) -> list[Document]:
    """All of a backup, with the accounts and the pictures."""
    roots = {_root(each) for each in export.find("info.json") if _is_bookmark(each)}
    data = {PurePosixPath(each.path).parent for each in export.find("data.json")}
    return [each for each in export.documents if any(_is_in(each, root) for root in roots & data)]


def _is_bookmark(document: Document) -> bool:
    return PurePosixPath(document.path).parts[-PARENTS:-2] == ("bookmarks",)


def _root(document: Document) -> PurePosixPath:
    return PurePosixPath(document.path).parents[PARENTS - 1]


def _is_in(document: Document, root: PurePosixPath) -> bool:
    path = PurePosixPath(document.path)
    return path == root / "data.json" or (root / "bookmarks") in path.parents


def _read(_export: UploadedFiles, documents: list[Document]) -> Iterator[ImportRecord]:
    by_path = {each.path: each for each in documents if each.base_name == "index.html"}
    pages = Pages()
    for document in documents:
        if document.base_name == "info.json" and _is_bookmark(document):
            page = by_path.get(str(PurePosixPath(document.path).parent / "container" / "index.html"))
            yield from guarded(document, _records(document, page, pages))
            yield from pages.problems()


def _records(document: Document, page: Document | None, pages: Pages) -> Iterator[ImportRecord]:
    events = json_events(document)
    fields = build(events, *next(events))
    if isinstance(fields, dict):
        is_loaded = fields.get("State") in (0, None)
        yield _item(document, fields, content(pages.html(page if is_loaded else None)))
    else:
        yield no_entry(document, 1)


def _item(document: Document, fields: Fields, html: str | None) -> ImportRecord:
    return item_or_problem(
        document,
        1,
        url=fields.get("URL") or fields.get("InitialURL"),
        title=fields.get("Title"),
        saved_at=read_time(fields.get("Created")),
        tags=tags_of(fields.get("Labels")),
        archived=read_flag(fields.get("IsArchived")),
        starred=read_flag(fields.get("IsMarked")),
        progress=percent(fields.get("ReadProgress")),
        highlights=tuple(_highlights(fields)),
        html=html,
        author=people(fields.get("Authors")),
        site_name=people(fields.get("SiteName")),
        lang=language(fields.get("Lang")),
        published_at=read_time(fields.get("Published")),
    )


def _highlights(fields: Fields) -> Iterator[ImportedHighlight]:
    for annotation in map(as_dict, as_list(fields.get("Annotations"))):
        if quote := read_text(annotation.get("text")):
            yield ImportedHighlight(
                quote,
                read_text(annotation.get("note")),
                read_color(annotation.get("color")),
                created_at=read_time(annotation.get("created")),
            )


READECK = Format("readeck", "Readeck", _read, matches=_matches)
