"""The queue of pictures: claim, renew, settle. All times are the database's."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import Connection, text
from sqlalchemy.orm import Session

from nexus.db.claim_columns import UNCLAIMED
from nexus.services.link_hosts import host_of_column
from nexus.store import Blob, keep_blob

# What a claim looks at, so that it costs little however many users and pictures wait: so many users at once, of each so
# many due pictures, and more users only while it has not found enough.
USERS_PER_QUERY = 20
MAX_USERS = 100
MAX_SCANNED = 200
# Between one attempt and the next: a site that is down for days does not cost its pictures.
PAUSES = (60.0, 300.0, 1800.0, 7200.0, 43_200.0, 86_400.0, 172_800.0)
MAX_ATTEMPTS = len(PAUSES) + 1
# A picture that takes its worker down is not tried for ever.
MAX_CLAIMS = 2 * MAX_ATTEMPTS
# What a setting refuses is looked at again after this time.
REFUSED_SECONDS = 86_400.0
# A picture of the same address, fetched a short time ago for another media, is not fetched again.
SAME_PICTURE = "interval '7 days'"

NO_USER = UUID(int=0)

GoneReason = Literal["http_404", "http_410", "unreachable"]
RefusedReason = Literal["not_an_image", "image_too_large", "blocked_address", "too_many", "no_room"]

HOST_OF_URL = host_of_column("url")
# Users with due pictures in the order of their ids, from the one after :after on and around.
NEXT_USERS = text("""
    WITH RECURSIVE ahead AS (
        (SELECT queue_user_id AS id FROM media_images WHERE due_at IS NOT NULL AND queue_user_id > :after
         ORDER BY queue_user_id LIMIT 1)
        UNION ALL
        SELECT (SELECT queue_user_id FROM media_images WHERE due_at IS NOT NULL AND queue_user_id > ahead.id
                ORDER BY queue_user_id LIMIT 1)
        FROM ahead WHERE ahead.id IS NOT NULL
    ), behind AS (
        (SELECT queue_user_id AS id FROM media_images WHERE due_at IS NOT NULL ORDER BY queue_user_id LIMIT 1)
        UNION ALL
        SELECT (SELECT queue_user_id FROM media_images WHERE due_at IS NOT NULL AND queue_user_id > behind.id
                ORDER BY queue_user_id LIMIT 1)
        FROM behind WHERE behind.id < :after
    )
    SELECT id FROM (SELECT id FROM ahead UNION ALL SELECT id FROM behind WHERE id <= :after) AS waiting
    WHERE EXISTS (SELECT FROM media_images WHERE queue_user_id = waiting.id AND due_at <= now() OFFSET 0)
      AND :user_share > (SELECT count(*) FROM media_images WHERE claimed_by = :worker_id AND queue_user_id = waiting.id)
    LIMIT :max_users
