"""Making, changing, deleting and restoring a highlight.

Its anchor, colour, note, tags and deletion each remember when they were decided, so that a decision that was made
earlier without a connection, and comes later, changes nothing.
"""

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Row, text
from sqlalchemy.orm import Session

from nexus.errors import (
    ChangedSinceError,
    HighlightDeletedError,
    HighlightExistsError,
    NotFoundError,
    TooManyHighlightsError,
    UndoExpiredError,
)
from nexus.services.highlights.anchors import RequestedAnchor, resolve
from nexus.services.highlights.records import (
    MAX_QUOTE_CHARS,
    Highlight,
    get_highlight,
    no_such_highlight,
    notify_highlights,
)
from nexus.services.highlights.tagging import set_tags
from nexus.services.highlights.text_search import words_of
from nexus.services.library.library_lock import decide_time, lock_library
from nexus.services.locks import hold_readable
from nexus.services.users import CurrentUser
from nexus.text.characters import storable
from nexus.text.quotes.colors import HighlightColor

MAX_HIGHLIGHTS = 10_000
MAX_QUOTED_CHARS = 10_000_000  # of all highlights of a text: they are sent together

WHERE = text("SELECT media_id FROM highlights WHERE library_id = :library_id AND id = :id")
FIND = text("""
    SELECT id, media_id, quote, note, created_at, deleted_at, place_decided_at, color_decided_at, note_decided_at,
           tags_decided_at, deletion_decided_at, quote = '' AS is_emptied,
           deleted_at < now() - interval '1 hour' AS is_expired
    FROM highlights WHERE library_id = :library_id AND id = :id FOR NO KEY UPDATE
""")
COUNT = text("SELECT highlight_count FROM library_media WHERE library_id = :library_id AND media_id = :media_id")
QUOTED = text("""
    SELECT coalesce(sum(char_length(quote)), 0) FROM highlights
    WHERE library_id = :library_id AND media_id = :media_id AND id <> :id AND deleted_at IS NULL
""")
# One that is new takes part in the round of reviews that is under way.
ADD = text("""
    INSERT INTO highlights (library_id, id, media_id, version, start_fragment, start_offset, end_fragment, end_offset,
                            quote, prefix, suffix, start_ms, color, note, words, state, carried_version, created_at,
                            updated_at, place_decided_at, color_decided_at, note_decided_at, tags_decided_at,
                            deletion_decided_at, review_round)
    VALUES (:library_id, :id, :media_id, :version, :start_fragment, :start_offset, :end_fragment, :end_offset,
            :quote, :prefix, :suffix, :start_ms, :color, :note, CAST(:words AS tsvector), :state, :carried_version,
            :decided_at, greatest(:decided_at, now()), :decided_at, :decided_at, :decided_at, :decided_at, :decided_at,
            coalesce((SELECT review_round FROM highlights
                      WHERE library_id = :library_id AND deleted_at IS NULL ORDER BY review_round LIMIT 1), 0))
""")
MOVE = text("""
    UPDATE highlights
    SET version = :version, start_fragment = :start_fragment, start_offset = :start_offset,
        end_fragment = :end_fragment, end_offset = :end_offset, quote = :quote, prefix = :prefix, suffix = :suffix,
        start_ms = :start_ms, state = :state, carried_version = :carried_version, words = CAST(:words AS tsvector),
        place_decided_at = :decided_at
    WHERE library_id = :library_id AND id = :id
""")
COLOR = text("""
    UPDATE highlights SET color = :color, color_decided_at = :decided_at WHERE library_id = :library_id AND id = :id
""")
NOTE = text("""
    UPDATE highlights SET note = :note, words = CAST(:words AS tsvector), note_decided_at = :decided_at
    WHERE library_id = :library_id AND id = :id
""")
NOTE_TAGS = text("""
    UPDATE highlights SET tags_decided_at = :decided_at WHERE library_id = :library_id AND id = :id
""")
DELETE = text("""
    UPDATE highlights SET deleted_at = now(), deletion_decided_at = :decided_at
    WHERE library_id = :library_id AND id = :id
""")
RESTORE = text("""
    UPDATE highlights SET deleted_at = NULL, deletion_decided_at = :decided_at
    WHERE library_id = :library_id AND id = :id
""")


@dataclass(frozen=True)
class NewHighlight:
    anchor: RequestedAnchor
    color: HighlightColor = "yellow"
    note: str | None = None
    tags: Collection[str] = ()
    id: UUID | None = None  # as the client named it; None: we do
    client_time: datetime | None = None


@dataclass(frozen=True)
class HighlightUpdate:
    """`set`: color and note, where they are given; None leaves the anchor or the tags as they are."""

    set: dict[str, Any] = field(default_factory=dict)
    tags: Collection[str] | None = None
    anchor: RequestedAnchor | None = None
    client_time: datetime | None = None


def create_highlight(session: Session, user: CurrentUser, media_id: UUID, new: NewHighlight) -> Highlight:
    """The same id again is the same highlight."""
    lock_library(session, user)
    found = hold_readable(session, user, media_id)
    highlight_id = new.id or uuid4()
    known = _find(session, user, highlight_id)
    if known is not None:
        return _existing_highlight(session, user, known, found)
    values = {"library_id": user.default_library_id, "id": highlight_id, "media_id": found}
    anchor = resolve(session, found, new.anchor)
    _check_room(session, values, anchor["quote"])
    note = _note(new.note)
    decided_at = decide_time(session, new.client_time)
    facts = {"color": new.color, "note": note, "words": words_of(anchor["quote"], note), "decided_at": decided_at}
    session.execute(ADD, values | anchor | facts)
    if new.tags:
        set_tags(session, user, highlight_id, new.tags)
    notify_highlights(session, user.user_id, found)
    return get_highlight(session, user, highlight_id)


