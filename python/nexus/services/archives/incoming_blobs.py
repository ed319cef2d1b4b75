"""Puts the blobs of an archive into the store, those of many media at once, with a bounded part of them in memory.

Only bytes that are in the archive count: whoever knows no more than the hash of another user's picture does not get the
picture.
"""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

from nexus.errors import ArchiveError, NexusError, ProcessPoolError
from nexus.services.archives.archive_file import ArchiveFile
from nexus.services.archives.records import Record
from nexus.services.archives.rows import KeptBlob
from nexus.services.pictures.picture import picture_sizes
from nexus.store import BlobStore
from nexus.store.blobs import MAX_BLOB
from nexus.text.process_pool import ProcessPool

GROUP_BYTES = 16 << 20
LARGE_BYTES = 8 << 20  # above it a blob is never whole in memory; no picture is kept that is so large
CALL_BYTES = 2 << 20  # of one call in a child process


class IncomingBlobs:
    def __init__(self, archive: ArchiveFile, store: BlobStore, pool: ProcessPool, threads: ThreadPoolExecutor) -> None:
        self._archive = archive
        self._store = store
        self._pool = pool
        self._threads = threads

    def put(self, records: Iterable[Record]) -> dict[str, KeptBlob]:
        """The blobs that the archive has intact. StoreError: none of these records may be written."""
        pictures: set[str] = set()
        wanted: dict[str, None] = {}
        for record in records:
            wanted |= dict.fromkeys(record.hashes)
            pictures |= {row["sha256"] for row in record.pictures if row["sha256"]}
        found: dict[str, KeptBlob] = {}
        for group in self._groups(wanted):
            self._store.put_many(list(group.values()))
            found |= {sha256: KeptBlob(len(content)) for sha256, content in group.items()}
            found |= self._pictures({sha256: group[sha256] for sha256 in group if sha256 in pictures})
        for sha256 in wanted:
            size = self._archive.blob_size(sha256)
            if size is not None and LARGE_BYTES < size <= MAX_BLOB:
                found |= self._put_large(sha256, size)
        return found

    def _groups(self, wanted: Iterable[str]) -> Iterator[dict[str, bytes]]:
        group: dict[str, bytes] = {}
        used = 0
        for sha256 in wanted:
            size = self._archive.blob_size(sha256)
            if size is None or not 0 < size <= LARGE_BYTES:
                continue
            if group and used + size > GROUP_BYTES:
                yield group
                group, used = {}, 0
            content = self._archive.read_blob(sha256)
            if content is not None:
                group[sha256] = content
                used += size
        if group:
            yield group

    def _put_large(self, sha256: str, size: int) -> dict[str, KeptBlob]:
        try:
            self._store.put(self._archive.blob_chunks(sha256), limit=size)
        except ArchiveError:
            return {}
        return {sha256: KeptBlob(size)}

    def _pictures(self, contents: dict[str, bytes]) -> dict[str, KeptBlob]:
        calls = list(_calls(contents))
        found = {}
        for call, sizes in zip(
            calls, self._threads.map(self._sizes, [list(call.values()) for call in calls]), strict=True
        ):
            for sha256, size in zip(call, sizes, strict=True):
                if size is not None:
                    found[sha256] = KeptBlob(len(contents[sha256]), *size)
        return found

    def _sizes(self, pictures: list[bytes]) -> list[tuple[str, int, int] | None]:
        """A picture that crashes the process that decodes it counts as unknown and is fetched again."""
        try:
            return self._pool.run(picture_sizes, pictures)
        except NexusError as error:
            if type(error) is ProcessPoolError:  # the pool is closed: we are being stopped
                raise
            if len(pictures) == 1:
                return [None]
        return [size for picture in pictures for size in self._sizes([picture])]


def _calls(contents: dict[str, bytes]) -> Iterator[dict[str, bytes]]:
    call: dict[str, bytes] = {}
    used = 0
    for sha256, content in contents.items():
        if call and used + len(content) > CALL_BYTES:
            yield call
            call, used = {}, 0
        call[sha256] = content
        used += len(content)
    if call:
        yield call
