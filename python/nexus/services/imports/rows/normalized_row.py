"""What a row of an import says, as the library can hold it: checked, cut and normalized, without asking the database.

What cannot be held is left out with a sentence in `warnings`: a tag that is too long never costs the row.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from nexus.db.text_key import text_key
from nexus.errors import BlockedAddressError, InvalidTagError, InvalidUrlError
from nexus.services.highlights.records import MAX_NOTE_CHARS, MAX_QUOTE_CHARS
from nexus.services.library.tag_names import TagName, read_tag_name
from nexus.services.saving import MAX_ITEM_URL_CHARS, Link, check_link
from nexus.system.epoch import EPOCH
from nexus.text.characters import one_line, storable
from nexus.text.imports.records import ImportedFeed, ImportedHighlight, ImportedItem, ImportProblem, from_values
from nexus.text.unicode_form import fold
from nexus.web.public_address import AllowList
from nexus.web.urls import normalize_url

MAX_TITLE_CHARS = 500
MAX_ENTRY_NOTE_CHARS = 100_000
# Titles that programs write where they know none.
NO_TITLES = frozenset({"untitled", "no title", "(no title)", "[no title]", "n/a", "null", "none", "nan"})

FEED = (
    "Only the operator of this server can add feeds. Ask them to add this one, for instance with"
    " nexus podcast import-opml."
)
FEED_ITEM = "This came with a subscription and was not saved by you. To add it, import again with feed items."
NOTHING = "This row has neither a link nor a text."


@dataclass(frozen=True)
class RowHighlight:
    """A highlight; `key`: equal for the same words, however they are spaced."""

    quote: str
    key: str
    color: str
    note: str | None
    tags: Mapping[str, TagName]
    created_at: datetime | None


@dataclass(frozen=True)
class NormalizedRow:
    """`key`: of the link's canonical form; without a link, of title and author, and of the content that came along."""

    key: bytes
    link: Link | None = None
    title: str | None = None
    author: str | None = None
    saved_at: datetime | None = None
    tags: Mapping[str, TagName] = field(default_factory=dict)
    archived: bool = False
    starred: bool = False
    read: bool = False
    progress: float = 0.0
    note: str | None = None
    highlights: Sequence[RowHighlight] = ()
    has_content: bool = False
    warnings: Sequence[str] = ()

    @property
    def keys(self) -> list[bytes]:
        """Items from before links had keys are found by the link as it was given."""
        return [self.key, text_key(self.link.url)] if self.link else [self.key]


@dataclass(frozen=True)
class RejectedRow:
    """A row that becomes nothing, and why."""

    code: str
    message: str
    outcome: str = "failed"


def normalize_row(
    record: Mapping[str, Any], *, content_key: str | None, allow: AllowList, with_feed_items: bool, now: datetime
) -> NormalizedRow | RejectedRow:
    """`content_key`: of the content that came along, if there is any."""
    found = from_values(record)
    if isinstance(found, ImportProblem):
        return RejectedRow(found.code, storable(found.message) or NOTHING)
    if isinstance(found, ImportedFeed):
        return RejectedRow("feed_not_added", FEED)
    if found.is_feed_item and not with_feed_items:
        return RejectedRow("feed_item", FEED_ITEM, "unchanged")
    try:
        link = check_link(found.url, max_length=MAX_ITEM_URL_CHARS, allow=allow) if found.url else None
    except (InvalidUrlError, BlockedAddressError) as error:
        return RejectedRow(error.code, error.message)
    row = _normalize(found, link, now, content_key)
    return row if link or content_key or row.highlights else RejectedRow("no_link", NOTHING)


def normalize_applied_row(record: Mapping[str, Any], now: datetime) -> NormalizedRow | None:
    """What a row said that was applied before; its link was checked then."""
    found = from_values(record)
    if not isinstance(found, ImportedItem):
        return None
    try:
        link = Link(found.url, normalize_url(found.url)) if found.url else None
    except InvalidUrlError:
        return None
    return _normalize(found, link, now)


def _normalize(found: ImportedItem, link: Link | None, now: datetime, content_key: str | None = None) -> NormalizedRow:
    warnings: list[str] = []
    highlights = _highlights(found.highlights, warnings, now)
    title = _title(found.title, link)
    author = one_line(found.author or "")[:MAX_TITLE_CHARS] or None
    note = storable(found.note or "").strip()
    if len(note) > MAX_ENTRY_NOTE_CHARS:
        warnings.append(f"The note was cut to {MAX_ENTRY_NOTE_CHARS} characters.")
    # Texts with the same title are not the same text. What is known by its highlights alone grows with later exports.
    what = content_key or ("" if title else "\n".join(highlight.key for highlight in highlights[:1]))
    named = "\n".join(("imported", fold(title or ""), fold(author or ""), what))
    return NormalizedRow(
        key=text_key(link.canonical_url if link else named),
        link=link,
        title=title,
        author=author,
        saved_at=_time(found.saved_at, now),
        tags=_tags(found.tags, warnings),
        archived=bool(found.archived),
        starred=bool(found.starred),
        read=bool(found.read),
        progress=_progress(found.progress),
        note=note[:MAX_ENTRY_NOTE_CHARS].strip() or None,
        highlights=highlights,
        has_content=content_key is not None,
        warnings=warnings,
    )


def _title(given: str | None, link: Link | None) -> str | None:
    """None where it says no more than the link does."""
    title = one_line(given or "")[:MAX_TITLE_CHARS].strip()
    if not title or title.casefold() in NO_TITLES:
        return None
    if link and title.removesuffix("/") in _names_of(link):
        return None
    return title


def _names_of(link: Link) -> set[str]:
    urls = {link.url.removesuffix("/"), link.canonical_url.removesuffix("/")}
    return urls | {url.partition("://")[2] for url in urls}


def read_time(given: datetime | None) -> datetime | None:
    return given if given is None or given.tzinfo else given.replace(tzinfo=UTC)


def _time(given: datetime | None, now: datetime) -> datetime | None:
    """Not in the future, and not before 1970."""
    aware = read_time(given)
    return max(EPOCH, min(aware, now)) if aware else None


def _progress(given: float | None) -> float:
    return min(1.0, max(0.0, given)) if given is not None and given == given else 0.0  # noqa: PLR0124 - NaN


# The same few in thousands of rows: an eighth of the work on a row.
_read_tag_name = lru_cache(maxsize=4096)(read_tag_name)


def _tags(given: Sequence[str], warnings: list[str]) -> dict[str, TagName]:
    found: dict[str, TagName] = {}
    for typed in given:
        try:
            name = _read_tag_name(typed)
        except InvalidTagError:
            if typed.strip():
                warnings.append(f"The tag “{one_line(typed)[:40]}” was left out: its name is not valid for a tag.")
            continue
        found.setdefault(name.key, name)
    return found


def _highlights(given: Sequence[ImportedHighlight], warnings: list[str], now: datetime) -> list[RowHighlight]:
    found: dict[str, RowHighlight] = {}
    for each in given:
        quote, note = storable(each.quote).strip(), storable(each.note or "").strip()
        if not quote:
            continue
        if len(quote) > MAX_QUOTE_CHARS or len(note) > MAX_NOTE_CHARS:
            warnings.append("A highlight was too long and was cut.")
        quote, note = quote[:MAX_QUOTE_CHARS].strip(), note[:MAX_NOTE_CHARS].strip()
        key = " ".join(quote.split())
        highlight = RowHighlight(
            quote, key, each.color or "yellow", note or None, _tags(each.tags, warnings), _time(each.created_at, now)
        )
        found.setdefault(key, highlight)
    return list(found.values())
