"""The tasks that a worker does in the background, made from the settings."""

from collections.abc import Iterator
from contextlib import contextmanager

from nexus.config import Settings
from nexus.db.session import Database
from nexus.store import open_store
from nexus.worker.background import Background
from nexus.worker.original_mover import OriginalMover


@contextmanager
def open_background(settings: Settings, database: Database) -> Iterator[Background]:
    store = open_store(settings, database)
    originals = OriginalMover(database, store, user_bytes=settings.original_bytes_per_user)
    yield Background([originals], poll_seconds=settings.worker_poll_seconds)
