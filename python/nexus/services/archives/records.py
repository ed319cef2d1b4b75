"""A line of an archive: one media with all that belongs to it."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from nexus.errors import InvalidRecordError
from nexus.services.archives import fields
from nexus.services.archives.fields import Row, read_row, read_rows
from nexus.services.audio import AUDIO_TYPES
from nexus.services.highlights.changes import MAX_HIGHLIGHTS
from nexus.services.library.entry_tags import MAX_TAGS_OF_ENTRY
from nexus.text.quotes.colors import HIGHLIGHT_COLORS

MAX_VERSIONS, MAX_FRAGMENTS, MAX_ITEMS, MAX_ATTEMPT_ROWS, MAX_PICTURES = 10_000, 100_000, 10_000, 10_000, 10_000
MAX_TAG_DECISIONS = 10 * MAX_TAGS_OF_ENTRY
PERSONAL = frozenset({"pasted", "captured", "uploaded", "imported"})  # origins of texts that came from a person

MEDIA: dict[str, fields.Convert] = {
    "id": fields.uuid,
    "kind": fields.one_of("web_article", "pasted_text", "podcast_episode"),
    "is_private": fields.flag,
    "is_creator": fields.flag,
    **dict.fromkeys(
        ("requested_url", "canonical_url", "declared_url", "lead_image_url", "audio_url"), fields.url
    ),
    **dict.fromkeys(("title", "byline", "site_name", "lang", "excerpt"), fields.optional_text),
    "published_at": fields.published,
    "word_count": fields.integer,
    "processing_status": fields.one_of("pending", "extracting", "ready_for_reading", "failed"),
    "processing_attempts": fields.count,
    **dict.fromkeys(("processing_started_at", "processing_completed_at", "failed_at"), fields.optional_past_time),
    "failure_stage": fields.one_of_or_none("upload", "extract", "transcribe", "embed", "other"),
    **dict.fromkeys(("last_error_code", "last_error_message"), fields.optional_text),
    "current_version": fields.integer,
    "captured_url_key": fields.sha256,
    **dict.fromkeys(("created_at", "updated_at"), fields.required_past_time),
}  # fmt: skip
VALUES = ("read_at", "last_read_at", "archived_at", "starred_at", "read_decided_at", "archived_decided_at",
          "starred_decided_at", "title_decided_at", "note_decided_at", "tags_decided_at")  # fmt: skip
ENTRY: dict[str, fields.Convert] = {
    "created_at": fields.required_past_time, **dict.fromkeys(VALUES, fields.optional_past_time),
    "own_title": fields.optional_text, "note": fields.optional_text,
}  # fmt: skip
VERSION: dict[str, fields.Convert] = {
    "version": fields.positive_integer,
    "origin": fields.one_of(
        "fetched", "rendered", "captured", "uploaded", "pasted", "imported", "transcribed", "reread"
    ),
    "extractor": fields.integer,
    "title": fields.optional_text,
    "word_count": fields.integer,
    "created_at": fields.required_past_time,
}
FRAGMENT: dict[str, fields.Convert] = {
    "id": fields.uuid, "idx": fields.non_negative_integer, "html": fields.long_text, "text": fields.long_text,
    "start_ms": fields.big_integer, "end_ms": fields.big_integer, "created_at": fields.required_past_time,
}  # fmt: skip
ORIGINAL: dict[str, fields.Convert] = {
    "version": fields.positive_integer,
    "sha256": fields.sha256,
    "missing": fields.one_of_or_none("too_large", "user_full", "waiting_full"),
    "read_with": fields.count,
    "reread_result": fields.one_of_or_none("same", "better", "different", "worse", "unreadable"),
    "is_direct": fields.flag,
    "is_own": fields.flag,
}
PICTURE: dict[str, fields.Convert] = {
    "url": fields.url,
    "position": fields.count,
    "state": fields.one_of("pending", "kept", "gone", "refused"),
    "reason": fields.optional_text,
    "attempts": fields.count,
    "due_at": fields.optional_due_time,
    "settled_at": fields.optional_past_time,
    "sha256": fields.sha256,
}
AUDIO: dict[str, fields.Convert] = {
    "sha256": fields.sha256, "content_type": fields.one_of(*AUDIO_TYPES), "created_at": fields.required_past_time
}  # fmt: skip
ITEM: dict[str, fields.Convert] = {
    "id": fields.uuid,
    "status": fields.one_of("queued", "processing", "needs_user_text", "succeeded", "failed"),
    "status_detail": fields.optional_text,
    "source_type": fields.one_of("url", "pasted_text"),
    "requested_url": fields.url,
    "final_text_source": fields.one_of_or_none("extracted_from_url", "user_pasted_text"),
    "title": fields.optional_text,
    "request_id": fields.optional_text,
    "due_at": fields.optional_due_time,
    **dict.fromkeys(("attempts", "max_attempts", "losses"), fields.count),
    "fetched_again_at": fields.optional_past_time,
    "save_key": fields.sha256,
    **dict.fromkeys(("created_at", "updated_at"), fields.required_past_time),
}
ATTEMPT: dict[str, fields.Convert] = {
    "id": fields.uuid,
    "attempt_no": fields.positive_integer,
    "rung": fields.one_of("static", "browser", "captured"),
    "result": fields.one_of("success", "error"),
    **dict.fromkeys(("started_at", "finished_at"), fields.required_past_time),
    **dict.fromkeys(("duration_ms", "content_length"), fields.big_integer),
    **dict.fromkeys(("error_code", "error_detail", "final_url"), fields.optional_text),
    "http_status": fields.integer,
}
PASTE: dict[str, fields.Convert] = {
    "text": fields.long_text, "created_at": fields.required_past_time, "updated_at": fields.required_past_time
}  # fmt: skip
TAG: dict[str, fields.Convert] = {
    "name": fields.required_text,
    "is_set": fields.flag,
    "decided_at": fields.required_past_time,
}
POSITION: dict[str, fields.Convert] = {
    **dict.fromkeys(("text_at", "audio_at"), fields.optional_past_time),
    **dict.fromkeys(("version", "fragment_idx", "text_offset"), fields.integer),
    **dict.fromkeys(("words", "text_device", "audio_device"), fields.optional_text),
    **dict.fromkeys(("share", "fraction"), fields.share),
    "audio_ms": fields.big_integer,
}
DECISIONS = ("place_decided_at", "color_decided_at", "note_decided_at", "tags_decided_at", "deletion_decided_at")
HIGHLIGHT: dict[str, fields.Convert] = {
    "id": fields.uuid,
    **dict.fromkeys(("version", "carried_version"), fields.integer),
    **dict.fromkeys(("start_fragment", "start_offset", "end_fragment", "end_offset"), fields.non_negative_integer),
    **dict.fromkeys(("quote", "prefix", "suffix"), fields.text_or_empty),
    "start_ms": fields.big_integer,
    "color": fields.one_of(*HIGHLIGHT_COLORS),
    "note": fields.optional_text,
    "state": fields.one_of("attached", "orphaned"),
    **dict.fromkeys(("created_at", "updated_at", *DECISIONS), fields.required_past_time),
    **dict.fromkeys(("deleted_at", "seen_at"), fields.optional_past_time),
    "review_round": fields.count,
    "review_order": fields.share,
    "tags": fields.names,
}
EPISODE: dict[str, fields.Convert] = {
    "id": fields.uuid,
    "podcast_id": fields.uuid,
    "guid": fields.required_text,
    "guid_source": fields.one_of("guid", "enclosure", "title_and_date"),
    "title": fields.optional_text,
    **dict.fromkeys(("link", "enclosure_url"), fields.url),
    "published_at": fields.published,
    "duration_ms": fields.big_integer,
    "transcript_source": fields.one_of_or_none("publisher", "openai", "whisper"),
    **dict.fromkeys(("created_at", "updated_at"), fields.required_past_time),
    "aliases": fields.names,
}
CHAPTER: dict[str, fields.Convert] = {
    "start_ms": fields.big_integer, "end_ms": fields.big_integer, "title": fields.text_or_empty, "url": fields.url,
    "image": fields.url,
}  # fmt: skip
MAX_CHAPTERS = 10_000


@dataclass
class Version:
    row: Row
    fragments: list[Row]
    is_changed: bool = False  # its text is not the one in the archive: anchors in it may be other ones

    @property
    def number(self) -> int:
        found: int = self.row["version"]
        return found

    @property
    def key(self) -> bytes:
        """Equal for equal texts."""
        joined = "\n".join(fragment["text"] for fragment in self.fragments)
        return hashlib.sha256(joined.encode()).digest()

    def has_anchor(self, highlight: Row) -> bool:
        lengths = {fragment["idx"]: len(fragment["text"]) for fragment in self.fragments}
        start, end = highlight["start_fragment"], highlight["end_fragment"]
        return (
            not self.is_changed
            and highlight["start_offset"] <= lengths.get(start, -1)
            and highlight["end_offset"] <= lengths.get(end, -1)
        )


@dataclass
class Record:
    number: int  # of its line among all media of the archive
    part: str
    media: Row
    entry: Row
    items: list[Row]  # each with its `attempts_made` and its `paste`
    tags: list[Row]
    position: Row | None
    highlights: list[Row]
    versions: list[Version]
    originals: list[Row]
    pictures: list[Row]
    audio: Row | None
    episode: Row | None
    problems: list[str] = field(default_factory=list)  # what could not be restored as it was, in sentences
    size: int = 0

    @property
    def id(self) -> UUID:
        found: UUID = self.media["id"]
        return found

    @property
    def names(self) -> set[object]:
        """What it shares with another record of the same media, page or highlight."""
        highlights = (each["id"] for each in self.highlights)
        return {self.id, self.media["canonical_url"], self.captured_url_key, *highlights} - {None}

    @property
    def captured_url_key(self) -> str | None:
        """The key of the URL, if this is a page that was saved from a browser."""
        key: str | None = self.media["captured_url_key"]
        return key if self.media["is_private"] and self.media["kind"] == "web_article" else None

    @property
    def is_ready(self) -> bool:
        return bool(self.media["processing_status"] == "ready_for_reading")

    @property
    def current(self) -> Version | None:
        return next((each for each in self.versions if each.number == self.media["current_version"]), None)

    @property
    def hashes(self) -> Iterator[str]:
        """The hashes of the blobs that it names."""
        for row in (*self.originals, *self.pictures, *([self.audio] if self.audio else [])):
            if row["sha256"]:
                yield row["sha256"]


def read_record(line: bytes, *, number: int, part: str) -> Record:
    line_json = fields.read_json(line)
    record = Record(
        number=number,
        part=part,
        media=read_row(line_json.get("media"), MEDIA),
        entry=read_row(line_json.get("entry"), ENTRY),
        items=_items(line_json.get("items")),
        tags=read_rows(line_json.get("tags"), TAG, MAX_TAG_DECISIONS),
        position=_optional(line_json.get("position"), POSITION),
        highlights=read_rows(line_json.get("highlights"), HIGHLIGHT, MAX_HIGHLIGHTS),
        versions=_versions(line_json.get("versions")),
        originals=read_rows(line_json.get("originals"), ORIGINAL, MAX_VERSIONS),
        pictures=_pictures(line_json.get("pictures")),
        audio=_optional(line_json.get("audio"), AUDIO),
        episode=_episode(line_json.get("episode")),
        size=len(line),
    )
    if record.is_ready and record.current is None:
        raise InvalidRecordError("The record is marked as readable but has no text.")
    if not record.is_ready and (record.media["kind"] != "web_article" or not record.items):
        raise InvalidRecordError("The record has neither a text nor a link that could be fetched.")
    if not record.is_ready:
        _drop_shared_content(record)
    return record


def _drop_shared_content(record: Record) -> None:
    """Drops what others would see: once the page is fetched, the media may be shared."""
    record.versions, record.originals, record.pictures, record.audio, record.episode = [], [], [], None, None
    record.media |= {"lead_image_url": None, "audio_url": None}


def _optional(part: Any, columns: dict[str, fields.Convert]) -> Row | None:
    return None if part is None else read_row(part, columns)


def _versions(versions: Any) -> list[Version]:
    found = []
    for each, row in zip(versions or [], read_rows(versions, VERSION, MAX_VERSIONS), strict=True):
        fragments = read_rows(each.get("fragments"), FRAGMENT, MAX_FRAGMENTS)
        if not fragments:
            raise InvalidRecordError(f"Version {row['version']} has no text.")
        found.append(Version(row, fragments))
    return found


def _items(items: Any) -> list[Row]:
    found = read_rows(items, ITEM, MAX_ITEMS)
    for each, row in zip(items or [], found, strict=True):
        row["attempts_made"] = read_rows(each.get("attempts_made"), ATTEMPT, MAX_ATTEMPT_ROWS)
        row["paste"] = _optional(each.get("paste"), PASTE)
    return found


def _pictures(pictures: Any) -> list[Row]:
    found = read_rows(pictures, PICTURE, MAX_PICTURES)
    return list({row["url"]: row for row in found if row["url"]}.values())


def _episode(episode: Any) -> Row | None:
    row = _optional(episode, EPISODE)
    if row is not None:
        chapters = read_rows(episode.get("chapters"), CHAPTER, MAX_CHAPTERS)
        row["chapters"] = [
            {name: value for name, value in chapter.items() if name in each}
            for chapter, each in zip(chapters, episode.get("chapters") or [], strict=True)
        ]
    return row
