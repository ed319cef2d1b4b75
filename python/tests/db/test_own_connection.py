"""The connection a worker keeps: each statement counts at once, and a lost server costs one error, not the worker."""

from collections.abc import Iterator

import psycopg
import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import DBAPIError

from nexus.db.session import Database, OwnConnection

WHO = text("SELECT pg_backend_pid()")
ADD_USER = text("INSERT INTO users (id) VALUES (gen_random_uuid())")


@pytest.fixture
def own(database: Database) -> Iterator[OwnConnection]:
    own = OwnConnection(database.engine)
    yield own
    own.close()


def pid(own: OwnConnection) -> int:
    with own.use() as connection:
        return int(connection.execute(WHO).scalar_one())


def test_same_connection_is_used_again_and_others_see_each_statement_at_once(
    own: OwnConnection, connection: psycopg.Connection
) -> None:
    first = pid(own)
    with own.use() as mine:
        mine.execute(ADD_USER)
        assert connection.execute("SELECT count(*) FROM users").fetchone() == (1,)
    assert pid(own) == first


def test_killed_connection_fails_once_and_is_replaced(own: OwnConnection, connection: psycopg.Connection) -> None:
    lost = pid(own)
    connection.execute("SELECT pg_terminate_backend(%s, 300000)", [lost])
    with pytest.raises(DBAPIError):
        pid(own)
    assert pid(own) != lost


def test_lost_connection_is_closed_without_a_word(own: OwnConnection, connection: psycopg.Connection) -> None:
    lost = pid(own)
    connection.execute("SELECT pg_terminate_backend(%s, 300000)", [lost])
    own.close()
    assert pid(own) != lost


def test_connection_given_back_to_the_pool_commits_by_transaction_again(database: Database) -> None:
    engine = create_engine(database.url, pool_size=1, max_overflow=0)
    own = OwnConnection(engine)
    kept = pid(own)
    own.close()
    with engine.connect() as pooled:
        assert pooled.execute(WHO).scalar_one() == kept
        pooled.execute(ADD_USER)
        pooled.rollback()
        assert pooled.execute(text("SELECT count(*) FROM users")).scalar_one() == 0
    engine.dispose()


def test_connections_neither_wait_for_ever_nor_compile_queries(database: Database) -> None:
    names = ("statement_timeout", "idle_in_transaction_session_timeout", "TimeZone", "jit")
    with database.connect_apart() as apart, database.engine.connect() as pooled:
        for name, wanted in zip(names, ("30s", "1min", "UTC", "off"), strict=True):
            assert apart.execute(f"SHOW {name}").fetchone() == (wanted,)
            assert pooled.exec_driver_sql(f"SHOW {name}").scalar_one() == wanted