def change_highlight(session: Session, user: CurrentUser, highlight_id: UUID, changes: HighlightUpdate) -> Highlight:
    known = _lock(session, user, highlight_id)
    if known.deleted_at is not None:
        raise no_such_highlight()
    decided_at = decide_time(session, changes.client_time)
    values = {"library_id": user.default_library_id, "id": highlight_id, "decided_at": decided_at}
    quote, note = known.quote, known.note
    given = set(changes.set) | ({"tags"} if changes.tags is not None else set())
    given |= {"place"} if changes.anchor else set()
    counted = {part for part in given if getattr(known, f"{part}_decided_at") <= decided_at}
    if "place" in counted and changes.anchor:
        anchor = resolve(session, known.media_id, changes.anchor)
        quote = anchor["quote"]
        if len(quote) > len(known.quote):
            _check_quoted(session, values | {"media_id": known.media_id}, quote)
        session.execute(MOVE, values | anchor | {"words": words_of(quote, note)})
    if "color" in counted:
        session.execute(COLOR, values | {"color": changes.set["color"]})
    if "note" in counted:
        note = _note(changes.set["note"])
        session.execute(NOTE, values | {"note": note, "words": words_of(quote, note)})
    if "tags" in counted and changes.tags is not None:
        set_tags(session, user, highlight_id, changes.tags)
        session.execute(NOTE_TAGS, values)
    if counted:
        notify_highlights(session, user.user_id, known.media_id)
    return get_highlight(session, user, highlight_id)


def delete_highlight(
    session: Session, user: CurrentUser, highlight_id: UUID, client_time: datetime | None = None
) -> None:
    """Kept for an hour, in which it can be restored. Doing it twice is fine within that time."""
    known = _lock(session, user, highlight_id)
    if known.is_emptied:
        raise no_such_highlight()
    if known.deleted_at is not None:
        return
    decided_at = decide_time(session, client_time)
    if _last_decision(known) > decided_at:
        raise ChangedSinceError("This was changed after you deleted it, on another device, so it was kept.")
    session.execute(DELETE, {"library_id": user.default_library_id, "id": highlight_id, "decided_at": decided_at})
    notify_highlights(session, user.user_id, known.media_id)


def restore_highlight(session: Session, user: CurrentUser, highlight_id: UUID) -> Highlight:
    known = _lock(session, user, highlight_id)
    if known.deleted_at is not None:
        if known.is_expired or known.is_emptied:
            raise UndoExpiredError("This was deleted more than an hour ago and can no longer be restored.")
        values = {"library_id": user.default_library_id, "id": highlight_id, "media_id": known.media_id}
        _check_room(session, values, known.quote)  # others may have been made instead of it
        session.execute(RESTORE, values | {"decided_at": decide_time(session, None)})
        notify_highlights(session, user.user_id, known.media_id)
    return get_highlight(session, user, highlight_id)


def _check_room(session: Session, values: dict[str, Any], quote: str) -> None:
    """For one more. Texts that are joined may have more together: nothing of what was marked is lost by it."""
    count = session.scalar(COUNT, values) or 0
    if count >= MAX_HIGHLIGHTS:
        raise TooManyHighlightsError(
            f"This text has {MAX_HIGHLIGHTS} highlights, which is the limit. Delete one of them first."
        )
    if (count + 1) * MAX_QUOTE_CHARS > MAX_QUOTED_CHARS:  # seldom: then it is worth a look
        _check_quoted(session, values, quote)


def _check_quoted(session: Session, values: dict[str, Any], quote: str) -> None:
    if session.scalars(QUOTED, values).one() + len(quote) > MAX_QUOTED_CHARS:
        raise TooManyHighlightsError(
            f"The highlights of this text would have more than {MAX_QUOTED_CHARS} characters, which is the limit. "
            "Delete one of them first."
        )


def _find(session: Session, user: CurrentUser, highlight_id: UUID) -> Row[Any] | None:
    """Also one that was deleted."""
    return session.execute(FIND, {"library_id": user.default_library_id, "id": highlight_id}).one_or_none()


def _lock(session: Session, user: CurrentUser, highlight_id: UUID) -> Row[Any]:
    """The library, the media, then the highlight: the order of whatever removes or merges a media. It may get another
    media while this waits."""
    lock_library(session, user)
    values = {"library_id": user.default_library_id, "id": highlight_id}
    while True:
        media_id = session.scalar(WHERE, values)
        if media_id is None:
            raise no_such_highlight()
        with suppress(NotFoundError), session.begin_nested() as attempt:  # it was merged away or removed meanwhile
            held = hold_readable(session, user, media_id)
            known = _find(session, user, highlight_id)
            if known is not None and known.media_id == held:
                return known
            attempt.rollback()


def _existing_highlight(session: Session, user: CurrentUser, known: Row[Any], media_id: UUID) -> Highlight:
    if known.deleted_at is not None:
        raise HighlightDeletedError("This highlight has been deleted, so it was not created again.")
    if known.media_id != media_id:
        raise HighlightExistsError("A highlight of another text already has this id; use another id.")
    return get_highlight(session, user, known.id)


def _last_decision(known: Row[Any]) -> datetime:
    times: list[datetime] = [
        known.place_decided_at,
        known.color_decided_at,
        known.note_decided_at,
        known.tags_decided_at,
        known.deletion_decided_at,
    ]
    return max(times)


def _note(typed: str | None) -> str | None:
    return (storable(typed).strip() or None) if typed is not None else None
