"""Tells Celery of what is due, after it was committed and never inside a request; tells again what nobody claimed."""

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
from nexus.services.lifecycle import requeue_lost_items
from nexus.services.outbox import Message, mark_unpublished, take_messages
from nexus.services.search.index import index_waiting
from nexus.worker.heartbeat import Heartbeat
from nexus.worker.held_claims import HeldClaims

log = get_logger(__name__)

AT_ONCE = 50
AGAIN_SECONDS = 30.0
# Longer than the broker time-outs of celery.py; a broker that holds us longer is left behind with its connection.
PUBLISH_SECONDS = 15.0


class CeleryPublisher:
    def __init__(
        self,
        settings: Settings,
        database: Database,
        *,
        again_seconds: float = AGAIN_SECONDS,
        publish_seconds: float = PUBLISH_SECONDS,
    ) -> None:
        self._settings = settings
        self._database = database
        self._again_seconds = again_seconds
        self._publish_seconds = publish_seconds
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
        self._app = celery_from(settings, publishes_only=True)
        self._connection: Any = None

    def stop(self, *, at_once: bool = False) -> None:  # noqa: ARG002 - it has nothing in hand that could take long
        self._stopping.set()
        self._wake.set()

    def run(self, *, once: bool = False, drain: bool = False) -> None:
        """Until told to stop; with `once`, for one batch; with `drain`, until everything that is due was told."""
        log.info("relay started", relay=str(self._id))
        self._heartbeat.start()
        self._listener.start()
        try:
            while not self._stopping.is_set():
                self._wake.clear()
                more = self._round(self._settings.worker_batch_size if once else AT_ONCE)
                if once or (drain and not more):
                    break
                if not more:
                    self._wake.wait(min(self._settings.worker_poll_seconds, self._again_seconds))
        finally:
            self._leave()
        log.info("relay stopped", relay=str(self._id))

    def _round(self, limit: int) -> bool:
        """Whether there is more of it already."""
        try:
            with self._database.transaction() as session:
                requeue_lost_items(session, stale_minutes=self._settings.worker_stale_minutes)
            with self._database.transaction() as session:
                more_to_index = index_waiting(session)
            with self._database.transaction() as session:
                messages = take_messages(session, limit=limit, again_seconds=self._again_seconds)
            if messages and not self._publish(messages):
                with self._database.transaction() as session:
                    mark_unpublished(session, messages)
                self._stopping.wait(self._settings.worker_poll_seconds)
                return False
        except (SQLAlchemyError, EmbeddedDatabaseError) as error:
            log.warning("the database is not available; trying again", reason=str(error).splitlines()[0])
            return False
        return more_to_index or len(messages) == limit

    def _publish(self, messages: Sequence[Message]) -> bool:
        """In a thread that can be left behind: a frozen broker holds it, not us."""
        sent = threading.Event()
        failures: list[str] = []
        # Our own, not of kombu's pool: that is one for the whole process, and once closed it stays so.
        connection = self._connection or self._app.connection_for_write()
        self._connection = None
        arguments = (self._app, connection, messages, sent.set, failures.append)
        thread = threading.Thread(target=_send, args=arguments, name="publish", daemon=True)
        thread.start()
        give_up = time.monotonic() + self._publish_seconds
        while thread.is_alive() and time.monotonic() < give_up and not self._stopping.is_set():
            thread.join(0.2)
        if sent.is_set():
            self._connection = connection
            return True
        log.warning("the broker does not take messages; trying again", reason=failures or "it does not answer")
        return False

    def _leave(self) -> None:
        self._listener.stop()
        self._heartbeat.stop()
        if self._connection:
            self._connection.collect(socket_timeout=1)
        try:
            with self._database.transaction() as session:
                workers.sign_out(session, self._id)
        except (SQLAlchemyError, EmbeddedDatabaseError) as error:
            log.warning("could not sign out", reason=str(error).splitlines()[0])


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
    except Exception as error:  # noqa: BLE001 - each broker has errors of its own; all mean: not sent
        failed(f"{type(error).__name__}: {error}")
        connection.collect(socket_timeout=1)
