"""The store's interface: synchronous, usable from any thread.

Order of a `put`: the content is received and hashed, the row is touched (committed), then the backend is asked for the
blob, which is written if it is missing. A collection removes the row first, and the bytes while it holds a lock on the
row's key, so neither removes what the other has just found: docs/adr/0006-blobs-are-collected-row-first.md.
"""

import hashlib
import threading
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from nexus.config import Settings
from nexus.db.session import Database
from nexus.errors import BlobDamagedError, BlobMissingError, BlobTooLargeError
from nexus.logging import get_logger
from nexus.store import rows
from nexus.store.backend import Backend, Spool
from nexus.store.blob import Blob
from nexus.store.folder import FolderBackend
from nexus.store.identity import verify_identity
from nexus.store.s3 import Bucket, S3Backend

log = get_logger(__name__)

MAX_BLOB = 5 << 30
MAX_IN_MEMORY = 64 << 20
WRITERS = 8  # at once, of `put_many`


class BlobStore:
    """Opens nothing before the first use: a server starts, and takes saves, while its store is absent."""

    def __init__(self, backend: Backend, database: Database) -> None:
        self.backend = backend
        self.database = database
        self._verifying = threading.Lock()
        self._verified = False

    def put(self, content: bytes | Iterable[bytes], *, limit: int = MAX_BLOB) -> Blob:
        """Stored and synced when it returns. `limit`: more bytes are BlobTooLargeError and leave nothing behind."""
        self.verify()
        if isinstance(content, bytes):
            return self._put_bytes(content, limit)
        with self.backend.spool() as spool:
            blob = _receive(spool, content, limit)
            if rows.touch(self.database, blob) or self.backend.size_of(blob.sha256) != blob.size:
                self.backend.publish(spool, blob.sha256)
                rows.note_problem(self.database, blob.sha256, None)
            return blob

    def put_many(self, contents: Collection[bytes]) -> list[Blob]:
        """As `put`, for what is small enough to be in memory together. Several are synced at once: a file of 20 kB took
        0.3 ms that way instead of 1.6 ms."""
        self.verify()
        known = {Blob(hashlib.sha256(content).digest(), len(content)): content for content in contents}
        broken = rows.touch_many(self.database, known) if known else set()
        with ThreadPoolExecutor(WRITERS) as threads:
            written = threads.map(lambda blob: self._put_known(blob, known[blob], blob.sha256 in broken), known)
            rows.note_whole(self.database, [blob.sha256 for blob in written if blob])
        return list(known)

    def read(self, sha256: bytes) -> Iterator[bytes]:
        """Raises at once for a missing blob. Raises before the last chunk for a damaged one, so that it is not taken
        for complete."""
        return self._checked(sha256, self._open(sha256, 0, None))

    def read_range(self, sha256: bytes, start: int, end: int) -> Iterator[bytes]:
        """From `start` up to but without `end`; shorter where the blob ends before. Its hash cannot be checked."""
        return iter(()) if start >= end else self._open(sha256, start, end)

    def read_bytes(self, sha256: bytes, *, limit: int = MAX_IN_MEMORY) -> bytes:
        """For what is small, checked before the first byte is seen."""
        chunks, size = [], 0
        for chunk in self.read(sha256):
            size += len(chunk)
            if size > limit:
                raise BlobTooLargeError("This is too large to be read into memory.")
            chunks.append(chunk)
        return b"".join(chunks)

    def size(self, sha256: bytes) -> int | None:
        """As the store itself says; None: it does not have it."""
        self.verify()
        return self.backend.size_of(sha256)

    def exists(self, sha256: bytes) -> bool:
        return self.size(sha256) is not None

    def verify(self) -> None:
        """StoreUnavailableError unless this is the library's store."""
        if self._verified:
            return
        with self._verifying:
            verify_identity(self.backend, self.database)
            self._verified = True

    def _put_bytes(self, content: bytes, limit: int) -> Blob:
        if len(content) > limit:
            raise BlobTooLargeError(f"This is larger than the {limit} bytes that may be kept.")
        blob = Blob(hashlib.sha256(content).digest(), len(content))
        if self._put_known(blob, content, rows.touch(self.database, blob)):
            rows.note_problem(self.database, blob.sha256, None)
        return blob

    def _put_known(self, blob: Blob, content: bytes, is_broken: bool) -> Blob | None:
        """None: the store has it."""
        if not is_broken and self.backend.size_of(blob.sha256) == blob.size:
            return None
        with self.backend.spool() as spool:
            spool.write(content)
            self.backend.publish(spool, blob.sha256)
        return blob

    def _open(self, sha256: bytes, start: int, end: int | None) -> Iterator[bytes]:
        self.verify()
        try:
            return self._chunks(sha256, self.backend.open(sha256, start, end))
        except FileNotFoundError:
            raise self._missing(sha256) from None

    def _chunks(self, sha256: bytes, chunks: Iterator[bytes]) -> Iterator[bytes]:
        """A bucket is read in several requests; the blob may be removed between two of them."""
        try:
            yield from chunks
        except FileNotFoundError:
            raise self._missing(sha256) from None

    def _missing(self, sha256: bytes) -> BlobMissingError:
        # Not mounted any more, or really missing?
        verify_identity(self.backend, self.database)
        self._note(sha256, "missing")
        return BlobMissingError(
            "A stored file is missing. The operator can find all such files with 'nexus store check'."
        )

    def _checked(self, sha256: bytes, chunks: Iterator[bytes]) -> Iterator[bytes]:
        digest, last = hashlib.sha256(), b""
        for chunk in chunks:
            if last:
                yield last
            digest.update(chunk)
            last = chunk
        if digest.digest() != sha256:
            self._note(sha256, "damaged")
            raise BlobDamagedError(
                "A stored file is damaged. The operator can find all such files with 'nexus store check'."
            )
        if last:
            yield last

    def _note(self, sha256: bytes, problem: str) -> None:
        log.error("a blob cannot be read", problem=problem, store=self.backend.location, sha256=sha256.hex())
        rows.note_problem(self.database, sha256, problem)


def _receive(spool: Spool, content: Iterable[bytes], limit: int) -> Blob:
    digest, size = hashlib.sha256(), 0
    for chunk in content:
        size += len(chunk)
        if size > limit:
            raise BlobTooLargeError(f"This is larger than the {limit} bytes that may be kept.")
        digest.update(chunk)
        spool.write(chunk)
    return Blob(digest.digest(), size)


def open_store(settings: Settings, database: Database) -> BlobStore:
    return BlobStore(_backend(settings), database)


def _backend(settings: Settings) -> Backend:
    location = settings.store_location
    if isinstance(location, Path):
        return FolderBackend(location, settings.store_reserve_bytes)
    bucket, prefix = location
    secret = settings.store_secret_access_key
    session = settings.store_session_token
    return S3Backend(
        Bucket(
            bucket, prefix,
            endpoint=settings.store_endpoint,
            region=settings.store_region,
            virtual_host=settings.store_addressing == "virtual-host",
            access_key_id=settings.store_access_key_id,
            secret_access_key=secret.get_secret_value() if secret else None,
            session_token=session.get_secret_value() if session else None,
        ),
        settings.data_dir / "receiving",
    )  # fmt: skip
