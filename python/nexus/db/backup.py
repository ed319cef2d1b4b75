"""Copies of the whole database in one file, and back."""

import os
import subprocess
import tempfile
from pathlib import Path

from sqlalchemy import inspect, text

from nexus.db.migrate import upgrade
from nexus.db.pg_binaries import client_program
from nexus.db.session import Database
from nexus.errors import BackupError


def backup(database: Database, file: Path) -> int:
    """Write the copy beside its final place, then rename: an existing backup is replaced whole or not at all."""
    partial = file.with_name(file.name + ".part")
    try:
        partial.touch(mode=0o600)
    except OSError as error:
        raise BackupError(f"Cannot write {file}: {error.strerror}.") from error
    try:
        _run(database, "pg_dump", "--format=custom", "--no-owner", "--no-acl", f"--file={partial}")
        with partial.open("rb") as written:
            os.fsync(written.fileno())
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)
    return file.stat().st_size


def restore(database: Database, file: Path, *, replace: bool) -> None:
    """Read the whole backup first, then put it in place in one transaction: a torn file changes nothing."""
    if not file.is_file():
        raise BackupError(f"There is no file {file}.")
    if not replace and _holds_data(database):
        raise BackupError(
            "This database already holds data. Restore into an empty data directory, "
            "or add --replace to put the backup in its place."
        )
    with tempfile.TemporaryDirectory(prefix="nexus-restore-") as folder:
        script = Path(folder) / "restore.sql"
        _run(database, "pg_restore", "--no-owner", "--no-acl", f"--file={script}", str(file), connect=False)
        database.engine.dispose()
        _run(
            database, "psql", "--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1",
            "--output=/dev/null", "--command=SET lock_timeout = '10s'",
            # All of it: a table that is newer than the backup must not stay behind.
            "--command=DROP SCHEMA public CASCADE", "--command=CREATE SCHEMA public", f"--file={script}",
        )  # fmt: skip
    upgrade(database.engine)


def _holds_data(database: Database) -> bool:
    with database.engine.connect() as connection:
        if not inspect(connection).has_table("users"):
            return False
        return bool(connection.execute(text("SELECT EXISTS (SELECT FROM users)")).scalar())


def _run(database: Database, program: str, *arguments: str, connect: bool = True) -> None:
    # The password travels in the environment: a command line is open to every user of the machine.
    url = database.url.set(drivername="postgresql", password=None).render_as_string(hide_password=False)
    environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "PGPASSWORD": str(database.url.password or "")}
    done = subprocess.run(
        [_program(database, program), *([f"--dbname={url}"] if connect else []), *arguments],
        env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()
        complaint = next((line for line in said if "error" in line.lower()), said[-1] if said else "no output")
        raise BackupError(f"{program} failed: {complaint}")


def _program(database: Database, name: str) -> str:
    if database.embedded:
        return str(database.embedded.bin_dir / name)
    with database.engine.connect() as connection:
        server_version = connection.dialect.server_version_info or (0,)
    return client_program(name, int(server_version[0]))
