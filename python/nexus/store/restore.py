"""Restores a backup into an empty library: blobs first, then the database in one step, so that no row names a missing
blob."""

import hashlib
import tempfile
from pathlib import Path
from uuid import UUID

from sqlalchemy import inspect, text

from nexus.db.backup import restore
from nexus.db.session import Database
from nexus.errors import BackupError
from nexus.store import backup_file
from nexus.store.backend import Backend
from nexus.store.blobs import BlobStore
from nexus.store.identity import read_marker, write_marker

NOT_EMPTY = (
    "This library already holds data. Restore into an empty one: another NEXUS_DATA_DIR, or another database and store."
)
LOST = text("""
    UPDATE blobs SET problem = CASE WHEN sha256 = ANY(:lost) THEN 'missing' END
    WHERE problem IS NOT NULL OR sha256 = ANY(:lost)
""")


def restore_backup(store: BlobStore, file: Path, work_folder: Path) -> int:
    """How many blobs were put back. `work_folder`: has room for the dump, also uncompressed."""
    if _holds_data(store.database):
        raise BackupError(NOT_EMPTY)
    header, contents = backup_file.read_backup(file)
    _take_over(store.backend, header)
    work_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="nexus-restore-", dir=work_folder) as folder:
        dumped = Path(folder) / backup_file.DUMP
        backup_file.read_backup(file, lambda _, member: _put_member(store.backend, member, dumped))
        restore(store.database, dumped, replace=False, work_folder=work_folder)
    with store.database.transaction() as session:
        session.execute(LOST, {"lost": [bytes.fromhex(sha256) for sha256 in contents.lost]})
    store.verify()
    return contents.blobs


def _put_member(backend: Backend, member: backup_file.Member, dumped: Path) -> None:
    if member.sha256 is None:
        with dumped.open("wb") as file:
            file.writelines(member.chunks)
    elif not _has_whole(backend, member.sha256, member.size):
        with backend.spool() as spool:
            for chunk in member.chunks:
                spool.write(chunk)
            backend.publish(spool, member.sha256)


def _has_whole(backend: Backend, sha256: bytes, size: int) -> bool:
    """Reads the stored blob instead of only its size: a damaged one may have the right size, and the restore should
    replace it."""
    if backend.size_of(sha256) != size:
        return False
    digest = hashlib.sha256()
    try:
        for chunk in backend.open(sha256, 0, None):
            digest.update(chunk)
    except FileNotFoundError:
        return False
    return digest.digest() == sha256


def _take_over(backend: Backend, header: backup_file.Header) -> None:
    """The store becomes that of the library in the backup."""
    if header.store_id is None:
        return
    there, wanted = read_marker(backend), UUID(header.store_id)
    if there == wanted:
        return
    if there is not None and next(iter(backend.list()), None) is not None:
        raise BackupError(f"The store {backend.location} holds the blobs of another library. Use an empty one.")
    write_marker(backend, wanted)


def _holds_data(database: Database) -> bool:
    with database.engine.connect() as connection:
        tables = [name for name in ("users", "blobs") if inspect(connection).has_table(name)]
        return any(connection.scalar(text(f"SELECT EXISTS (SELECT FROM {name})")) for name in tables)  # noqa: S608
