"""The tasks that a worker does in the background, made from the settings."""

from collections.abc import Iterator
from contextlib import contextmanager

from nexus.config import Settings
from nexus.db.session import Database
from nexus.worker.background import Background


@contextmanager
def open_background(settings: Settings, database: Database) -> Iterator[Background]:  # noqa: ARG001 - no task yet
    yield Background(poll_seconds=settings.worker_poll_seconds)
