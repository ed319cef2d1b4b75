"""The versions of a media's text: whether a new reading becomes one, and what changes with the current version."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Session

from nexus.services.lifecycle import versions_sql as sql
from nexus.services.lifecycle.records import Article
from nexus.services.originals.pending_originals import NewOriginal, add_originals, share_original
from nexus.text.readings.compare import Change, Reading, compare

TOO_SHORT = (
    "Only {chars} characters of text could be read there. Keep it as it is, or paste the text if that is not all of it."
)
ADDED: tuple[Change, ...] = ("better", "different")  # they become a version


@dataclass(frozen=True)
class CurrentText:
    """The current text of a readable media."""

    media_id: UUID
    version: int
    text: str
    title: str | None

    def compare(self, article: Article, min_chars: int) -> Change:
        """How the article compares with this text."""
        return compare(reading_of(article), Reading(self.text, self.title), min_chars=min_chars)

    def followed_by(self, article: Article, read_at: datetime) -> "NewText":
        return NewText(self.media_id, self.version + 1, article, read_at)


@dataclass(frozen=True)
class NewText:
    """A version to be written, which becomes the current one."""

    media_id: UUID
    version: int
    article: Article
    read_at: datetime

    @property
    def as_current(self) -> CurrentText:
        return CurrentText(self.media_id, self.version, self.article.canonical_text, self.article.title)


def reading_of(article: Article) -> Reading:
    return Reading(article.canonical_text, article.title)


def current_texts(session: Session, media_ids: Sequence[UUID]) -> Mapping[UUID, CurrentText]:
    rows = session.execute(sql.CURRENT_TEXTS, {"ids": list(media_ids)})
    return {row.id: CurrentText(row.id, row.current_version, row.words, row.title) for row in rows}


def write_texts(session: Session, texts: Sequence[NewText]) -> None:
    """Write first texts and later versions. The media have to be locked."""
    rows = [_row(each) for each in texts]
    session.execute(sql.READY_MEDIA, {"rows": rows})
    contents: dict[str, Any] = {
        "ids": [each.media_id for each in texts],
        "htmls": [each.article.html_sanitized for each in texts],
        "texts": [each.article.canonical_text for each in texts],
    }
    session.execute(sql.WRITE_VERSIONS, {"rows": rows} | contents)
    add_originals(
        session, [original for each in texts if (original := _original(each.media_id, each.version, each.article))]
    )


def replace_texts(session: Session, replaced: Sequence[tuple[CurrentText, NewText]], min_chars: int) -> None:
    """After the new versions were written: update the items of all users who have the media."""
    rows = [{"media_id": str(new.media_id), **read_status(new.as_current, min_chars)} for _, new in replaced]
    session.execute(sql.FOLLOW_VERSION, {"rows": rows})
    short = [old.media_id for old, _ in replaced if len(old.text) < min_chars]
    if short:
        session.execute(sql.MARK_UNREAD, {"ids": short})


def add_reading(
    session: Session, current: CurrentText, article: Article, read_at: datetime, min_chars: int
) -> tuple[Change, CurrentText]:
    """Make it the current version unless it is the same or worse. Returns the text afterwards. The media has to be
    locked."""
    change = current.compare(article, min_chars)
    if change not in ADDED:
        note_same(session, change, current, article)
        return change, current
    new = current.followed_by(article, read_at)
    write_texts(session, [new])
    replace_texts(session, [(current, new)], min_chars)
    return change, new.as_current


def note_same(session: Session, change: Change, current: CurrentText, article: Article) -> None:
    """Note a reading that adds no version, because its text is the same or worse. The media has to be locked."""
    original = _original(current.media_id, current.version, article)
    if change == "same" and original:
        share_original(session, original)


def reread(session: Session, media_id: UUID, article: Article, *, version: int, min_chars: int) -> Change | None:
    """Add a new reading of the original of `version`; None if that is no longer the current version."""
    read_at: datetime | None = session.scalar(sql.LOCK_CURRENT, {"media_id": media_id, "version": version})
    if read_at is None:
        return None
    current = current_texts(session, [media_id])[media_id]
    return add_reading(session, current, article, read_at, min_chars)[0]


def read_status(current: CurrentText, min_chars: int) -> dict[str, str | None]:
    """The status for an item that waits for this text."""
    chars = len(current.text)
    enough = chars >= min_chars
    return {
        "status": "succeeded" if enough else "needs_user_text",
        "source": "extracted_from_url" if enough else None,
        "detail": None if enough else TOO_SHORT.format(chars=chars),
    }


def _original(media_id: UUID, version: int, article: Article) -> NewOriginal | None:
    if article.original is None:
        return None
    return NewOriginal(media_id, version, article.original, article.fetched_for, article.is_direct)


def _row(new: NewText) -> dict[str, Any]:
    article = new.article
    return {
        "media_id": str(new.media_id),
        "version": new.version,
        "origin": article.origin,
        "extractor": article.extractor,
        "read_at": new.read_at.isoformat(),
        "canonical_url": article.canonical_url,
        "title": article.title,
        "byline": article.byline,
        "site_name": article.site_name,
        "lang": article.lang,
        "published_at": article.published_at.isoformat() if article.published_at else None,
        "excerpt": article.excerpt,
        "word_count": article.word_count,
        "lead_image_url": article.lead_image_url,
        "declared_url": article.declared_url,
    }
