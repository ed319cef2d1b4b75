"""Publishes due items to Celery, after their commit and outside of requests, and again those that were not claimed."""

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any
from uuid import uuid4

from celery import Celery
from sqlalchemy.exc import SQLAlchemyError

from nexus.celery import CELERY_QUEUE, INGEST_WEB_ARTICLE, celery_from
from nexus.config import Settings
from nexus.db.channels import QUEUE
from nexus.db.listener import Listener
from nexus.db.session import Database
from nexus.errors import EmbeddedDatabaseError
from nexus.logging import get_logger
from nexus.services import workers
from nexus.services.lifecycle import are_items_due, requeue_lost_items
from nexus.services.outbox import Message, mark_unpublished, take_messages
from nexus.system.error_text import first_line
from nexus.worker.background import Background
from nexus.worker.heartbeat import Heartbeat
from nexus.worker.held_claims import HeldClaims

log = get_logger(__name__)

BATCH_SIZE = 50
AGAIN_SECONDS = 30.0
# Longer than the broker timeouts of celery.py; after that the sending thread and its connection are abandoned.
PUBLISH_SECONDS = 15.0
BACKGROUND_FINISH_SECONDS = 3.0


class CeleryPublisher:
    def __init__(
        self,
        settings: Settings,
        database: Database,
        *,
        again_seconds: float = AGAIN_SECONDS,
        publish_seconds: float = PUBLISH_SECONDS,
        background: Background | None = None,
    ) -> None:
        self._settings = settings
        self._database = database
        self._again_seconds = again_seconds
        self._publish_seconds = publish_seconds
        self._background = background or Background()
        self._id = uuid4()
        self._stopping = threading.Event()
        self._wake = threading.Event()
        self._listener = Listener(database, QUEUE, on_connect=self._wake.set, on_notify=lambda _: self._wake.set())
        self._heartbeat = Heartbeat(
            database,
            self._id,
            HeldClaims(0),
            lease_seconds=settings.worker_lease_seconds,
            engine="relay",
            can_render=False,
        )
        self._heartbeat.also_renew(self._background.renew_leases)
        self._app = celery_from(settings, publishes_only=True)
        self._connection: Any = None

    def stop(self, *, at_once: bool = False) -> None:  # noqa: ARG002 - it holds no claim that could take long
        self._stopping.set()
        self._wake.set()

    def run(self, *, once: bool = False, drain: bool = False) -> None:
        """Publish until `stop`; with `once`, one batch; with `drain`, until all due items have been published."""
        log.info("celery publisher started", publisher=str(self._id))
        self._heartbeat.start()
        self._listener.start()
        ends = once or drain
        self._background.start(lambda: not ends and not self._are_items_due())
        try:
            while not self._stopping.is_set():
                self._wake.clear()
                more = self._publish_batch(self._settings.worker_batch_size if once else BATCH_SIZE)
                if once or (drain and not more):
                    break
                if not more:
                    self._wake.wait(min(self._settings.worker_poll_seconds, self._again_seconds))
            if ends and not self._stopping.is_set() and not self._are_items_due():
                self._background.drain(self._stopping.is_set)
        finally:
            self._shut_down()
        log.info("celery publisher stopped", publisher=str(self._id))

    def _are_items_due(self) -> bool:
        """While they are, background work waits, because Celery's workers may run on this machine."""
        try:
            with self._database.transaction() as session:
                return are_items_due(session)
        except (SQLAlchemyError, EmbeddedDatabaseError):
            return True  # the publisher logs it

    def _publish_batch(self, limit: int) -> bool:
        """True if more items may be due."""
        try:
            with self._database.transaction() as session:
                requeue_lost_items(session, stale_minutes=self._settings.worker_stale_minutes)
            with self._database.transaction() as session:
                messages = take_messages(session, limit=limit, again_seconds=self._again_seconds)
            if messages and not self._publish(messages):
                with self._database.transaction() as session:
                    mark_unpublished(session, messages)
                self._stopping.wait(self._settings.worker_poll_seconds)
                return False
        except (SQLAlchemyError, EmbeddedDatabaseError) as error:
            log.warning("the database is not available", reason=first_line(error))
            return False
        return len(messages) == limit

    def _publish(self, messages: Sequence[Message]) -> bool:
        """Send in a thread that can be abandoned, because a broker that hangs would block it."""
        sent = threading.Event()
        failures: list[str] = []
        # Not from kombu's pool: a process has only one, which cannot be used again after it was closed.
        connection = self._connection or self._app.connection_for_write()
        self._connection = None
        arguments = (self._app, connection, messages, sent.set, failures.append)
        thread = threading.Thread(target=_send, args=arguments, name="publish", daemon=True)
        thread.start()
        deadline = time.monotonic() + self._publish_seconds
        while thread.is_alive() and time.monotonic() < deadline and not self._stopping.is_set():
            thread.join(0.2)
        if sent.is_set():
            self._connection = connection
            return True
        log.warning("the broker does not take messages; trying again", reason=failures or "it does not respond")
        return False

    def _shut_down(self) -> None:
        self._listener.stop()
        self._background.stop(BACKGROUND_FINISH_SECONDS)
        self._heartbeat.stop()
        if self._connection:
            self._connection.collect(socket_timeout=1)
        try:
            with self._database.transaction() as session:
                workers.unregister(session, self._id)
        except (SQLAlchemyError, EmbeddedDatabaseError) as error:
            log.warning("could not unregister", reason=first_line(error))


def _send(
    app: Celery,
    connection: Any,  # kombu has no types
    messages: Sequence[Message],
    sent: Callable[[], None],
    failed: Callable[[str], None],
) -> None:
    try:
        with connection.channel() as channel:
            producer = app.amqp.Producer(channel)
            for message in messages:
                app.send_task(
                    INGEST_WEB_ARTICLE,
                    args=[str(message.media_id), str(message.user_id)],
                    kwargs={"request_id": message.request_id},
                    queue=CELERY_QUEUE,
                    producer=producer,
                    retry=False,
                )
        sent()
    except Exception as error:  # noqa: BLE001 - each broker has its own errors; all mean that nothing was sent
        failed(f"{type(error).__name__}: {error}")
        connection.collect(socket_timeout=1)
