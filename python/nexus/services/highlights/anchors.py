"""Where a highlight is: in the version it was made in, and from there in the current one."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.errors import InvalidRangeError, MediaNotReadyError, TextMovedError
from nexus.services.highlights.records import MAX_QUOTE_CHARS
from nexus.text.quotes.find_quote import Quote, SearchedText
from nexus.text.quotes.joined_text import CONTEXT_CHARS, JoinedText, Point, Span

CURRENT = text("SELECT current_version FROM media WHERE id = :media_id AND processing_status = 'ready_for_reading'")
FRAGMENTS = text("""
    SELECT idx, canonical_text, start_ms FROM fragments WHERE media_id = :media_id AND version = :version ORDER BY idx
""")


@dataclass(frozen=True)
class RequestedAnchor:
    """As a client says it. The context helps to find a quote that is not at these offsets."""

    version: int
    start: Point
    end: Point
    quote: str | None = None
    prefix: str = ""
    suffix: str = ""


@dataclass(frozen=True)
class VersionText:
    version: int
    joined: JoinedText
    start_ms: Mapping[int, int | None]  # of each fragment

    @cached_property
    def searched(self) -> SearchedText:
        return SearchedText(self.joined.text)

    def row_at(self, span: Span) -> dict[str, Any]:
        """Where that is, as columns of a highlight."""
        start, end = self.joined.points(span)
        return {
            "version": self.version,
            "start_fragment": start.fragment_idx,
            "start_offset": start.offset,
            "end_fragment": end.fragment_idx,
            "end_offset": end.offset,
            "start_ms": self.start_ms[start.fragment_idx],
        }


def load_text(session: Session, media_id: UUID, version: int) -> VersionText | None:
    rows = session.execute(FRAGMENTS, {"media_id": media_id, "version": version}).all()
    if not rows:
        return None
    joined = JoinedText([row.idx for row in rows], [row.canonical_text for row in rows])
    return VersionText(version, joined, {row.idx: row.start_ms for row in rows})


def resolve(session: Session, media_id: UUID, given: RequestedAnchor) -> dict[str, Any]:
    """The columns of a highlight with this anchor, in the current version if its words are there. The media is held."""
    current_version = session.scalar(CURRENT, {"media_id": media_id})
    if current_version is None:
        raise MediaNotReadyError("This is not ready for reading yet, so nothing in it can be highlighted.")
    current = load_text(session, media_id, current_version)
    assert current is not None  # PostgreSQL lets no version be without a fragment  # noqa: S101
    own = current if given.version == current_version else load_text(session, media_id, given.version)
    found = _find(own, given) if own else None
    if own is None or found is None:
        own, found = current, _find_quote(current, given)
    return _carried(_marked(own, found), own, current)


def _find(own: VersionText, given: RequestedAnchor) -> Span | None:
    span = own.joined.span(given.start, given.end)
    is_there = span and (given.quote is None or own.joined.text[span.start : span.end] == given.quote)
    if is_there:
        return span
    if given.quote is None:
        raise InvalidRangeError("The text has no such passage, or the passage is empty.")
    return None


def _find_quote(current: VersionText, given: RequestedAnchor) -> Span:
    span = given.quote and current.searched.find(Quote(given.quote, given.prefix, given.suffix, _share(current, given)))
    if not span:
        raise TextMovedError("The text has changed there. Open it again and highlight the passage once more.")
    return span


def _share(current: VersionText, given: RequestedAnchor) -> float:
    at = current.joined.span(given.start, Point(current.joined.numbers[-1], len(current.joined.parts[-1])))
    return (at.start if at else 0) / max(1, len(current.joined.text))


def _marked(own: VersionText, span: Span) -> dict[str, Any]:
    quote = own.joined.text[span.start : span.end]
    if not quote.strip():
        raise InvalidRangeError("The passage contains only white space; select some words.")
    if len(quote) > MAX_QUOTE_CHARS:
        raise InvalidRangeError(
            f"A highlight has at most {MAX_QUOTE_CHARS} characters, and this one has {len(quote)}; make several."
        )
    prefix, suffix = own.joined.context(span)
    marked = {"quote": quote, "prefix": prefix[-CONTEXT_CHARS:], "suffix": suffix[:CONTEXT_CHARS]}
    attached = {"state": "attached", "carried_version": own.version}
    return own.row_at(span) | marked | attached | {"share": span.start / max(1, len(own.joined.text))}


def _carried(row: dict[str, Any], own: VersionText, current: VersionText) -> dict[str, Any]:
    share = row.pop("share")
    if own.version == current.version:
        return row
    return row | carry(Quote(row["quote"], row["prefix"], row["suffix"], share), current)


def carry(quote: Quote, current: VersionText) -> dict[str, Any]:
    """The columns that change when a quote is looked for in the current text."""
    span = current.searched.find(quote)
    found = {"state": "orphaned"} if span is None else current.row_at(span) | {"state": "attached"}
    return found | {"carried_version": current.version}
