"""Empties the tables of a test database after each test.

TRUNCATE gives every table and index a new file: 31 ms of processor for tables that hold a few rows, and every other
connection then reads the catalogue and plans its statements again. Deleting the rows takes a thirtieth of that.
"""

from pathlib import Path

from sqlalchemy import Connection, text

from nexus.db.pg_cluster import Cluster

# Like TRUNCATE it waits for those who still write, empties all tables at once, and asks neither foreign keys nor
# triggers, so that nothing is told to listeners. Where tests left much, also as dead rows, it does use TRUNCATE. Their
# size is asked for once, and without indexes: each of them would be another file to look at.
EMPTY = text("""
DO $$
DECLARE
    every regclass[] := ARRAY(
        SELECT oid FROM pg_class
        WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'alembic_version');
    names text := array_to_string(every, ', ');
    used regclass[];
    one regclass;
BEGIN
    EXECUTE 'LOCK TABLE ' || names || ' IN SHARE ROW EXCLUSIVE MODE';
    used := ARRAY(SELECT each FROM unnest(every) AS each WHERE pg_relation_size(each) > 0);
    IF (SELECT max(pg_table_size(each)) FROM unnest(used) AS each) > 1000000 THEN
        EXECUTE 'TRUNCATE ' || names;
        RETURN;
    END IF;
    SET LOCAL session_replication_role = replica;
    FOREACH one IN ARRAY used LOOP
        EXECUTE 'DELETE FROM ' || one;
    END LOOP;
END $$
""")


def empty_tables(connection: Connection) -> None:
    connection.execute(EMPTY)


def allow_emptying(data_dir: Path) -> None:
    """Only the superuser may let others use the setting; the server must not run."""
    cluster = Cluster(data_dir)
    grant = "GRANT SET ON PARAMETER session_replication_role TO nexus;"
    cluster._as_superuser(cluster.prepare(), cluster.account, cluster.pgdata, grant)
