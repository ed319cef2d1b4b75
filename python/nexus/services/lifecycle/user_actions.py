"""What the person who saved it can do: paste the text, try again, take it off the shelf."""

from dataclasses import dataclass
from uuid import UUID, uuid4

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.errors import NotFoundError, NotWaitingForTextError, RetryExhaustedError, RetryInvalidStateError
from nexus.services.lifecycle.library_entries import remove_entry, replace_entry
from nexus.services.search.index import index_media
from nexus.services.users import CurrentUser
from nexus.text.pasted_text import read_paste, storable

RETRY_LIMIT = 3

# The work first, then the save: the order of every lock here.
FIND_ITEM = text("SELECT media_id FROM items WHERE id = :item_id AND user_id = :user_id")
LOCK_ONE_MEDIA = text("SELECT FROM media WHERE id = :media_id FOR UPDATE")
LOCK_ITEM = text("SELECT media_id, status FROM items WHERE id = :item_id FOR UPDATE")

INSERT_PASTED_MEDIA = text("""
    INSERT INTO media (id, kind, owner_user_id, created_by_user_id, title, excerpt, word_count,
                       processing_status, processing_completed_at)
    VALUES (:media_id, 'pasted_text', :user_id, :user_id, :title, :excerpt, :word_count, 'ready_for_reading', now())
""")
INSERT_FRAGMENT = text("""
    INSERT INTO fragments (media_id, idx, html_sanitized, canonical_text) VALUES (:media_id, 0, :html, :words)
""")
KEEP_PASTE = text("""
    INSERT INTO item_pastes (item_id, user_pasted_text) VALUES (:item_id, :words)
    ON CONFLICT (item_id) DO UPDATE SET user_pasted_text = excluded.user_pasted_text
""")
PASTED = text("""
    UPDATE items SET status = 'succeeded', status_detail = NULL, final_text_source = 'user_pasted_text',
           media_id = :media_id, title = coalesce(title, :title)
    WHERE id = :item_id
""")

# The episode before its work: the order of the podcast runs, one of which may be saving it at this moment.
LOCK_EPISODE = text("SELECT FROM episodes WHERE media_id = :media_id FOR UPDATE")
REMEMBER_REMOVAL = text("""
    INSERT INTO episode_removals (user_id, episode_id) SELECT :user_id, id FROM episodes WHERE media_id = :media_id
    ON CONFLICT DO NOTHING
""")
# Fetches of these items that are queued or under way. Their own media is locked before the media they are for, in the
# order of a worker that closes one.
FETCHES = text("""
    SELECT refetch.media_id FROM items JOIN items AS refetch ON refetch.fetch_again_of = items.id
    WHERE items.user_id = :user_id
      AND items.media_id = coalesce(CAST(:media_id AS uuid), (SELECT media_id FROM items WHERE id = :item_id))
""")
LOCK_MEDIA = text("SELECT FROM media WHERE id = ANY(:ids) ORDER BY id FOR UPDATE")
REMOVE_ITEMS = text("DELETE FROM items WHERE media_id = :media_id AND user_id = :user_id")

# The id may be one under which this user knew a work that was merged away.
READABLE = text("""
    SELECT media.id FROM media
    WHERE media.id = coalesce((SELECT media_id FROM media_aliases
                             WHERE alias_id = :media_id AND user_id = :user_id), :media_id)
      AND EXISTS (SELECT FROM library_media JOIN libraries ON libraries.id = library_media.library_id
                  WHERE library_media.media_id = media.id AND libraries.owner_user_id = :user_id)
""")
MEDIA_STATE = text("SELECT processing_status, processing_attempts FROM media WHERE id = :media_id")
FAILED_ITEM = text("""
    SELECT id FROM items
    WHERE media_id = :media_id AND user_id = :user_id AND status IN ('needs_user_text', 'failed') FOR UPDATE
""")
REQUEUE_MEDIA = text("""
    UPDATE media SET processing_status = 'pending', processing_started_at = NULL, failed_at = NULL,
           failure_stage = NULL
    WHERE id = :media_id
""")
REQUEUE_ITEM = text("""
    UPDATE items SET status = 'queued', status_detail = NULL, due_at = now(), published_at = NULL, losses = 0,
           max_attempts = attempts + 1
    WHERE id = :item_id
""")


@dataclass(frozen=True)
class Retry:
    media_id: UUID
    processing_status: str


def paste_text(session: Session, user: CurrentUser, item_id: UUID, pasted: str) -> None:
    """The save succeeds with the person's own words, as a work that nobody else can see."""
    old_id, status = lock_item(session, user.user_id, item_id)
    if status != "needs_user_text":
        raise NotWaitingForTextError("This save does not wait for text; only one that needs it can take it.")
    page = read_paste(pasted)
    new_id = uuid4()
    values = {"media_id": new_id, "item_id": item_id, "user_id": user.user_id}
    session.execute(
        INSERT_PASTED_MEDIA,
        values | {"title": page.title, "excerpt": page.excerpt, "word_count": page.word_count},
    )
    session.execute(INSERT_FRAGMENT, values | {"html": page.html_sanitized, "words": page.canonical_text})
    index_media(session, [new_id])
    store_paste(session, item_id, storable(pasted))
    replace_entry(session, user.user_id, old_id, new_id)
    session.execute(PASTED, values | {"title": page.title})
    remove_entry(session, user.user_id, old_id, instead=new_id)


