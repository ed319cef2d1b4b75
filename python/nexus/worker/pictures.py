"""Fetches the pictures of readable texts to keep them, a few at a time. The blob is stored before the row refers to
it."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID, uuid4

from sqlalchemy.orm import Session

from nexus.db.session import Database
from nexus.errors import (
    BlockedAddressError,
    EgressError,
    HostBusyError,
    HostPausedError,
    InvalidUrlError,
    MaxBytesError,
    NotAPictureError,
    PictureTooLargeError,
    ProcessPoolError,
    StoreError,
)
from nexus.logging import get_logger
from nexus.services.pictures import queue
from nexus.services.pictures.cache import PictureCache, with_etag
from nexus.services.pictures.picture import CheckedPicture, check_picture
from nexus.services.pictures.queue import GoneReason, KeptFacts, PictureClaim, RefusedReason
from nexus.services.pictures.request import ERROR_STATUS, request_picture
from nexus.store import BlobStore
from nexus.text.process_pool import ProcessPool
from nexus.web.egress import Egress
from nexus.web.egress.politeness import retry_after
from nexus.web.egress.shares import half_of, three_quarters_of
from nexus.worker.background import BackgroundTask

log = get_logger(__name__)

MAX_FETCHES = 4
USER_SHARE = three_quarters_of(MAX_FETCHES)
HOST_SHARE = half_of(MAX_FETCHES)
CACHE_SECONDS = 60.0  # how long the sum of a user's bytes is cached; what this worker adds meanwhile is counted
MAX_KNOWN_USERS = 10_000
GONE: dict[int, GoneReason] = {404: "http_404", 410: "http_410"}
REFUSED: tuple[tuple[tuple[type[Exception], ...], RefusedReason], ...] = (
    ((BlockedAddressError, InvalidUrlError), "blocked_address"),
    ((MaxBytesError, PictureTooLargeError), "image_too_large"),
    ((NotAPictureError,), "not_an_image"),
)

Settle = Callable[[Session], None]


@dataclass(frozen=True)
class PictureLimits:
    per_media: int
    bytes_per_user: int  # 0: no limit
    pause_seconds: float  # between two requests of one thread


class _FailedStatusError(Exception):
    def __init__(self, status: int, seconds: float) -> None:
        super().__init__(f"status {status}")
        self.status = status
        self.seconds = seconds


class PictureFetcher(BackgroundTask):
    name = "pictures"

    def __init__(
        self,
        database: Database,
        store: BlobStore,
        source: "PictureSource",
        limits: PictureLimits,
        *,
        lease_seconds: float,
        wake: Callable[[], None],
    ) -> None:
        self._database = database
        self._store = store
        self._source = source
        self._limits = limits
        self._lease_seconds = lease_seconds
        self._wake = wake
        self._worker = queue.PictureWorker(uuid4())
        self._held: set[PictureClaim] = set()
        self._changed = threading.Condition()
        self._stopping = threading.Event()
        self._error: Exception | None = None
        self._is_store_in_doubt = False
        self._quota = PictureQuota(limits.bytes_per_user)

    def step(self) -> bool:
        with self._changed:
            error, self._error = self._error, None
            held = list(self._held)
        if error:
            raise error
        # One at a time after an error of the store, so that few pictures are fetched in vain.
        limit = (1 if self._is_store_in_doubt else MAX_FETCHES) - len(held)
        if limit <= 0 or self._stopping.is_set():
            return False
        with self._database.transaction() as session:
            claims = queue.claim_pictures(
                session, self._worker, limit=limit, lease_seconds=self._lease_seconds,
                user_share=USER_SHARE, host_share=HOST_SHARE, hosts=[claim.host for claim in held if claim.host],
            )  # fmt: skip
        with self._changed:
            self._held.update(claims)
        for claim in claims:
            threading.Thread(target=self._work, args=(claim,), name="picture", daemon=True).start()
        return 0 < len(claims) < limit  # else the first thread that ends wakes the next step

    def is_busy(self) -> bool:
        with self._changed:
            return bool(self._held)

    def renew_leases(self, session: Session) -> None:
        with self._changed:
            held = list(self._held)
        if held:
            queue.renew_pictures(session, held, worker_id=self._worker.id, lease_seconds=self._lease_seconds)

    def stop(self, finish_seconds: float) -> None:
        self._stopping.set()
        with self._changed:
            self._changed.wait_for(lambda: not self._held, timeout=finish_seconds)
            rest = list(self._held)
        if rest:
            self._settle(lambda session: _release_all(session, rest))

    def _work(self, claim: PictureClaim) -> None:
        was_requested = False
        try:
            was_requested = self._attempt(claim)
        except Exception:
            log.exception("a picture could not be kept", media=str(claim.media_id))
            self._settle(lambda session: queue.try_picture_later(session, claim))
        finally:
            if was_requested:
                self._stopping.wait(self._limits.pause_seconds)
            with self._changed:
                self._held.discard(claim)
                self._changed.notify_all()
            self._wake()

    def _settle(self, settle: Settle) -> None:
        """If the database is not available the lease runs out, and the picture is claimed again."""
        try:
            with self._database.transaction() as session:
                settle(session)
        except Exception as error:  # noqa: BLE001 - the next step raises it, which pauses the task
            self._pause(error)

    def _pause(self, error: Exception) -> None:
        with self._changed:
            self._error = error

    def _attempt(self, claim: PictureClaim) -> bool:
        """Whether its site was requested."""
        if self._is_settled_without_request(claim):
            return False
        try:
            picture, was_requested = self._source.get(claim.url)
        except Exception as error:  # noqa: BLE001 - `_outcome` raises unknown errors again
            self._settle(_outcome(claim, error))
            return not isinstance(error, HostBusyError | HostPausedError)
        if not self._quota.has_room(claim.user_id, len(picture.data)):
            self._settle(lambda session: queue.refuse_picture_for_now(session, claim, "no_room"))
            return was_requested
        try:
            self._keep(claim, picture)
        except StoreError as error:
            self._is_store_in_doubt = True
            self._source.remember(claim.url, picture)
            self._settle(lambda session: queue.release_picture(session, claim))
            self._pause(error)
        return was_requested

    def _is_settled_without_request(self, claim: PictureClaim) -> bool:
        with self._database.transaction() as session:
            if claim.attempts > queue.MAX_CLAIMS:
                queue.give_up_picture(session, claim, "gone", "unreachable")
            elif queue.count_kept(session, claim) >= self._limits.per_media:
                queue.refuse_picture_for_now(session, claim, "too_many", with_others=True)
            elif not self._quota.has_room(claim.user_id, 1, session):
                queue.refuse_picture_for_now(session, claim, "no_room", with_others=True)
            elif known := queue.known_picture(session, claim):
                queue.keep_picture(session, claim, known)
            else:
                return False
        return True

    def _keep(self, claim: PictureClaim, picture: CheckedPicture) -> None:
        blob = self._store.put(picture.data)
        self._is_store_in_doubt = False
        facts = KeptFacts(blob, picture.content_type, picture.width, picture.height)
        with self._database.transaction() as session:
            queue.keep_picture(session, claim, facts)
        self._quota.add(claim.user_id, blob.size)
        self._source.forget(claim.url)


def _outcome(claim: PictureClaim, error: Exception) -> Settle:
    """What to write for a failed fetch. An error that does not come from the site is raised again."""
    if isinstance(error, HostBusyError | HostPausedError):
        seconds = error.retry_after or 0.0
        return lambda session: queue.postpone_host(session, claim, seconds=seconds)
    if isinstance(error, _FailedStatusError) and error.status in GONE:
        gone = GONE[error.status]
        return lambda session: queue.give_up_picture(session, claim, "gone", gone)
    for kinds, reason in REFUSED:
        if isinstance(error, kinds):
            return lambda session: queue.give_up_picture(session, claim, "refused", reason)
    if isinstance(error, _FailedStatusError | EgressError | ProcessPoolError):
        at_least = error.seconds if isinstance(error, _FailedStatusError) else 0.0
        return lambda session: queue.try_picture_later(session, claim, at_least_seconds=at_least)
    raise error


class PictureSource:
    """Gets a picture from the cache of the picture proxy, if it was shown before it could be kept, else from its
    site."""

    def __init__(self, egress: Egress, checks: ProcessPool, cache: PictureCache) -> None:
        self._egress = egress
        self._checks = checks
        self._cache = cache

    def get(self, url: str) -> tuple[CheckedPicture, bool]:
        """The picture, and whether its site was requested. From the cache pictures are also kept whose site is gone."""
        cached = self._cache.read(url)
        data = cached.picture.data if cached else self._fetch(url)
        return self._checks.run(check_picture, data), cached is None

    def remember(self, url: str, picture: CheckedPicture) -> None:
        """Cache it for the next attempt, so that its site is not requested again because our store was absent."""
        self._cache.write(url, with_etag(picture))

    def forget(self, url: str) -> None:
        self._cache.remove(url)

    def _fetch(self, url: str) -> bytes:
        response = request_picture(self._egress, url)
        if response.status >= ERROR_STATUS:
            raise _FailedStatusError(response.status, retry_after(response.headers) or 0.0)
        return response.body


class PictureQuota:
    """How many bytes of pictures each user may still have."""

    def __init__(self, bytes_per_user: int) -> None:
        self._limit = bytes_per_user
        self._lock = threading.Lock()
        self._known: dict[UUID, tuple[float, int]] = {}

    def has_room(self, user_id: UUID | None, size: int, session: Session | None = None) -> bool:
        """`session`: to read the sum of the user's bytes again if the cached one is old."""
        if not self._limit or user_id is None:
            return True
        with self._lock:
            read_at, used = self._known.get(user_id, (float("-inf"), 0))
        if session and time.monotonic() - read_at > CACHE_SECONDS:
            used = queue.bytes_of_user(session, user_id)
            with self._lock:
                self._known.pop(user_id, None)
                if len(self._known) >= MAX_KNOWN_USERS:
                    del self._known[next(iter(self._known))]  # the oldest
                self._known[user_id] = (time.monotonic(), used)
        return used + size <= self._limit

    def add(self, user_id: UUID | None, size: int) -> None:
        with self._lock:
            if user_id is not None and user_id in self._known:  # the sum of another user has it when it is read
                read_at, used = self._known[user_id]
                self._known[user_id] = (read_at, used + size)


def _release_all(session: Session, claims: list[PictureClaim]) -> None:
    for claim in claims:
        queue.release_picture(session, claim)
