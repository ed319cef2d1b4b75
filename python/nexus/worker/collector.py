"""Removes unreferenced blobs from the store, every day, in small steps."""

import time
from datetime import timedelta
from typing import ClassVar

from nexus.errors import StoreBusyError
from nexus.store import BlobStore
from nexus.store.collect import collect_some
from nexus.store.collection_runs import is_due
from nexus.worker.background import BackgroundTask

GRACE = timedelta(days=1)
STEP_SECONDS = 2.0
# Pause between two checks whether a run is due, and while a backup or another worker has locked the store.
POLL_SECONDS = 60.0


class Collector(BackgroundTask):
    """Workers share one run, whose progress is in a row, so another worker continues when one is killed."""

    name: ClassVar[str] = "collection"

    def __init__(
        self, store: BlobStore, *, every: timedelta, grace: timedelta = GRACE, seconds: float = STEP_SECONDS
    ) -> None:
        self._store = store
        self._every = every
        self._grace = grace
        self._seconds = seconds
        self._next_poll = float("-inf")

    def step(self) -> bool:
        if time.monotonic() < self._next_poll:
            return False
        with self._store.database.transaction() as session:
            due = is_due(session, self._every)
        try:
            goes_on = due and collect_some(self._store, every=self._every, grace=self._grace, seconds=self._seconds)
        except StoreBusyError:
            goes_on = False
        if not goes_on:
            self._next_poll = time.monotonic() + POLL_SECONDS
        return goes_on