""")
# Fair: a user's turn is the number of their pictures that this worker holds plus the position in their own queue, in
# which the newest come first (somebody is just reading them) and a card's picture before those of its text; those with
# the same turn in the order of `:users`. Leases that ran out are due again. Of several media with the same picture one
# is claimed. OFFSET 0: looked up for each picture, of which the first few are enough.
CLAIM = text(
    """
    WITH waiting AS (
        SELECT id, user_number FROM unnest(CAST(:users AS uuid[])) WITH ORDINALITY AS users (id, user_number)
    ), held AS (
        SELECT queue_user_id, count(*) AS pictures FROM media_images WHERE claimed_by = :worker_id
        GROUP BY queue_user_id
    ), candidates AS (
        SELECT head.*, user_number, coalesce(held.pictures, 0) + head.queue_position AS turn
        FROM waiting LEFT JOIN held ON held.queue_user_id = waiting.id
        CROSS JOIN LATERAL (
            SELECT *, row_number() OVER (ORDER BY due_at DESC, position, url_key) AS queue_position FROM (
                SELECT * FROM (
                    SELECT url_key, media_id, due_at, position, HOST_OF_URL AS host FROM media_images
                    WHERE queue_user_id = waiting.id AND due_at <= now()
                      AND (lease_until IS NULL OR lease_until <= now())
                    ORDER BY due_at DESC, position LIMIT :max_scanned
                ) AS due
                WHERE (SELECT count(*) FROM unnest(CAST(:hosts AS text[])) AS busy WHERE busy = host) < :host_share
                  AND EXISTS (SELECT FROM media
                              WHERE id = due.media_id AND processing_status = 'ready_for_reading' OFFSET 0)
                  AND NOT EXISTS (SELECT FROM media_images AS same
                                  WHERE same.url_key = due.url_key AND same.lease_until > now() OFFSET 0)
                ORDER BY due_at DESC, position LIMIT 4 * :limit + 20
            ) AS first
        ) AS head
    ), pictures AS (
        SELECT DISTINCT ON (url_key) * FROM candidates ORDER BY url_key, turn, media_id
    ), ranked AS (
        SELECT *, row_number() OVER (PARTITION BY host ORDER BY turn, user_number, queue_position)
                  + (SELECT count(*) FROM unnest(CAST(:hosts AS text[])) AS busy WHERE busy = host) AS host_position
        FROM pictures
    ), chosen AS (
        SELECT media_images.url_key, media_images.media_id FROM ranked JOIN media_images USING (url_key, media_id)
        WHERE host_position <= :host_share AND turn <= :user_share
          AND media_images.due_at <= now() AND (media_images.lease_until IS NULL OR media_images.lease_until <= now())
        ORDER BY turn, user_number, queue_position LIMIT :limit
        FOR UPDATE OF media_images SKIP LOCKED
    )
    UPDATE media_images SET attempts = attempts + 1, claimed_by = :worker_id, claimed_at = clock_timestamp(),
           lease_until = now() + make_interval(secs => :lease_seconds)
    FROM chosen WHERE media_images.url_key = chosen.url_key AND media_images.media_id = chosen.media_id
    RETURNING media_images.url_key, media_images.media_id, media_images.url, media_images.user_id,
              media_images.attempts, media_images.claimed_by, media_images.claimed_at, HOST_OF_URL AS host
""".replace("HOST_OF_URL", HOST_OF_URL)
)
# A row that is locked is just being settled, so its lease no longer matters.
RENEW = text("""
    WITH kept AS (
        SELECT url_key, media_id FROM media_images WHERE claimed_by = :worker_id AND url_key = ANY(:keys)
        ORDER BY media_id FOR UPDATE SKIP LOCKED
    )
    UPDATE media_images SET lease_until = now() + make_interval(secs => :lease_seconds)
    FROM kept WHERE media_images.url_key = kept.url_key AND media_images.media_id = kept.media_id
""")
PASSES_FENCE = "media_id = :media_id AND claimed_by = :claimed_by AND claimed_at = :claimed_at"
# The same picture in other media is settled with it, so that its site is asked once. Locked in one order.
ROWS_OF_PICTURE = f"""
    WITH own AS (
        SELECT count(*) AS claims FROM media_images WHERE url_key = :url_key AND {PASSES_FENCE}
    ), picture AS (
        SELECT media_images.url_key, media_images.media_id FROM media_images, own
        WHERE url_key = :url_key AND (state = 'pending' OR media_id = :media_id)
          AND CASE WHEN :fenced THEN own.claims = 1 AND due_at IS NOT NULL ELSE state <> 'kept' END
        ORDER BY media_id FOR UPDATE OF media_images
    )
"""  # noqa: S608 - our own constants
OF_PICTURE = "FROM picture WHERE media_images.url_key = picture.url_key AND media_images.media_id = picture.media_id"
# Without a fence: whoever fetched it, it is the picture, and nobody who has it should fetch it again.
KEEP = text(f"""{ROWS_OF_PICTURE}
    UPDATE media_images SET state = 'kept', reason = NULL, due_at = NULL, settled_at = now(), {UNCLAIMED},
           sha256 = :sha256, size = :size, content_type = :content_type, width = :width, height = :height
    {OF_PICTURE}
""")  # noqa: S608
GIVE_UP = text(f"""{ROWS_OF_PICTURE}
    UPDATE media_images SET state = :state, reason = :reason, due_at = NULL, settled_at = now(), {UNCLAIMED}
    {OF_PICTURE}
""")  # noqa: S608
TRY_LATER = text(f"""{ROWS_OF_PICTURE}
    UPDATE media_images SET due_at = now() + make_interval(secs => :seconds), attempts = :attempts, {UNCLAIMED}
    {OF_PICTURE}
""")  # noqa: S608
REFUSE_FOR_NOW = text(f"""
    UPDATE media_images SET state = 'refused', reason = :reason, attempts = 0, settled_at = now(),
           due_at = now() + make_interval(secs => :seconds), {UNCLAIMED}
    WHERE url_key = :url_key AND {PASSES_FENCE}
    RETURNING media_id
