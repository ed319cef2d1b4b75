"""Connections to the database, and the only place that commits."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

import psycopg
from sqlalchemy import URL, Connection, Engine, create_engine, make_url
from sqlalchemy.orm import Session

from nexus.config import Settings
from nexus.db.embedded import EmbeddedServer

ENGINE: dict[str, Any] = {
    "pool_size": 10,
    "max_overflow": 20,
    "pool_timeout": 10,
    "pool_pre_ping": True,
    "pool_recycle": 1800,
    "hide_parameters": True,  # they are what users save, which error messages must not repeat
}
CONNECTION = {
    "application_name": "nexus",
    "connect_timeout": 5,
    # No request and no worker may hold a row or a connection for ever. No JIT: all queries here are short, and beside a
    # long queue saving took 2.6 times as long with it, 1.05 times without (bench.shares).
    "options": "-c statement_timeout=30s -c idle_in_transaction_session_timeout=60s -c timezone=UTC -c jit=off",
}
# So that the kernel notices a peer that vanished (a pulled cable, a firewall that dropped the connection).
KEEPALIVE = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": 20_000}


class Database:
    """One engine per process: on DATABASE_URL if that is set, else on the embedded server."""

    def __init__(self, settings: Settings) -> None:
        self.embedded: EmbeddedServer | None = None
        if settings.database_url:
            self.url = make_url(settings.database_url)
            self.engine = create_engine(self.url, connect_args=CONNECTION, **ENGINE)
            return
        self.embedded = EmbeddedServer(settings.data_dir)
        self.embedded.start()
        self.url = _url(self.embedded.connect_arguments())
        connect = self.embedded.connect
        self.engine = create_engine(self.url, creator=lambda: connect(**CONNECTION), **ENGINE)

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """Services flush; leaving this block commits, and an exception rolls everything back."""
        with Session(self.engine, expire_on_commit=False) as session, session.begin():
            yield session

    def connect_apart(self) -> psycopg.Connection[Any]:
        """A connection outside the pool and outside transactions, for LISTEN."""
        options: dict[str, Any] = CONNECTION | KEEPALIVE | {"autocommit": True}
        if self.embedded:
            return self.embedded.connect(**options)
        url = self.url.set(drivername="postgresql").render_as_string(hide_password=False)
        return psycopg.connect(url, **options)

    def close(self) -> None:
        self.engine.dispose()
        if self.embedded:
            self.embedded.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class OwnConnection:
    """A connection for one thread with frequent statements, each its own transaction.

    Without the pool's checkout and ping, without BEGIN and COMMIT. After an error the next use connects again.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._connection: Connection | None = None

    @contextmanager
    def use(self) -> Iterator[Connection]:
        connection = self._connection or self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        self._connection = None
        try:
            with connection.begin():
                yield connection
        except BaseException:
            connection.invalidate()
            connection.close()
            raise
        self._connection = connection

    def close(self) -> None:
        if self._connection:
            self._connection.close()
            self._connection = None


def _url(arguments: dict[str, Any]) -> URL:
    return URL.create(
        "postgresql+psycopg",
        username=arguments["user"],
        password=arguments["password"],
        database=arguments["dbname"],
        query={"host": arguments["host"], "port": str(arguments["port"])},
    )
