"""The rows of a record that becomes a media of its own. Pure: nothing here asks the database."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import UUID, uuid5

from nexus.db.text_key import text_key
from nexus.errors import NexusError
from nexus.services.archives.fields import Row
from nexus.services.archives.records import Record
from nexus.services.archives.targets import NAMESPACE, RestoreTarget
from nexus.services.saving import MAX_ITEM_URL_CHARS
from nexus.web.public_address import AllowList
from nexus.web.urls import check_url

MAX_ATTEMPTS_OF_ITEM = 10
FAILED = frozenset({"needs_user_text", "failed"})
# As the schema has them; which of them are due again is decided by the reason.
REASONS = {
    "gone": frozenset({"http_404", "http_410", "unreachable"}),
    "refused": frozenset({"not_an_image", "image_too_large", "blocked_address", "too_many", "no_room"}),
}
DUE_AGAIN = frozenset({"too_many", "no_room"})


@dataclass(frozen=True)
class KeptBlob:
    """A blob of the archive that is in the store; of a picture, what its bytes say of it."""

    size: int
    content_type: str | None = None
    width: int | None = None
    height: int | None = None


@dataclass
class NewRows:
    """By table."""

    tables: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    hashes: set[str] = field(default_factory=set)  # of the blobs that they name

    def add(self, table: str, row: Row) -> None:
        self.tables[table].append(row)


@dataclass(frozen=True)
class RowBuilder:
    user_id: UUID
    allow: AllowList
    blobs: Mapping[str, KeptBlob]
    canonical_urls: Mapping[UUID, str]
    full: frozenset[str] = frozenset()  # blobs for which the user has no room

    def add_media(self, rows: NewRows, record: Record, target: RestoreTarget) -> None:
        rows.add("media", self._media(record, target))
        for version in record.versions:
            rows.add("media_versions", version.row | {"media_id": target.media_id})
            for fragment in version.fragments:
                rows.add(
                    "fragments",
                    {
                        "id": fragment["id"], "media_id": target.media_id, "version": version.number,
                        "idx": fragment["idx"], "html_sanitized": fragment["html"],
                        "canonical_text": fragment["text"], "start_ms": fragment["start_ms"],
                        "end_ms": fragment["end_ms"], "created_at": fragment["created_at"],
                    },
                )  # fmt: skip
        numbers = {version.number for version in record.versions}
        for original in record.originals:
            if original["version"] in numbers:
                self._add_original(rows, original, target.media_id)
        for picture in record.pictures:
            self._add_picture(rows, picture, record, target)
        self._add_audio(rows, record, target.media_id)

    def add_items(self, rows: NewRows, record: Record, media_id: UUID) -> None:
        """All items of a text that can be read; of others only the newest, because that one is fetched."""
        for item in record.items if record.is_ready else record.items[-1:]:
            row = self._item(item, record) | {"media_id": media_id, "user_id": self.user_id}
            rows.add("items", row)
            for attempt in item["attempts_made"]:
                rows.add("extraction_attempts", attempt | {"item_id": item["id"]})
            if item["paste"]:
                paste = item["paste"]
                rows.add(
                    "item_pastes",
                    {
                        "item_id": item["id"], "user_pasted_text": paste["text"],
                        "created_at": paste["created_at"], "updated_at": paste["updated_at"],
                    },
                )  # fmt: skip

    def _media(self, record: Record, target: RestoreTarget) -> Row:
        row = dict(record.media)
        is_private, is_creator = target.kind == "private", row.pop("is_creator") or not record.is_ready
        row.pop("is_private")
        row["id"] = target.media_id
        row["owner_user_id"] = self.user_id if is_private else None
        row["created_by_user_id"] = self.user_id if is_creator or is_private else None
        if is_private and row["kind"] == "podcast_episode":
            row["kind"] = "web_article"  # an episode is shared by all who have its feed
        is_captured = is_private and row["kind"] == "web_article"
        row["captured_url_key"] = _bytea(row["captured_url_key"]) if is_captured else None
        if is_private:
            row["requested_url"] = row["requested_url"] or row["canonical_url"] or row["declared_url"]
        row["canonical_url"] = None if is_private or not record.is_ready else self.canonical_urls.get(record.id)
        if record.is_ready:
            row |= dict.fromkeys(("failed_at", "failure_stage", "last_error_code", "last_error_message"))
            row["processing_completed_at"] = row["processing_completed_at"] or row["created_at"]
        else:
            row |= self._unread(record)
        return row

    def _unread(self, record: Record) -> Row:
        row = {"current_version": None, "processing_completed_at": None, "processing_started_at": None}
        if self._is_waiting(record):
            return row | {"processing_status": "pending", "failed_at": None, "failure_stage": None}
        media = record.media
        return row | {
            "processing_status": "failed",
            "processing_started_at": media["processing_started_at"],
            "failed_at": media["failed_at"] or media["updated_at"],
            "failure_stage": media["failure_stage"] or "extract",
            "last_error_code": media["last_error_code"] or "E_INGEST_FAILED",
        }

    def _item(self, item: Row, record: Record) -> Row:
        row = {name: value for name, value in item.items() if name not in ("attempts_made", "paste")}
        row["due_at"] = row["due_at"] or _now()
        row["max_attempts"] = min(max(row["max_attempts"], 1), MAX_ATTEMPTS_OF_ITEM)
        row["url_key"] = self._url_key(row)
        row["save_key"] = _bytea(row["save_key"])
        if row["source_type"] == "url" and row["requested_url"] is None:
            row["source_type"] = "pasted_text"
        if not record.is_ready:
            row["status"] = "queued" if self._is_waiting(record) else _failed(row["status"])
        elif row["status"] != "needs_user_text":
            row["status"] = "succeeded"
        row["priority"] = int(row["status"] == "queued")  # interactive saves go first
        is_pasted = record.media["kind"] == "pasted_text"
        source = row["final_text_source"] or ("user_pasted_text" if is_pasted else "extracted_from_url")
        row["final_text_source"] = source if row["status"] == "succeeded" else None
        return row

    def _is_waiting(self, record: Record) -> bool:
        """For the worker. A link that may not be fetched here cannot wait for it."""
        item = record.items[-1]
        return item["status"] not in FAILED and self._url_key(item) is not None

    def _url_key(self, item: Row) -> str | None:
        if item["source_type"] != "url" or item["requested_url"] is None:
            return None
        try:
            url = check_url(item["requested_url"], max_length=MAX_ITEM_URL_CHARS, allow=self.allow)
        except NexusError:
            return None
        return _bytea(text_key(url).hex())

    def _add_original(self, rows: NewRows, original: Row, media_id: UUID) -> None:
        """An original whose blob is not in the archive counts as never kept."""
        sha256, missing = original["sha256"], original["missing"]
        kept = self.blobs.get(sha256)
        if sha256 in self.full:
            sha256, missing, kept = None, "user_full", None
        elif kept is not None:
            missing = None
            rows.hashes.add(sha256)
        elif missing is None:
            return
        rows.add(
            "originals",
            {
                "media_id": media_id, "version": original["version"], "missing": missing,
                "sha256": _bytea(sha256) if kept else None, "size": kept.size if kept else None,
                "read_with": original["read_with"], "reread_result": original["reread_result"],
                "due_at": _now(), "is_direct": original["is_direct"],
                "fetched_for": self.user_id if original["is_own"] else None,
            },
        )  # fmt: skip

    def _add_picture(self, rows: NewRows, picture: Row, record: Record, target: RestoreTarget) -> None:
        """A picture whose bytes are not in the archive is fetched again."""
        state, reason = picture["state"], picture["reason"]
        kept = None if picture["sha256"] in self.full else self.blobs.get(picture["sha256"])
        if state in REASONS and reason not in REASONS[state]:
            state = "pending"
        if state == "kept" and (kept is None or kept.content_type is None):
            state, kept = "pending", None
        is_due = state == "pending" or (state == "refused" and reason in DUE_AGAIN)
        is_kept = state == "kept" and kept is not None
        if is_kept:
            rows.hashes.add(picture["sha256"])
        is_own = target.has_own_pictures(record)
        rows.add(
            "media_images",
            {
                "url_key": _bytea(text_key(picture["url"]).hex()), "media_id": target.media_id, "url": picture["url"],
                "user_id": self.user_id if is_own else None, "position": picture["position"], "state": state,
                "reason": reason if state in REASONS else None, "attempts": picture["attempts"],
                "due_at": picture["due_at"] or _now() if is_due else None,
                "settled_at": None if state == "pending" else picture["settled_at"] or _now(),
                "sha256": _bytea(picture["sha256"]) if is_kept else None,
                "size": kept.size if kept and is_kept else None,
                "content_type": kept.content_type if kept and is_kept else None,
                "width": kept.width if kept and is_kept else None,
                "height": kept.height if kept and is_kept else None,
            },
        )  # fmt: skip

    def _add_audio(self, rows: NewRows, record: Record, media_id: UUID) -> None:
        audio = record.audio
        if audio and audio["sha256"] in self.blobs and audio["sha256"] not in self.full:
            rows.hashes.add(audio["sha256"])
            rows.add("media_audio", audio | {"media_id": media_id, "sha256": _bytea(audio["sha256"])})


def give_other_ids(rows: NewRows, table: str, taken: Iterable[UUID], user_id: UUID) -> dict[UUID, UUID]:
    """Gives another id, the same each time, to rows whose id another user has."""
    others = {old: uuid5(NAMESPACE, f"{user_id}:{old}") for old in taken}
    for row in rows.tables[table]:
        row["id"] = others.get(row["id"], row["id"])
    return others


def _failed(status: str) -> str:
    return status if status in FAILED else "failed"


def _bytea(hexadecimal: str | None) -> str | None:
    return None if hexadecimal is None else f"\\x{hexadecimal}"


def _now() -> str:
    return datetime.now(UTC).isoformat()
