"""A library of any size, written by a few statements for each thousand media."""

import hashlib
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from sqlalchemy import text

from nexus.db.session import Database
from nexus.db.text_key import text_key
from nexus.services.archives.new_rows import STATEMENTS, insert
from nexus.services.users import CurrentUser
from nexus.store import BlobStore
from nexus.text.canonical_text import canonicalize
from nexus.text.originals.original_file import OriginalFacts, pack
from nexus.text.sanitize import sanitize_html

WORDS = ["harbour", "lantern", "copper", "ledger", "quiet", "rain", "window", "letter", "morning", "engine", "river"]
NOW = "2026-01-01T12:00:00+00:00"
TAGS = 50
BATCH = 500
TEXT_WORDS = 800


def fill(
    database: Database, store: BlobStore, user: CurrentUser, count: int, pictures: Sequence[bytes], pictures_each: int
) -> None:
    tags = [str(uuid4()) for _ in range(TAGS)]
    plan = Plan(user, pictures, pictures_each, tags, random.Random(21))
    with database.transaction() as session:
        for number, tag in enumerate(tags):
            session.execute(
                text("INSERT INTO tags (id, user_id, name, name_key) VALUES (:id, :user, :name, :name)"),
                {"id": tag, "user": user.user_id, "name": f"tag {number}"},
            )
    store.put_many(pictures)
    for start in range(0, count, BATCH):
        rows: dict[str, list[dict[str, Any]]] = {}
        originals: list[bytes] = []
        for number in range(start, min(count, start + BATCH)):
            _add(plan, rows, originals, number)
        store.put_many(originals)
        with database.transaction() as session:
            for table, some in rows.items():
                statement = STATEMENTS[table] if table in STATEMENTS else OTHERS[table]
                session.execute(statement, {"rows": json.dumps(some)})


OTHERS = {
    "library_media": insert("library_media", "library_id, media_id, created_at, read_at"),
    "entry_tags": insert("entry_tags", "library_id, media_id, tag_id, is_set, decided_at"),
    "highlights": insert(
        "highlights",
        "library_id, id, media_id, version, start_fragment, start_offset, end_fragment, end_offset, quote, prefix,"
        " suffix, color, words, state, carried_version, created_at, updated_at, place_decided_at, color_decided_at,"
        " note_decided_at, tags_decided_at, deletion_decided_at, review_round, review_order",
    ),
}


@dataclass
class Plan:
    user: CurrentUser
    pictures: Sequence[bytes]
    pictures_each: int
    tags: Sequence[str]
    choice: random.Random


Tables = dict[str, list[dict[str, Any]]]


def _add(plan: Plan, rows: Tables, originals: list[bytes], number: int) -> None:
    media, url = str(uuid4()), f"https://example.org/{number}"
    shown = [(number * plan.pictures_each + each) % len(plan.pictures) for each in range(plan.pictures_each)]
    html, words = _text(plan, url, shown)
    content = pack(f"<html><body>{number}{html}</body></html>".encode(), OriginalFacts("fetched", url=url))
    originals.append(content)
    made = {
        "media": [_media(plan, media, url, number)],
        "media_versions": [{"media_id": media, "version": 1, "origin": "fetched", "created_at": NOW}],
        "fragments": [
            {"id": str(uuid4()), "media_id": media, "version": 1, "idx": 0, "html_sanitized": html,
             "canonical_text": words, "created_at": NOW}
        ],
        "originals": [
            {"media_id": media, "version": 1, "sha256": _bytea(content), "size": len(content), "read_with": 1,
             "due_at": NOW, "fetched_for": str(plan.user.user_id), "is_direct": True}
        ],
        "media_images": [_picture(plan, media, each, place) for place, each in enumerate(shown)],
    }  # fmt: skip
    for table, some in (made | _own(plan, media, url, words, number)).items():
        rows.setdefault(table, []).extend(some)


def _text(plan: Plan, url: str, shown: Sequence[int]) -> tuple[str, str]:
    paragraphs = "".join(f"<p>{' '.join(plan.choice.choices(WORDS, k=80))}.</p>" for _ in range(TEXT_WORDS // 80))
    html = sanitize_html(paragraphs + "".join(f'<img src="{_address(each)}" alt="">' for each in shown), url)
    return html, canonicalize(html)


def _media(plan: Plan, media: str, url: str, number: int) -> dict[str, Any]:
    return {
        "id": media, "kind": "web_article", "created_by_user_id": str(plan.user.user_id), "requested_url": url,
        "canonical_url": url, "title": f"Media {number}", "word_count": TEXT_WORDS, "current_version": 1,
        "processing_status": "ready_for_reading", "processing_attempts": 1, "processing_completed_at": NOW,
        "created_at": NOW, "updated_at": NOW,
    }  # fmt: skip


def _picture(plan: Plan, media: str, which: int, place: int) -> dict[str, Any]:
    content = plan.pictures[which]
    return {
        "url_key": f"\\x{text_key(_address(which)).hex()}", "media_id": media, "url": _address(which),
        "user_id": str(plan.user.user_id), "position": place, "state": "kept", "attempts": 1, "settled_at": NOW,
        "sha256": _bytea(content), "size": len(content), "content_type": "image/jpeg", "width": 160, "height": 100,
    }  # fmt: skip


def _own(plan: Plan, media: str, url: str, words: str, number: int) -> Tables:
    """The user's save, with its receipt, state, tags and perhaps a highlight."""
    item, library = str(uuid4()), str(plan.user.default_library_id)
    decided = {f"{part}_decided_at": NOW for part in ("place", "color", "note", "tags", "deletion")}
    return {
        "items": [
            {"id": item, "user_id": str(plan.user.user_id), "media_id": media, "status": "succeeded",
             "source_type": "url", "requested_url": url, "final_text_source": "extracted_from_url", "due_at": NOW,
             "attempts": 1, "max_attempts": 2, "losses": 0, "url_key": f"\\x{text_key(url).hex()}", "priority": 0,
             "created_at": NOW, "updated_at": NOW}
        ],
        "extraction_attempts": [
            {"id": str(uuid4()), "item_id": item, "attempt_no": 1, "rung": "static", "result": "success",
             "started_at": NOW, "finished_at": NOW, "duration_ms": 100, "http_status": 200}
        ],
        "library_media": [
            {"library_id": library, "media_id": media, "created_at": NOW, "read_at": NOW if number % 2 else None}
        ],
        "entry_tags": [
            {"library_id": library, "media_id": media, "tag_id": tag, "is_set": True, "decided_at": NOW}
            for tag in plan.choice.sample(plan.tags, 2)
        ],
        "highlights": [
            {"library_id": library, "id": str(uuid4()), "media_id": media, "version": 1, "start_fragment": 0,
             "start_offset": 0, "end_fragment": 0, "end_offset": 20, "quote": words[:20], "prefix": "",
             "suffix": words[20:84], "color": "yellow", "words": "", "state": "attached", "carried_version": 1,
             "created_at": NOW, "updated_at": NOW, "review_round": 0, "review_order": 0.5, **decided}
        ] if number % 10 == 0 else [],
    }  # fmt: skip


def _address(picture: int) -> str:
    return f"https://pictures.example/{picture}.jpg"


def _bytea(content: bytes) -> str:
    return f"\\x{hashlib.sha256(content).hexdigest()}"
