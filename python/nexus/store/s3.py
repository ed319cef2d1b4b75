"""A store in a bucket, for many machines that share one library.

A PUT is whole or not there, and so is the end of a multipart upload; what an upload that was killed has sent stays
hidden in the bucket until its lifecycle rule removes it.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import obstore
from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError
from obstore.store import S3Store

from nexus.errors import ConfigError, StoreUnavailableError
from nexus.store.backend import CHUNK_BYTES, MARKER, StoredObject, key_of, sha256_of
from nexus.store.failures import full, unavailable
from nexus.system.error_text import first_line

PART_BYTES = 8 << 20  # above it in parts, of which this many are in memory:
MAX_PARALLEL_PARTS = 2
MAX_RANGE_BYTES = 4 << 20  # what one request reads, held in memory by each reader
# What servers say when a disk or a quota is used up: S3 itself has no such limit, those that speak its protocol have.
# A status with the word before it, since the text of an error also has the URL, in it the hash, and the time it took.
FULL = ("status: 507", "StorageFull", "QuotaExceeded", "InsufficientStorage", "EntityTooLarge")
# The range begins where the object ends, or it is empty.
BEYOND = ("status: 416", "InvalidRange", "RangeNotSatisfiable")
CLIENT: Any = {"connect_timeout": timedelta(seconds=5), "timeout": timedelta(seconds=60)}
RETRY: Any = {
    "max_retries": 3,
    "retry_timeout": timedelta(seconds=20),
    "backoff": {"init_backoff": timedelta(milliseconds=100), "max_backoff": timedelta(seconds=2), "base": 2},
}


@dataclass(frozen=True)
class Bucket:
    """Without keys, the machine's own (AWS_… variables, container or instance roles) are used."""

    name: str
    prefix: str = ""
    endpoint: str | None = None
    region: str | None = None
    virtual_host: bool = False
    access_key_id: str | None = None
    secret_access_key: str | None = None
    session_token: str | None = None

    @property
    def location(self) -> str:
        return f"s3://{self.name}/{self.prefix}".rstrip("/") + (f" at {self.endpoint}" if self.endpoint else "")


class BucketSpool:
    """In memory up to one part, else in a file without a name, which needs no clean-up."""

    def __init__(self, backend: "S3Backend", folder: Path) -> None:
        self._backend = backend
        self._folder = folder
        self.file = tempfile.SpooledTemporaryFile(max_size=PART_BYTES, dir=str(folder))  # noqa: SIM115 - closed by `spool`
        self.size = 0

    def write(self, chunk: bytes) -> None:
        try:
            if self.size + len(chunk) > PART_BYTES:
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.file.write(chunk)
        except OSError as error:
            raise full(str(self._folder), error.strerror) from error
        self.size += len(chunk)


