"""Entries of feed readers: Google Reader's form (FreshRSS, Inoreader, Feedly), Feedbin, Miniflux."""

import re
from collections.abc import Iterator
from typing import Any

from nexus.text.imports.documents import Document
from nexus.text.imports.format import Format, one_by_one
from nexus.text.imports.objects.events import EACH
from nexus.text.imports.objects.fields import (
    Fields,
    array_format,
    as_dict,
    as_list,
    as_string,
    content,
    people,
    records_at,
)  # fmt: skip
from nexus.text.imports.objects.recognise import kind_of
from nexus.text.imports.records import ImportRecord
from nexus.text.imports.values import item_or_problem, read_flag, read_tags, read_time

LABEL = re.compile(r"user/[^/]+/label/(.+)", re.DOTALL)
STATE = re.compile(r"user/[^/]+/state/[^/]+/([\w-]+)")
IN_STARRED_FILE = re.compile(r'"user/[^/"]+/state/[^/"]+/starred"')
SAVED = frozenset({"starred", "saved-web-pages", "saved", "read-later"})
UNREAD = frozenset({"unread", "kept-unread", "tracking-kept-unread"})
HEADER_CHARS = 2000


def _google_reader(document: Document) -> Iterator[ImportRecord]:
    header = document.beginning[:HEADER_CHARS].split('"items"')[0]
    is_starred_file = "starred" in document.base_name or IN_STARRED_FILE.search(header) is not None

    def item(document: Document, number: int, fields: Fields) -> ImportRecord:
        categories = [each for each in as_list(fields.get("categories")) if isinstance(each, str)]
        labels = [found[1] for found in map(LABEL.fullmatch, categories) if found]
        states = {found[1] for found in map(STATE.fullmatch, categories) if found}
        # A file of starred entries has those with a label too. Without any state, all of them are starred.
        is_starred = bool(states & SAVED) or (is_starred_file and not states and not labels)
        origin = as_dict(fields.get("origin"))
        return item_or_problem(
            document,
            number,
            url=_link(fields),
            title=fields.get("title"),
            saved_at=_received(fields),
            tags=read_tags(labels),
            starred=is_starred,
            read=True if "read" in states else False if states & UNREAD else None,
            html=_html(fields.get("content")) or _html(fields.get("summary")),
            author=_authors(fields.get("author")),
            site_name=as_string(origin.get("title")),
            published_at=read_time(fields.get("published")),
            is_feed_item=not (is_starred or labels or is_starred_file),
        )

    return records_at(document, item, "items", EACH)


def _link(fields: Fields) -> str | None:
    for name in ("alternate", "canonical", "enclosure"):
        for link in as_list(fields.get(name)):
            if href := as_string(as_dict(link).get("href")):
                return href
    return None


def _received(fields: Fields) -> Any:
    times = (fields.get(name) for name in ("actionTimestamp", "timestampUsec", "crawlTimeMsec", "crawled", "updated"))
    return next((time for time in map(read_time, times) if time), None)


def _html(value: Any) -> str | None:
    return content(value.get("content")) if isinstance(value, dict) else content(value)


def _authors(value: Any) -> str | None:
    return people(value.split(";")) if isinstance(value, str) else None


def _feedbin(document: Document, number: int, fields: Fields) -> ImportRecord:
    return item_or_problem(
        document,
        number,
        url=fields.get("url"),
        title=fields.get("title"),
        saved_at=read_time(fields.get("created_at")),
        starred=True,
        html=content(fields.get("content")),
        author=as_string(fields.get("author")),
        published_at=read_time(fields.get("published")),
    )


def _miniflux(document: Document, number: int, fields: Fields) -> ImportRecord:
    is_starred = read_flag(fields.get("starred"))
    status = fields.get("status")
    return item_or_problem(
        document,
        number,
        url=fields.get("url"),
        title=fields.get("title"),
        saved_at=read_time(fields.get("created_at")),
        starred=is_starred,
        read=status == "read" if status in ("read", "unread") else None,
        html=content(fields.get("content")),
        author=as_string(fields.get("author")),
        site_name=as_string(as_dict(fields.get("feed")).get("title")),
        published_at=read_time(fields.get("published_at")),
        is_feed_item=not is_starred,
    )


def _is_freshrss(document: Document) -> bool:
    return kind_of(document) == "google-reader" and "freshrss" in document.beginning[:HEADER_CHARS]


FRESHRSS = Format("freshrss", "FreshRSS", one_by_one(_google_reader), recognises=_is_freshrss)
GOOGLE_READER = Format(
    "google-reader",
    "Google Reader or Inoreader",
    one_by_one(_google_reader),
    recognises=lambda document: kind_of(document) == "google-reader",
)
FEEDBIN = array_format("feedbin", "Feedbin", _feedbin)
MINIFLUX = array_format("miniflux", "Miniflux", _miniflux, ("entries", EACH))
