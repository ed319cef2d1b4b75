"""Moves originals from the database into the store, in the background."""

import time
from typing import ClassVar

from nexus.db.session import Database
from nexus.services.originals.pending_originals import (
    WaitingOriginal,
    claim_waiting,
    count_waiting_bytes,
    settle_waiting,
)
from nexus.services.originals.quota import OriginalQuota
from nexus.store import Blob, BlobStore
from nexus.text.originals.original_file import Missing
from nexus.worker.background import BackgroundTask

# How many are held in memory at a time: 34 kB each on average, a few megabytes at most.
BATCH = 8
# Above this a step is urgent: once the limit for waiting originals is reached during a long import, the next ones are
# lost.
URGENT_BYTES = 64 * 1024 * 1024
POLL_SECONDS = 5.0


class OriginalMover(BackgroundTask):
    """If it is killed after a blob was written and before the row refers to it, the original is moved again, to the
    same blob."""

    name: ClassVar[str] = "originals"

    def __init__(self, database: Database, store: BlobStore, *, user_bytes: int) -> None:
        self._database = database
        self._store = store
        self._quota = OriginalQuota(user_bytes)
        self._polled_at = float("-inf")
        self._is_urgent = False

    def is_urgent(self) -> bool:
        if time.monotonic() - self._polled_at > POLL_SECONDS:
            self._polled_at = time.monotonic()
            with self._database.transaction() as session:
                self._is_urgent = count_waiting_bytes(session) > URGENT_BYTES
        return self._is_urgent

    def step(self) -> bool:
        with self._database.transaction() as session:
            claimed = claim_waiting(session, limit=BATCH)
            admitted = [self._quota.admits(session, each.media_id, len(each.content)) for each in claimed]
        done: list[tuple[WaitingOriginal, Blob | Missing]] = []
        try:
            for each, is_admitted in zip(claimed, admitted, strict=True):
                done.append((each, self._store.put(each.content) if is_admitted else "user_full"))
        finally:  # also after an error of the store: rows refer to what it has stored
            if done:
                with self._database.transaction() as session:
                    settle_waiting(session, done)
        return len(claimed) == BATCH