class S3Backend:
    kind = "s3"
    reserve: int | None = None

    def __init__(self, bucket: Bucket, spool_folder: Path) -> None:
        self.location = bucket.location
        self._spool_folder = spool_folder
        self._s3 = _client(bucket)

    def read_marker(self) -> bytes | None:
        with self._translate_errors():
            try:
                return bytes(obstore.get(self._s3, MARKER).bytes())
            except FileNotFoundError as error:
                if "NoSuchBucket" in str(error):
                    raise self._unavailable(error) from error
                return None

    def write_marker(self, content: bytes) -> None:
        with self._translate_errors():
            try:
                obstore.put(self._s3, MARKER, content)
            except FileNotFoundError as error:  # the bucket
                raise self._unavailable(error) from error

    @contextmanager
    def spool(self) -> Iterator[BucketSpool]:
        spool = BucketSpool(self, self._spool_folder)
        try:
            yield spool
        finally:
            spool.file.close()

    def size_of(self, sha256: bytes) -> int | None:
        with self._translate_errors():
            try:
                return int(obstore.head(self._s3, key_of(sha256))["size"])
            except FileNotFoundError:
                return None

    def publish(self, spool: BucketSpool, sha256: bytes) -> None:
        spool.file.seek(0)
        in_parts = spool.size > PART_BYTES
        content = iter(lambda: spool.file.read(CHUNK_BYTES), b"") if in_parts else spool.file.read()
        with self._translate_errors():
            try:
                obstore.put(
                    self._s3, key_of(sha256), content,
                    use_multipart=in_parts, chunk_size=PART_BYTES, max_concurrency=MAX_PARALLEL_PARTS,
                )  # fmt: skip
            except FileNotFoundError as error:  # the bucket
                raise self._unavailable(error) from error

    def open(self, sha256: bytes, start: int, end: int | None) -> Iterator[bytes]:
        """A request for each MAX_RANGE_BYTES, received whole before its first chunk is delivered: however slowly the
        chunks are taken (audio at its own speed), no response lasts long enough to run into the client's limit."""
        first, size = self._receive(sha256, start, end)
        return self._chunks(sha256, first, start, size if end is None else min(end, size))

    def _receive(self, sha256: bytes, start: int, end: int | None) -> tuple[memoryview, int]:
        """The first MAX_RANGE_BYTES of what is wanted, and the size of the object."""
        last = start + MAX_RANGE_BYTES if end is None else min(end, start + MAX_RANGE_BYTES)
        with self._translate_errors():
            try:
                response = obstore.get(self._s3, key_of(sha256), options={"range": (start, last)})
                return memoryview(response.bytes()), int(response.meta["size"])
            except BaseError as error:
                if not any(word in str(error) for word in BEYOND):
                    raise
                return memoryview(b""), start

    def _chunks(self, sha256: bytes, received: memoryview, start: int, end: int) -> Iterator[bytes]:
        while received:
            for offset in range(0, len(received), CHUNK_BYTES):
                yield bytes(received[offset : offset + CHUNK_BYTES])
            start += len(received)
            received = self._receive(sha256, start, end)[0] if start < end else received[:0]

    def delete(self, sha256: bytes) -> None:
        with self._translate_errors():
            try:
                obstore.delete(self._s3, key_of(sha256))
            except FileNotFoundError:  # some servers say so
                return

    def list(self, after: bytes = b"") -> Iterator[StoredObject]:
        """A bucket lists its keys in their order."""
        with self._translate_errors():
            for page in obstore.list(self._s3, offset=key_of(after) if after else None, chunk_size=1000):
                for found in page:
                    folder, _, name = found["path"].rpartition("/")
                    if sha256 := sha256_of(folder, name):
                        yield StoredObject(sha256, int(found["size"]), found["last_modified"].astimezone(UTC))

    def free_bytes(self) -> int | None:
        return None

    def remove_leftovers(self, before: datetime) -> int:  # noqa: ARG002 - the kernel and the bucket do it
        return 0

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError:
            raise
        except (BaseError, OSError) as error:
            if any(word in str(error) for word in FULL):
                raise full(self.location, _reason(error)) from error
            raise self._unavailable(error) from error

    def _unavailable(self, error: Exception) -> StoreUnavailableError:
        refused = isinstance(error, PermissionDeniedError | UnauthenticatedError)
        what = "refuses our keys" if refused else "does not respond as it should"
        message = f"The S3 server in which originals and pictures are kept {what}."
        return unavailable(self.location, _reason(error), message)


def _client(bucket: Bucket) -> S3Store:
    options: dict[str, Any] = {
        "region": bucket.region,
        "access_key_id": bucket.access_key_id,
        "secret_access_key": bucket.secret_access_key,
        "session_token": bucket.session_token,
        "endpoint": _endpoint(bucket),
    }
    given = {name: value for name, value in options.items() if value is not None}
    plain = (bucket.endpoint or "").startswith("http://")
    try:
        return S3Store(
            bucket.name,
            prefix=bucket.prefix or None,
            virtual_hosted_style_request=bucket.virtual_host,
            client_options=CLIENT | {"allow_http": plain},
            retry_config=RETRY,
            **given,
        )
    except (BaseError, ValueError) as error:
        raise ConfigError(f"NEXUS_STORE cannot be used: {_reason(error)}") from error


def _endpoint(bucket: Bucket) -> str | None:
    """With virtual hosts the client expects the bucket's name in front of the server's."""
    if bucket.endpoint is None or not bucket.virtual_host:
        return bucket.endpoint
    parts = urlsplit(bucket.endpoint)
    return parts._replace(netloc=f"{bucket.name}.{parts.netloc}").geturl()


def _reason(error: Exception) -> str:
    return first_line(error)[:300]
