"""LISTEN on a connection and a thread of its own, which connects again when the connection is lost."""

import threading
from collections.abc import Callable

import psycopg
from psycopg import sql
from sqlalchemy.exc import SQLAlchemyError

from nexus.db.session import Database
from nexus.errors import EmbeddedDatabaseError
from nexus.logging import get_logger
from nexus.system.error_text import first_line

log = get_logger(__name__)

POLL_SECONDS = 0.5  # how soon the thread notices that it is to end
# A half-open connection only stays silent; a statement finds out.
CHECK_SECONDS = 5.0
MIN_PAUSE_SECONDS = 0.1
MAX_PAUSE_SECONDS = 5.0


class Listener:
    """Notifications are hints: callers also poll, or start over after `on_lost`.

    `on_connect` is called whenever the channel is listened to again, since something may have happened before that.
    `on_notify` gets the payloads of all notifications that have arrived by then; an error of the database in it counts
    as a lost connection. The thread ends after `stop`, or as soon as `is_needed` says no.
    """

    def __init__(
        self,
        database: Database,
        channel: str,
        *,
        on_notify: Callable[[set[str]], None],
        on_connect: Callable[[], None] = lambda: None,
        on_lost: Callable[[], None] = lambda: None,
        is_needed: Callable[[], bool] = lambda: True,
    ) -> None:
        self._database = database
        self._listen = sql.SQL("LISTEN {}").format(sql.Identifier(channel))
        self._on_notify = on_notify
        self._on_connect = on_connect
        self._on_lost = on_lost
        self._is_needed = is_needed
        self._connected = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"listen-{channel}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._connected.set()  # ends every wait for a connection

    def wait_until_connected(self, seconds: float) -> bool:
        return self._connected.wait(seconds) and not self._stopping.is_set()

    def _run(self) -> None:
        pause = MIN_PAUSE_SECONDS
        while self._goes_on():
            try:
                with self._database.connect_apart() as connection:
                    connection.execute(self._listen)
                    self._connected.set()
                    pause = MIN_PAUSE_SECONDS
                    self._on_connect()
                    self._receive(connection)
            except (psycopg.Error, SQLAlchemyError, EmbeddedDatabaseError, OSError) as error:
                self._connected.clear()
                if self._stopping.is_set():  # looked at after the line above, which undoes what stop() has set
                    self._connected.set()
                    return
                reason = first_line(error)
                log.warning("not listening to the database; trying again", reason=reason)
                self._on_lost()
                self._stopping.wait(pause)
                pause = min(2 * pause, MAX_PAUSE_SECONDS)

    def _goes_on(self) -> bool:
        if not self._stopping.is_set() and not self._is_needed():
            self._stopping.set()
        return not self._stopping.is_set()

    def _receive(self, connection: psycopg.Connection) -> None:
        silent = 0.0
        while self._goes_on():
            received = list(connection.notifies(timeout=POLL_SECONDS, stop_after=1))
            if received:
                received += connection.notifies(timeout=0)  # a batch of changes is one call
                self._on_notify({notify.payload for notify in received})
                silent = 0.0
                continue
            silent += POLL_SECONDS
            if silent >= CHECK_SECONDS:
                connection.execute(self._listen)
                silent = 0.0
