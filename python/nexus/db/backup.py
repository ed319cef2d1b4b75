"""Backup of the whole database to one file, and restore."""

import glob
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy import inspect, text

from nexus.db.migrate import upgrade
from nexus.db.pg_binaries import client_program
from nexus.db.session import Database
from nexus.errors import BackupError
from nexus.system.atomic_files import sync_directory

PARTIAL_SUFFIX = ".part"
DUMP_MAGIC = b"PGDMP"  # how pg_dump's custom format begins
ABANDONED_SECONDS = 86_400


def backup(database: Database, file: Path) -> int:
    """Written beside its final path, then renamed: an existing backup is replaced whole or not at all."""
    with partial_file(file) as partial:
        delete_abandoned(file)
        dump(database, partial)
        with partial.open("rb") as written:
            os.fsync(written.fileno())
        partial.replace(file)
        sync_directory(file.parent)
    return file.stat().st_size


@contextmanager
def partial_file(file: Path) -> Iterator[Path]:
    """Beside the final path; gone at the end unless it was renamed.

    Not `atomic_files.replacing`: pg_dump writes it and pg_restore reads it by its path before it is renamed, and beside
    it other backups of the same name may run, so that what a killed one left is known by its age alone."""
    try:
        # A random name, opened so that a link that was put there would not be followed.
        fd, name = tempfile.mkstemp(prefix=f".{file.name[:100]}.", suffix=PARTIAL_SUFFIX, dir=file.parent)
    except OSError as error:
        raise BackupError(f"Cannot write {file}: {error.strerror}.") from error
    os.close(fd)
    try:
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


def dump(database: Database, into: Path, *options: str) -> None:
    _run(database, "pg_dump", "--format=custom", "--no-owner", "--no-acl", f"--file={into}", *options)


def verify_dump(database: Database, dumped: Path) -> None:
    """Decompresses and reads all of it."""
    _run(database, "pg_restore", "--file=/dev/null", str(dumped), connect=False)


def delete_abandoned(file: Path) -> None:
    """Files of backups that were killed; one that still runs is younger than a day."""
    for leftover in file.parent.glob(f".{glob.escape(file.name[:100])}.*{PARTIAL_SUFFIX}"):
        with suppress(OSError):
            if time.time() - leftover.lstat().st_mtime > ABANDONED_SECONDS:
                leftover.unlink()


def restore(database: Database, file: Path, *, replace: bool, work_folder: Path | None = None) -> None:
    """Read the whole backup first, then apply it in one transaction: an incomplete file changes nothing.

    `work_folder`: has room for all of it, uncompressed; the system's own is often small, or memory."""
    if not file.is_file():
        raise BackupError(f"There is no file {file}.")
    with file.open("rb") as opened:
        if not opened.read(len(DUMP_MAGIC)) == DUMP_MAGIC:
            raise BackupError(
                "This is not a file of 'nexus db backup'. For a file of 'nexus backup' use 'nexus restore'."
            )
    if not replace and _holds_data(database):
        raise BackupError(
            "This database already holds data. Restore into an empty data directory, "
            "or add --replace to put the backup in its place."
        )
    if work_folder:
        work_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="nexus-restore-", dir=work_folder) as folder:
        script = Path(folder) / "restore.sql"
        _run(database, "pg_restore", "--no-owner", "--no-acl", f"--file={script}", str(file), connect=False)
        database.engine.dispose()
        _run(
            database, "psql", "--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1",
            "--output=/dev/null", "--command=SET lock_timeout = '10s'",
            # The whole schema: a table that is newer than the backup must not stay.
            "--command=DROP SCHEMA public CASCADE", "--command=CREATE SCHEMA public", f"--file={script}",
        )  # fmt: skip
    upgrade(database.engine)


def _holds_data(database: Database) -> bool:
    with database.engine.connect() as connection:
        if not inspect(connection).has_table("users"):
            return False
        return bool(connection.execute(text("SELECT EXISTS (SELECT FROM users)")).scalar())


def _run(database: Database, program: str, *arguments: str, connect: bool = True) -> None:
    # The password is in the environment, since every user of the machine can read a command line.
    url = database.url.set(drivername="postgresql", password=None).render_as_string(hide_password=False)
    environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "PGPASSWORD": str(database.url.password or "")}
    done = subprocess.run(
        [_program(database, program), *([f"--dbname={url}"] if connect else []), *arguments],
        env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        output = done.stderr.strip().splitlines()
        complaint = next((line for line in output if "error" in line.lower()), output[-1] if output else "no output")
        raise BackupError(f"{program} failed: {complaint}")


def _program(database: Database, name: str) -> str:
    if database.embedded:
        return str(database.embedded.bin_dir / name)
    with database.engine.connect() as connection:
        server_version = connection.dialect.server_version_info or (0,)
    return client_program(name, int(server_version[0]))
