"""Downloads a large file: resumes where an earlier attempt stopped, and starts over if the file changed."""

import os
import re
from contextlib import suppress
from pathlib import Path

from nexus.errors import HttpStatusError, MaxBytesError
from nexus.podcasts.corpus.files import read_json, write_json
from nexus.podcasts.net.client import FeedClient
from nexus.system.atomic_files import PRIVATE
from nexus.web.egress import Response

PARTIAL, NOT_SATISFIABLE = 206, 416
CONTENT_RANGE = re.compile(r"bytes (\d{1,18})-\d{1,18}/(\d{1,18}|\*)")
MIN_BYTES_PER_SECOND = 20_000
MIN_SECONDS = 600.0


def download(client: FeedClient, url: str, target: Path, *, max_bytes: int) -> None:
    """The file gets its name when it is complete; until then it is ``x.part``."""
    if target.exists():
        return
    part = _Part(target, url)
    client.with_retries(url, client.file_retries, lambda: _fetch_rest(client, part, max_bytes))
    part.complete()


def part_files(target: Path) -> tuple[Path, Path]:
    """What an interrupted download of it leaves: its bytes, and of which version they are."""
    return target.with_name(target.name + ".part"), target.with_name(target.name + ".part.json")


class _Part:
    """``x.part`` and, in ``x.part.json``, its URL and version."""

    def __init__(self, target: Path, url: str) -> None:
        self.target = target
        self.url = url
        self.path, self._about = part_files(target)
        self.path.parent.mkdir(parents=True, exist_ok=True)

    def usable(self) -> tuple[int, str | None]:
        """The number of bytes on disk and their version."""
        about = read_json(self._about)
        if not isinstance(about, dict) or about.get("url") != self.url or not about.get("version"):
            return 0, None  # without a version there is no telling whether the rest fits
        return (self.path.stat().st_size if self.path.exists() else 0), about["version"]

    def begin(self, version: str | None) -> None:
        with suppress(FileNotFoundError):
            self.path.unlink()
        write_json(self._about, {"url": self.url, "version": version}, mode=PRIVATE)

    def complete(self) -> None:
        self.path.replace(self.target)
        with suppress(FileNotFoundError):
            self._about.unlink()


def _fetch_rest(client: FeedClient, part: _Part, max_bytes: int) -> None:
    if not _resume(client, part, max_bytes):
        part.begin(None)  # the part is of another version: request the whole file
        _resume(client, part, max_bytes)


def _resume(client: FeedClient, part: _Part, max_bytes: int) -> bool:
    """False if the part on disk does not fit what the host sends now."""
    size, version = part.usable()
    headers = {"accept-encoding": "identity"} | ({"range": f"bytes={size}-"} if size else {})
    seconds = MIN_SECONDS + max_bytes / MIN_BYTES_PER_SECOND
    try:
        with client.stream(part.url, max_bytes=max_bytes, headers=headers, total_seconds=seconds) as response:
            if response.status == PARTIAL and not _fits(response, size, version):
                return False
            if response.status != PARTIAL:
                size = 0
                part.begin(_version(response))
            _append(response, part.path, size, max_bytes)
    except HttpStatusError as error:
        if error.http_status != NOT_SATISFIABLE or not size:
            raise
        return False
    return True


def _append(response: Response, path: Path, size: int, max_bytes: int) -> None:
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(path, flags, 0o666), "ab") as out:  # noqa: PTH123 - a descriptor
        out.truncate(size)
        for data in response.iter_bytes():
            size += len(data)
            if size > max_bytes:
                raise MaxBytesError(f"The file is larger than the limit of {max_bytes:,} bytes.")
            out.write(data)


def _fits(response: Response, size: int, version: str | None) -> bool:
    found = CONTENT_RANGE.fullmatch(response.headers.get("content-range", ""))
    return found is not None and int(found[1]) == size and _version(response, found[2]) == version


def _version(response: Response, total: str | None = None) -> str | None:
    """A strong ETag, else date and length; None where the host gives neither."""
    etag = response.headers.get("etag", "")
    if etag and not etag.startswith("W/"):
        return etag
    modified = response.headers.get("last-modified")
    length = total or response.headers.get("content-length")
    return f"{modified} {length}" if modified and length and length != "*" else None