def store_paste(session: Session, item_id: UUID, pasted: str) -> None:
    session.execute(KEEP_PASTE, {"item_id": item_id, "words": pasted})


def retry_media(session: Session, user: CurrentUser, media_id: UUID) -> Retry:
    """A failed work goes back into the queue for one more attempt."""
    found = lock_readable(session, user, media_id)
    state = session.execute(MEDIA_STATE, {"media_id": found}).one()
    item_id = session.execute(FAILED_ITEM, {"media_id": found, "user_id": user.user_id}).scalar_one_or_none()
    if state.processing_status != "failed" or item_id is None:
        raise RetryInvalidStateError("Only what failed can be tried again.")
    if state.processing_attempts >= RETRY_LIMIT:
        raise RetryExhaustedError(
            f"This was tried {state.processing_attempts} times. POST /media/{found}/fetch-again tries it once more, as"
            " often as you like; or paste its text."
        )
    session.execute(REQUEUE_MEDIA, {"media_id": found})
    session.execute(REQUEUE_ITEM, {"item_id": item_id})
    return Retry(found, "pending")


def remove_item(session: Session, user: CurrentUser, item_id: UUID) -> None:
    """Off this person's shelf, however often they saved it. A work on nobody's shelf is gone for good."""
    while True:
        with session.begin_nested() as attempt:
            fetches = _lock_fetches(session, user, item_id=item_id)
            media_id, _ = lock_item(session, user.user_id, item_id)
            if _fetches_of(session, user, item_id=item_id) == fetches:
                break
            attempt.rollback()  # one began while we waited
    session.execute(REMOVE_ITEMS, {"media_id": media_id, "user_id": user.user_id})
    remove_entry(session, user.user_id, media_id)


def remove_media(session: Session, user: CurrentUser, media_id: UUID) -> None:
    """The same by the id of the work: an episode came without a save. Later runs leave it away."""
    while True:
        values = {"media_id": _readable(session, user, media_id), "user_id": user.user_id}
        with session.begin_nested() as attempt:
            fetches = _lock_fetches(session, user, media_id=values["media_id"])
            session.execute(LOCK_EPISODE, values)
            is_there = session.execute(LOCK_ONE_MEDIA, values).one_or_none() is not None
            if is_there and _fetches_of(session, user, media_id=values["media_id"]) == fetches:
                break
            attempt.rollback()  # it was merged away, or a fetch began while we waited
    session.execute(REMEMBER_REMOVAL, values)
    session.execute(REMOVE_ITEMS, values)
    remove_entry(session, user.user_id, values["media_id"])


def _fetches_of(
    session: Session, user: CurrentUser, *, item_id: UUID | None = None, media_id: UUID | None = None
) -> set[UUID]:
    values = {"user_id": user.user_id, "item_id": item_id, "media_id": media_id}
    return set(session.scalars(FETCHES, values))


def _lock_fetches(
    session: Session, user: CurrentUser, *, item_id: UUID | None = None, media_id: UUID | None = None
) -> set[UUID]:
    fetches = _fetches_of(session, user, item_id=item_id, media_id=media_id)
    if fetches:
        session.execute(LOCK_MEDIA, {"ids": list(fetches)})
    return fetches


def lock_readable(session: Session, user: CurrentUser, media_id: UUID) -> UUID:
    """The media behind an id, locked; it may be merged away while we wait."""
    while True:
        found = _readable(session, user, media_id)
        if session.execute(LOCK_ONE_MEDIA, {"media_id": found}).one_or_none() is not None:
            return found


def _readable(session: Session, user: CurrentUser, media_id: UUID) -> UUID:
    found: UUID | None = session.scalar(READABLE, {"media_id": media_id, "user_id": user.user_id})
    if found is None:
        raise NotFoundError("There is no such media in your library.")
    return found


def lock_item(session: Session, user_id: UUID, item_id: UUID) -> tuple[UUID, str]:
    """The save and its work, locked; a merge may have given it another work while we waited."""
    while True:
        media_id = session.execute(FIND_ITEM, {"item_id": item_id, "user_id": user_id}).scalar_one_or_none()
        if media_id is None:
            raise NotFoundError("There is no such item in your library.")
        with session.begin_nested() as attempt:
            session.execute(LOCK_ONE_MEDIA, {"media_id": media_id})
            item = session.execute(LOCK_ITEM, {"item_id": item_id}).one_or_none()
            if item is not None and item.media_id == media_id:
                return media_id, item.status
            attempt.rollback()  # with the save locked first, the next round would take its locks the wrong way round