""")  # noqa: S608
# The others that the same setting refuses, at once: not one claim for each of them every day.
REFUSE_OTHERS = """
    UPDATE media_images SET state = 'refused', reason = :reason, attempts = 0, settled_at = now(),
           due_at = now() + make_interval(secs => :seconds)
    WHERE (url_key, media_id) IN (
        SELECT url_key, media_id FROM media_images
        WHERE {} AND due_at <= now() AND claimed_by IS NULL LIMIT 5000 FOR UPDATE SKIP LOCKED)
"""
REFUSE_OTHERS_OF = {
    "too_many": text(REFUSE_OTHERS.format("media_id = :media_id")),
    "no_room": text(REFUSE_OTHERS.format("queue_user_id = :queue_user_id")),
}
RELEASE = text(f"""
    UPDATE media_images SET attempts = greatest(attempts - 1, 0),
           due_at = CASE WHEN :seconds = 0 THEN due_at ELSE now() + make_interval(secs => :seconds) END, {UNCLAIMED}
    WHERE url_key = :url_key AND {PASSES_FENCE}
""")  # noqa: S608
# A site asked for a pause: the user's other pictures of that site wait too, and take no scan of the queue meanwhile.
POSTPONE_HOST = text(f"""
    UPDATE media_images SET due_at = now() + make_interval(secs => :seconds)
    WHERE (url_key, media_id) IN (
        SELECT url_key, media_id FROM media_images
        WHERE queue_user_id = :queue_user_id AND due_at <= now() AND claimed_by IS NULL AND {HOST_OF_URL} = :host
        LIMIT 5000 FOR UPDATE SKIP LOCKED)
""")  # noqa: S608
KEPT_ELSEWHERE = text(f"""
    SELECT sha256, size, content_type, width, height FROM media_images
    WHERE url_key = :url_key AND state = 'kept' AND (:any_age OR settled_at > now() - {SAME_PICTURE})
      AND EXISTS (SELECT FROM blobs WHERE blobs.sha256 = media_images.sha256 AND problem IS NULL)
    ORDER BY settled_at DESC LIMIT 1
""")  # noqa: S608
# With those that were claimed before this one and may be kept.
KEPT_OF_MEDIA = text("""
    SELECT count(*) FROM media_images WHERE media_id = :media_id
      AND (state = 'kept' OR lease_until > now() AND (claimed_at, url_key) < (:claimed_at, :url_key))
""")
BYTES_OF_USER = text("""
    SELECT coalesce(sum(size), 0) FROM (
        SELECT DISTINCT sha256, size FROM media_images WHERE user_id = :user_id AND sha256 IS NOT NULL) AS pictures
""")
COUNTS = text("SELECT state, count(*) AS number FROM media_images GROUP BY state")


@dataclass(frozen=True)
class PictureClaim:
    """A worker's right to fetch one picture; the worker and the time are the fence."""

    url_key: bytes
    media_id: UUID
    url: str
    user_id: UUID | None  # on whose account it is kept
    attempts: int
    claimed_by: UUID
    claimed_at: datetime
    host: str | None

    def key(self) -> dict[str, Any]:
        return {
            "url_key": self.url_key, "media_id": self.media_id,
            "claimed_by": self.claimed_by, "claimed_at": self.claimed_at,
        }  # fmt: skip


@dataclass(frozen=True)
class KeptFacts:
    blob: Blob
    content_type: str
    width: int
    height: int


@dataclass
class PictureWorker:
    """With the user whom it served last: the turn of those after that one has come."""

    id: UUID
    after: UUID = NO_USER


def claim_pictures(
    session: Session, worker: PictureWorker, *, limit: int, lease_seconds: float, user_share: int, host_share: int,
    hosts: Sequence[str] = (),
) -> list[PictureClaim]:  # fmt: skip
    """Up to `limit` due pictures; `hosts` are those that this worker asks at the moment, each as often as it does."""
    values = {"worker_id": worker.id, "user_share": user_share}
    asked = values | {"after": worker.after, "max_users": MAX_USERS}
    users: list[UUID] = list(session.scalars(NEXT_USERS, asked))
    values |= {"lease_seconds": lease_seconds, "host_share": host_share, "max_scanned": MAX_SCANNED}
    claims: list[PictureClaim] = []
    for start in range(0, len(users), USERS_PER_QUERY):
        busy = [*hosts, *(claim.host for claim in claims if claim.host)]
        chosen = {"users": users[start : start + USERS_PER_QUERY], "limit": limit - len(claims), "hosts": busy}
        claims += [PictureClaim(*row) for row in session.execute(CLAIM, values | chosen)]
        if len(claims) == limit:
            break
    if users:
        served = {claim.user_id or NO_USER for claim in claims} or {users[-1]}
        worker.after = max(served, key=users.index)
    return claims


