"""The file of a backup: a tar of the database's dump and all blobs.

    nexus-backup.json     what this is
    database.dump         pg_dump's custom format
    blobs/ab/abcdef…      each blob under its hash
    contents.json         last: the dump's hash and what is in here; a file without it is not whole

Everything is checked by reading it once from beginning to end.
"""

import hashlib
import io
import json
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from nexus.errors import BackupError
from nexus.store.backend import CHUNK_BYTES, key_of, sha256_of

FORMAT = 1
HEADER, DUMP, CONTENTS, BLOBS = "nexus-backup.json", "database.dump", "contents.json", "blobs/"
MAX_JSON = 256 << 20
NO_BACKUP = "This is not a file of 'nexus backup'. For a file of 'nexus db backup' use 'nexus db restore'."


@dataclass(frozen=True)
class Header:
    format: int
    version: str
    created_at: str
    schema: str
    store_id: str | None


@dataclass
class Contents:
    dump_sha256: str = ""
    blobs: int = 0
    bytes: int = 0
    lost: list[str] = field(default_factory=list)  # named, but the store did not have them whole


def add_json(tar: tarfile.TarFile, name: str, value: dict[str, Any]) -> None:
    content = json.dumps(value).encode()
    add_file(tar, name, io.BytesIO(content), len(content))


def add_file(tar: tarfile.TarFile, name: str, file: IO[bytes], size: int) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = size, 0o600
    tar.addfile(entry, file)


def add_blob(tar: tarfile.TarFile, sha256: bytes, file: IO[bytes], size: int) -> None:
    add_file(tar, BLOBS + key_of(sha256), file, size)


@dataclass
class Member:
    """A blob or the dump, of which the hash is checked when it has been read to its end."""

    name: str
    size: int
    sha256: bytes | None  # None: the dump
    chunks: Iterator[bytes]


def read_backup(path: Path, on_member: Callable[[Header, Member], None] | None = None) -> tuple[Header, Contents]:
    """Reads and checks all of it; BackupError where something is missing, damaged or does not belong there."""
    try:
        with path.open("rb") as file, tarfile.open(fileobj=file, mode="r|", bufsize=CHUNK_BYTES) as tar:
            return _Reader(on_member).read(tar)
    except FileNotFoundError:
        raise BackupError(f"There is no file {path}.") from None
    except (tarfile.TarError, EOFError, ValueError, KeyError, TypeError) as error:
        raise BackupError(f"The backup {path} is incomplete: {error}.") from error
    except OSError as error:
        raise BackupError(f"Cannot read {path}: {error.strerror}.") from error


class _Reader:
    def __init__(self, on_member: Callable[[Header, Member], None] | None) -> None:
        self._on_member = on_member
        self._seen = Contents()

    def read(self, tar: tarfile.TarFile) -> tuple[Header, Contents]:
        header: Header | None = None
        contents: Contents | None = None
        for entry in tar:
            file = tar.extractfile(entry)
            if file is None or contents is not None:
                raise BackupError("The backup contains an unexpected file.")
            if header is None:
                header = _header(entry.name, file)
            elif entry.name == CONTENTS:
                contents = Contents(**json.loads(file.read(MAX_JSON)))
            else:
                self._read_member(header, entry, file)
        if header is None:
            raise BackupError(NO_BACKUP)
        if contents is None:
            raise BackupError("The backup is incomplete: its end is missing.")
        seen = self._seen
        if (seen.dump_sha256, seen.blobs, seen.bytes) != (contents.dump_sha256, contents.blobs, contents.bytes):
            raise BackupError("The backup is damaged: its content does not match its list.")
        return header, contents

    def _read_member(self, header: Header, entry: tarfile.TarInfo, file: IO[bytes]) -> None:
        sha256 = None if entry.name == DUMP else _sha256_of(entry.name)
        digest = hashlib.sha256()
        member = Member(entry.name, entry.size, sha256, _chunks(file, digest))
        if self._on_member:
            self._on_member(header, member)
        for _ in member.chunks:  # what nobody read
            pass
        if sha256 is None:
            self._seen.dump_sha256 = digest.hexdigest()
        elif digest.digest() != sha256:
            raise BackupError(f"The blob {sha256.hex()} in the backup is damaged.")
        else:
            self._seen.blobs += 1
            self._seen.bytes += entry.size


def _header(name: str, file: IO[bytes]) -> Header:
    if name != HEADER:
        raise BackupError(NO_BACKUP)
    header = Header(**json.loads(file.read(MAX_JSON)))
    if header.format != FORMAT:
        raise BackupError(f"This backup was written by Nexus {header.version}, which is newer than this one.")
    return header


def _sha256_of(name: str) -> bytes:
    folder, _, base = name.removeprefix(BLOBS).rpartition("/")
    found = sha256_of(folder, base) if name.startswith(BLOBS) and len(folder) == 2 else None  # noqa: PLR2004
    if found is None:
        raise BackupError("The backup contains an unexpected file.")
    return found


def _chunks(file: IO[bytes], digest: Any) -> Iterator[bytes]:
    while chunk := file.read(CHUNK_BYTES):
        digest.update(chunk)
        yield chunk
