"""Database and blobs together into one file, while the server runs.

The dump and the list of blobs are of the same moment (an exported snapshot). No blob of that moment can go while it is
copied: the collection is held off by a lock.
"""

import hashlib
import os
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import IO, NamedTuple

from sqlalchemy import Connection, text

from nexus.db.backup import delete_abandoned, dump, partial_file, verify_dump
from nexus.db.migrate import schema_status
from nexus.db.session import Database
from nexus.errors import BackupError, BlobDamagedError, BlobMissingError
from nexus.store import backup_file
from nexus.store.blobs import BlobStore
from nexus.store.identity import SELECT_STORE_ID
from nexus.store.locks import CONTENT, STEP_WAIT_SECONDS, advisory_lock
from nexus.store.rows import reference_condition
from nexus.system.atomic_files import sync_directory

BUSY = "A collection is running. Try again when it has finished."
MAX_IN_MEMORY = 8 << 20


@dataclass(frozen=True)
class BackupResult:
    size: int
    blobs: int
    bytes: int
    lost: list[str]


class ListedBlob(NamedTuple):
    sha256: bytes
    is_referenced: bool


def back_up(store: BlobStore, file: Path) -> BackupResult:
    """Written beside its final path, verified, then renamed: a backup that is there is replaced whole or not at all."""
    store.verify()
    try:
        with (
            partial_file(file) as partial,
            partial_file(file) as dumped,
            tempfile.TemporaryFile(dir=file.parent) as listed,
        ):
            delete_abandoned(file)
            contents = _write(store, partial, dumped, listed)
            _verify(store.database, partial, dumped, contents)
            partial.replace(file)
            sync_directory(file.parent)
    except OSError as error:
        raise BackupError(f"Cannot write {file}: {error.strerror}.") from error
    return BackupResult(file.stat().st_size, contents.blobs, contents.bytes, contents.lost)


def _write(store: BlobStore, partial: Path, dumped: Path, listed: IO[bytes]) -> backup_file.Contents:
    with (
        advisory_lock(store.database, CONTENT, shared=True, wait_seconds=STEP_WAIT_SECONDS, refusal=BUSY) as still_held,
        partial.open("wb") as out,
        tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        with _snapshot(store.database) as (connection, snapshot):
            backup_file.add_json(tar, backup_file.HEADER, asdict(_header(connection)))
            dump(store.database, dumped, f"--snapshot={snapshot}")
            for blob in _blobs(connection):
                listed.write(blob.sha256 + bytes([blob.is_referenced]))
        contents = backup_file.Contents(dump_sha256=_add_dump(tar, dumped))
        listed.seek(0)
        while record := listed.read(33):
            still_held()
            _add_blob(tar, store, ListedBlob(record[:32], bool(record[32])), contents, partial.parent)
        backup_file.add_json(tar, backup_file.CONTENTS, asdict(contents))
        tar.close()
        out.flush()
        os.fsync(out.fileno())
    return contents


@contextmanager
def _snapshot(database: Database) -> Iterator[tuple[Connection, str]]:
    with database.engine.connect().execution_options(isolation_level="REPEATABLE READ") as connection:
        # A dump of a large library takes longer than any request may.
        connection.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        connection.execute(text("SET LOCAL statement_timeout = 0"))
        yield connection, str(connection.scalar(text("SELECT pg_export_snapshot()")))


def _header(connection: Connection) -> backup_file.Header:
    store_id = connection.scalar(SELECT_STORE_ID)
    return backup_file.Header(
        format=backup_file.FORMAT,
        version=version("nexus"),
        created_at=datetime.now(UTC).isoformat(),
        schema=schema_status(connection).current or "",
        store_id=str(store_id) if store_id else None,
    )


def _blobs(connection: Connection) -> Iterator[ListedBlob]:
    query = text(f"SELECT sha256, {reference_condition(connection)} FROM blobs b ORDER BY sha256")  # noqa: S608
    for sha256, is_referenced in connection.execution_options(yield_per=1000).execute(query):
        yield ListedBlob(sha256, is_referenced)


def _add_dump(tar: tarfile.TarFile, dumped: Path) -> str:
    with dumped.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        file.seek(0)
        backup_file.add_file(tar, backup_file.DUMP, file, dumped.stat().st_size)
    return digest


def _add_blob(
    tar: tarfile.TarFile, store: BlobStore, blob: ListedBlob, contents: backup_file.Contents, folder: Path
) -> None:
    """Read whole before its first byte is written: a tar says the size first, and damaged bytes have no place in it.
    In the folder of the backup, which has room for it; the system's own is often small, or memory."""
    with tempfile.SpooledTemporaryFile(max_size=MAX_IN_MEMORY, dir=str(folder)) as spool:
        try:
            for chunk in store.read(blob.sha256):
                spool.write(chunk)
        except (BlobMissingError, BlobDamagedError):
            if blob.is_referenced:  # else a writer was killed before it had stored what nothing names yet
                contents.lost.append(blob.sha256.hex())
            return
        size = spool.tell()
        spool.seek(0)
        backup_file.add_blob(tar, blob.sha256, spool, size)
    contents.blobs += 1
    contents.bytes += size


def _verify(database: Database, partial: Path, dumped: Path, contents: backup_file.Contents) -> None:
    """What can be read from the disk now, not what was meant to be written."""
    if hasattr(os, "posix_fadvise"):  # not on macOS
        with partial.open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    _, found = backup_file.read_backup(partial)
    if found != contents:
        raise BackupError("The backup that was written could not be verified; its disk may be failing.")
    verify_dump(database, dumped)