def renew_pictures(session: Session, claims: Sequence[PictureClaim], *, worker_id: UUID, lease_seconds: float) -> None:
    keys = [claim.url_key for claim in claims]
    session.execute(RENEW, {"worker_id": worker_id, "keys": keys, "lease_seconds": lease_seconds})


def keep_picture(session: Session, claim: PictureClaim, kept: KeptFacts) -> None:
    keep_blob(session, kept.blob)
    facts = {"content_type": kept.content_type, "width": kept.width, "height": kept.height}
    session.execute(KEEP, claim.key() | facts | kept.blob._asdict() | {"fenced": False})


def give_up_picture(
    session: Session, claim: PictureClaim, state: Literal["gone", "refused"], reason: GoneReason | RefusedReason
) -> None:
    """Where its site has it no more, an older copy is better than none."""
    if state == "gone" and (known := known_picture(session, claim, any_age=True)):
        keep_picture(session, claim, known)
        return
    session.execute(GIVE_UP, claim.key() | {"state": state, "reason": reason, "fenced": True})


def try_picture_later(session: Session, claim: PictureClaim, *, at_least_seconds: float = 0.0) -> None:
    """After a pause that grows with the attempts; after the last attempt it counts as gone."""
    if claim.attempts >= MAX_ATTEMPTS:
        give_up_picture(session, claim, "gone", "unreachable")
        return
    seconds = max(PAUSES[claim.attempts - 1], at_least_seconds)
    session.execute(TRY_LATER, claim.key() | {"seconds": seconds, "attempts": claim.attempts, "fenced": True})


def refuse_picture_for_now(
    session: Session, claim: PictureClaim, reason: Literal["too_many", "no_room"], *, with_others: bool = False
) -> None:
    """`with_others`: all that are due of its media (`too_many`) or its user (`no_room`)."""
    values = {"reason": reason, "seconds": REFUSED_SECONDS}
    refused = session.execute(REFUSE_FOR_NOW, claim.key() | values)
    if with_others and refused.first():
        of = {"media_id": claim.media_id} if reason == "too_many" else {"queue_user_id": claim.user_id or NO_USER}
        session.execute(REFUSE_OTHERS_OF[reason], values | of)


def release_picture(session: Session, claim: PictureClaim, *, seconds: float = 0.0) -> None:
    """As if it had not been claimed, due after `seconds`."""
    session.execute(RELEASE, claim.key() | {"seconds": seconds})


def postpone_host(session: Session, claim: PictureClaim, *, seconds: float) -> None:
    release_picture(session, claim, seconds=seconds)
    values = {"queue_user_id": claim.user_id or NO_USER, "host": claim.host, "seconds": seconds}
    session.execute(POSTPONE_HOST, values)


def known_picture(session: Session, claim: PictureClaim, *, any_age: bool = False) -> KeptFacts | None:
    """The picture that was kept for another media with the same URL, recently or at any time."""
    row = session.execute(KEPT_ELSEWHERE, {"url_key": claim.url_key, "any_age": any_age}).one_or_none()
    return KeptFacts(Blob(row.sha256, row.size), row.content_type, row.width, row.height) if row else None


def count_kept(session: Session, claim: PictureClaim) -> int:
    """How many pictures of the claim's media are kept, with those that other claims are about to keep."""
    return int(session.execute(KEPT_OF_MEDIA, claim.key()).scalar_one())


def bytes_of_user(session: Session, user_id: UUID) -> int:
    """How many bytes the pictures have that are kept on this user's account, each counted once."""
    return int(session.execute(BYTES_OF_USER, {"user_id": user_id}).scalar_one())


def count_pictures(session: Session | Connection) -> dict[str, int]:
    """By state, of all users."""
    found: dict[str, int] = {row.state: row.number for row in session.execute(COUNTS)}
    return {"pending": 0, "kept": 0, "gone": 0, "refused": 0} | found
