from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import text

from nexus.db.embedded import EmbeddedServer
from nexus.db.migrate import MIGRATIONS, alembic_config, head_revision, schema_status, upgrade
from nexus.db.session import Database
from nexus.errors import DatabaseUnavailableError, SchemaOutdatedError
from tests import factories as make
from tests.conftest import settings_for


def test_models_and_migrations_agree(database: Database) -> None:
    with database.engine.connect() as connection:
        config = alembic_config(connection)
        config.attributes.update(lock_timeout="5s", statement_timeout="30s")
        command.check(config)


def test_upgrade_again_does_nothing(database: Database) -> None:
    upgrade(database.engine)
    with database.engine.connect() as connection:
        assert schema_status(connection).is_current


def test_migration_gives_up_on_a_locked_table_and_changes_nothing(
    postgres: EmbeddedServer, empty_database: str
) -> None:
    with Database(settings_for(postgres, empty_database)) as database:
        upgrade(database.engine, to="0001")
        with postgres.connect(dbname=empty_database) as other:
            other.execute("LOCK TABLE users IN ACCESS EXCLUSIVE MODE")
            with pytest.raises(DatabaseUnavailableError, match="lock timeout"):
                upgrade(database.engine, lock_timeout="100ms")
        with database.engine.connect() as connection:
            assert schema_status(connection).current == "0001"
        upgrade(database.engine)


def test_migration_gives_up_on_a_statement_that_takes_too_long(postgres: EmbeddedServer, empty_database: str) -> None:
    with Database(settings_for(postgres, empty_database)) as database:
        upgrade(database.engine, to="0001")
        with postgres.connect(dbname=empty_database) as other:
            other.execute("LOCK TABLE users IN ACCESS EXCLUSIVE MODE")
            with pytest.raises(DatabaseUnavailableError, match="statement timeout"):
                upgrade(database.engine, lock_timeout="30s", statement_timeout="100ms")


def test_schema_of_a_newer_nexus_is_left_alone(postgres: EmbeddedServer, empty_database: str) -> None:
    with Database(settings_for(postgres, empty_database)) as database:
        upgrade(database.engine)
        with database.engine.begin() as connection:
            connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        with pytest.raises(SchemaOutdatedError, match="newer Nexus"):
            upgrade(database.engine)


def test_head_is_the_last_step() -> None:
    """Migrations follow each other in the order of their numbers."""
    steps = sorted(path.name[:4] for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))
    assert steps == [f"{number:04}" for number in range(1, len(steps) + 1)]
    scripts = ScriptDirectory(str(MIGRATIONS))
    assert [script.revision for script in scripts.walk_revisions()] == steps[::-1]
    assert head_revision() == steps[-1] == scripts.get_current_head()


def test_every_foreign_key_begins_an_index(connection: psycopg.Connection) -> None:
    """Otherwise deleting the row it refers to would read the whole table."""
    without = connection.execute("""
        SELECT conname FROM pg_constraint AS key
        WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND NOT EXISTS (
            SELECT FROM pg_index WHERE indrelid = key.conrelid AND indkey[0] = key.conkey[1])
    """).fetchall()
    assert without == []


def test_transition_tables_are_not_joined_with_each_other(connection: psycopg.Connection) -> None:
    """They have no index, and PL/pgSQL keeps the plan of its first run, usually for a single row: with ten thousand
    rows that is 10^8 comparisons."""
    joining = connection.execute(r"""
        SELECT proname FROM pg_proc
        WHERE pronamespace = 'public'::regnamespace AND prosrc ~* '\m(earlier|later)\s+join\s+(earlier|later)\M'
    """).fetchall()
    assert joining == []


def test_application_role_is_no_superuser(connection: psycopg.Connection) -> None:
    assert connection.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user").fetchone() == (False,)


def test_extensions_that_search_needs_can_be_loaded(connection: psycopg.Connection) -> None:
    names = {"vector", "pg_trgm", "unaccent"}
    found = connection.execute("SELECT name FROM pg_available_extensions WHERE name = ANY(%s)", [list(names)])
    assert {name for (name,) in found} == names


def ready_media_without_versions(db: psycopg.Connection, **values: Any) -> UUID:
    """Readable media without versions, as the schema had them before migration 0018."""
    made = make.media(db, processing_status="ready_for_reading", processing_completed_at="now", **values)
    make.insert(db, "fragments", media_id=made, idx=0, html_sanitized="<p>Hello</p>", canonical_text="Hello")
    return made


def test_merged_ids_of_an_older_library_keep_answering(postgres: EmbeddedServer, empty_database: str) -> None:
    """For whom originals were fetched was not recorded: everybody who has the media may use them, as before."""
    with Database(settings_for(postgres, empty_database)) as database:
        upgrade(database.engine, to="0014")
        with postgres.connect(dbname=empty_database) as db:
            owner, merged = make.user(db), uuid4()
            library = make.library(db, owner, is_default=True)
            winner = ready_media_without_versions(db, canonical_url="https://example.org/")
            make.insert(db, "library_media", library_id=library, media_id=winner)
            make.insert(db, "media_aliases", alias_id=merged, media_id=winner)
            make.insert(db, "media_aliases", alias_id=uuid4(), media_id=ready_media_without_versions(db))
            db.commit()
            upgrade(database.engine)
            found = db.execute("SELECT alias_id, user_id, media_id FROM media_aliases").fetchall()
        assert found == [(merged, owner, winner)]
