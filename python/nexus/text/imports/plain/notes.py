"""Folders of Markdown notes, each an article or a text with properties, its words and its highlights."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from nexus.text.imports.documents import Document
from nexus.text.imports.format import Format, one_by_one
from nexus.text.imports.plain.front_matter import Note, split_note
from nexus.text.imports.plain.note_highlights import (
    CALLOUT,
    HEADING,
    Sections,
    read_highlights,
    split_sections,
    unescaped,
)
from nexus.text.imports.records import ImportedItem, ImportProblem, ImportRecord
from nexus.text.imports.values import read_flag, read_link, read_tags, read_text, read_time, read_title

MAX_CHARS = 10_000_000
SUFFIXES = (".md", ".markdown")
URLS = ("url", "source", "link", "source_url", "source url", "original_url", "canonical", "canonical_url", "website")
AUTHORS = ("author", "authors", "byline", "creator")
SAVED = (
    "saved",
    "saved_at",
    "date_saved",
    "date saved",
    "created",
    "created_at",
    "date_added",
    "added",
    "clipped",
    "date",
)
PUBLISHED = ("published", "published_at", "date_published", "publish_date", "date published")
TAGS = ("tags", "tag", "keywords", "labels", "document tags", "topics")
# As Readwise writes it: `- URL: https://…` below a heading.
METADATA = re.compile(r"[-*+][ \t]+\**([A-Za-z][A-Za-z ]{0,30}?)\**:\**[ \t]*(.*)$")
HASH_TAG = re.compile(r"(?:^|\s)#([^\s#]+)")
LINK_LINE = re.compile(r"\[.{0,2000}\]\(\S{1,5000}\)")


def _recognises(document: Document) -> bool:
    return not document.is_alone and document.base_name.endswith(SUFFIXES) and document.beginning != ""


def _read(document: Document) -> Iterator[ImportRecord]:
    note = split_note(document.read_text(MAX_CHARS))
    sections = split_sections(note.body)
    about = _with_metadata(note, sections)
    heading, words, own_note = _body(sections, about)
    title = read_title(about.first("title", "full title")) or heading or _name(document)
    url = next((link for value in about.all(*URLS) if (link := read_link(value))), None)
    highlights = read_highlights(sections.highlights)
    if not (url or words or highlights):
        yield ImportProblem(document.name, 1, "no_text", "There is no text and no link in this note.", title=title)
        return
    status = about.first("status", "state").lower()
    yield ImportedItem(
        document.name, 1, url, title, read_time(about.first(*SAVED)),
        read_tags(tag.removeprefix("#") for value in about.all(*TAGS) for tag in value.split(",")),
        archived=_flag(about, "archived"), starred=_flag(about, "starred", "favorite", "favourite"),
        read={"read": True, "unread": False}.get(status), note=read_text(about.first("note")) or own_note,
        highlights=highlights, text=words or None, author=", ".join(about.all(*AUTHORS))[:500] or None,
        site_name=read_text(about.first("site", "site_name", "publisher")),
        published_at=read_time(about.first(*PUBLISHED)), lang=about.first("lang", "language")[:35] or None,
    )  # fmt: skip


def _flag(note: Note, *names: str) -> bool | None:
    value = note.first(*names)
    return read_flag(value) if value else None


def _name(document: Document) -> str | None:
    return read_title(PurePosixPath(document.path).stem)


def _with_metadata(note: Note, sections: Sections) -> Note:
    found = dict(note.properties)
    for line in sections.metadata:
        if parsed := METADATA.match(line):
            value = parsed[2].strip()
            tags = HASH_TAG.findall(value) if "tags" in parsed[1].lower() else []
            wiki = re.findall(r"\[\[([^\[\]]+)\]\]", value)
            found.setdefault(parsed[1].strip().lower(), tags or wiki or [value])
    return Note(found, note.body, note.body_line)


def _body(sections: Sections, about: Note) -> tuple[str | None, str, str | None]:
    """The first heading, the words, and the note before them. What our own export and others put above the text for
    reading (the title, a link to the page, the note) is no part of it."""
    lines = sections.body
    heading = None
    own_note: list[str] = []
    at = _next(lines, 0)
    if at < len(lines) and (first := HEADING.match(lines[at])) and len(first[1]) == 1:
        heading, at = read_title(unescaped(first[2].rstrip(" \t#"))), _next(lines, at + 1)
        if at < len(lines) and (callout := CALLOUT.match(lines[at].lstrip("> "))) and callout[1].lower() == "note":
            end = next((n for n in range(at, len(lines)) if not lines[n].startswith(">")), len(lines))
            own_note = [line.removeprefix(">").strip() for line in lines[at + 1 : end]]
            at = _next(lines, end)
        if at < len(lines) and about.first(*URLS) and LINK_LINE.fullmatch(lines[at].strip()):
            at += 1
    return heading, "\n".join(lines[at:]).strip(), read_text(unescaped("\n".join(own_note)))


def _next(lines: list[str], start: int) -> int:
    return next((at for at in range(start, len(lines)) if lines[at].strip()), len(lines))


NOTES = Format("markdown", "Markdown notes", one_by_one(_read), recognises=_recognises)
