"""LISTEN on a connection of its own: rings when PostgreSQL says so, and after every time it could not hear."""

import threading
from collections.abc import Callable

import psycopg
from psycopg import sql

from nexus.db.session import Database
from nexus.errors import EmbeddedDatabaseError
from nexus.logging import get_logger

log = get_logger(__name__)

POLL_SECONDS = 1.0
PAUSE_SECONDS = 1.0
# A half-open connection says nothing at all; a question finds out.
CHECK_SECONDS = 20


class Listener:
    """Only a doorbell: who relies on it polls as well."""

    def __init__(self, database: Database, channel: str, ring: Callable[[], None]) -> None:
        self._database = database
        self._channel = channel
        self._ring = ring
        self._leaving = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"bell-{channel}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._leaving.set()

    def _run(self) -> None:
        while not self._leaving.is_set():
            try:
                self._listen()
            except (psycopg.Error, EmbeddedDatabaseError, OSError) as error:
                log.debug("not listening; polling meanwhile", reason=str(error).splitlines()[:1])
                self._leaving.wait(PAUSE_SECONDS)

    def _listen(self) -> None:
        with self._database.connect_apart() as connection:
            connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(self._channel)))
            self._ring()  # something may have happened while nobody listened
            silent = 0.0
            while not self._leaving.is_set():
                if any(True for _ in connection.notifies(timeout=POLL_SECONDS, stop_after=1)):
                    silent = 0.0
                    self._ring()
                    continue
                silent += POLL_SECONDS
                if silent >= CHECK_SECONDS:
                    silent = 0.0
                    connection.execute("SELECT")
