"""What became of the lines of an archive."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from nexus.services.archives.fields import Row
from nexus.services.archives.records import Record
from nexus.services.archives.targets import RestoreTarget

AS_ARTICLE = "The episode's feed is not shared with you here, so its text was restored as an article."
AS_PRIVATE = "The text was restored for you alone: it came from the archive, not from the site."

Result = Literal["added", "merged", "unchanged", "failed"]


@dataclass(frozen=True)
class Outcome:
    """What became of a line. `message` says why it failed, or what is different now; `undo` how to undo it."""

    number: int
    part: str
    result: Result
    title: str | None = None
    url: str | None = None
    media_id: UUID | None = None
    item_id: UUID | None = None
    code: str | None = None
    message: str | None = None
    undo: Row | None = None


@dataclass(frozen=True)
class ListProblem:
    """A line of another member than those with media, and why it was left out. `line`: from 1."""

    member: str
    line: int
    message: str


def failed(record: Record, code: str, message: str) -> Outcome:
    return Outcome(record.number, record.part, "failed", _title(record), _url(record), code=code, message=message)


def outcome_of(
    record: Record, target: RestoreTarget, *, is_changed: bool, items: Mapping[UUID, UUID], undo: Row | None
) -> Outcome:
    if target.kind == "known":
        result: Result = "merged" if is_changed else "unchanged"
    else:
        result = "added"
    messages = list(record.problems)
    if target.kind == "private" and record.media["kind"] == "podcast_episode":
        messages.append(AS_ARTICLE)
    elif target.kind == "private" and record.media["canonical_url"]:
        messages.append(AS_PRIVATE)
    return Outcome(
        record.number,
        record.part,
        result,
        _title(record),
        _url(record),
        target.media_id,
        items.get(target.media_id),
        code="restored_differently" if messages else None,
        message=" ".join(messages) or None,
        undo=None if result == "unchanged" else undo,
    )


def _title(record: Record) -> str | None:
    title: str | None = record.entry["own_title"] or record.media["title"]
    return title


def _url(record: Record) -> str | None:
    media = record.media
    url: str | None = media["canonical_url"] or media["requested_url"] or media["declared_url"]
    return url
