"""A large file to disk: what is there is kept, the rest is asked for, and a file that changed is begun anew."""

import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from nexus.errors import HttpStatusError, MaxBytesError
from nexus.podcasts.corpus.files import read_json, write_json
from nexus.podcasts.net.client import FeedClient
from nexus.system.atomic_files import PRIVATE
from nexus.web.egress import Response

PARTIAL, NOT_SATISFIABLE = 206, 416
CONTENT_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+|\*)")
MIN_BYTES_PER_SECOND = 20_000
MIN_SECONDS = 600.0


Progress = Callable[[int], None] | None


def download(client: FeedClient, url: str, target: Path, *, max_bytes: int, progress: Progress = None) -> None:
    """The file appears under its name when it is whole; until then its beginning waits beside it."""
    if target.exists():
        return
    part = _Part(target, url)
    client.patiently(url, client.for_files, lambda: _fetch_rest(client, part, max_bytes, progress))
    part.become_whole()


class _Part:
    """``x.part`` and, in ``x.part.json``, which file of which address it is the beginning of."""

    def __init__(self, target: Path, url: str) -> None:
        self.target = target
        self.url = url
        self.path = target.with_name(target.name + ".part")
        self._about = target.with_name(target.name + ".part.json")
        self.path.parent.mkdir(parents=True, exist_ok=True)

    def usable(self) -> tuple[int, str | None]:
        """How many bytes are there, and the version they belong to."""
        about = read_json(self._about)
        if not isinstance(about, dict) or about.get("url") != self.url or not about.get("version"):
            return 0, None  # without a version nobody could tell whether the rest fits
        return (self.path.stat().st_size if self.path.exists() else 0), about["version"]

    def begin(self, version: str | None) -> None:
        with suppress(FileNotFoundError):
            self.path.unlink()
        write_json(self._about, {"url": self.url, "version": version}, mode=PRIVATE)

    def become_whole(self) -> None:
        self.path.replace(self.target)
        with suppress(FileNotFoundError):
            self._about.unlink()


def _fetch_rest(client: FeedClient, part: _Part, max_bytes: int, progress: Progress) -> None:
    if not _continued(client, part, max_bytes, progress):
        part.begin(None)  # what we have is of another version; without it the whole is asked for
        _continued(client, part, max_bytes, progress)


def _continued(client: FeedClient, part: _Part, max_bytes: int, progress: Progress) -> bool:
    """Whether what is there and what the host sent now make one file."""
    have, version = part.usable()
    headers = {"accept-encoding": "identity"} | ({"range": f"bytes={have}-"} if have else {})
    seconds = MIN_SECONDS + max_bytes / MIN_BYTES_PER_SECOND
    try:
        with client.stream(part.url, max_bytes=max_bytes, headers=headers, total_seconds=seconds) as answer:
            if answer.status == PARTIAL and not _continues(answer, have, version):
                return False
            if answer.status != PARTIAL:
                have = 0
                part.begin(_version(answer))
            _append(answer, part.path, have, max_bytes, progress)
    except HttpStatusError as error:
        if error.http_status != NOT_SATISFIABLE or not have:
            raise
        return False
    return True


def _append(answer: Response, path: Path, have: int, max_bytes: int, progress: Progress) -> None:
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(path, flags, 0o666), "ab") as out:  # noqa: PTH123 - of a descriptor
        out.truncate(have)
        for piece in answer.iter_bytes():
            have += len(piece)
            if have > max_bytes:
                raise MaxBytesError(f"The file is larger than the limit of {max_bytes:,} bytes.")
            out.write(piece)
            if progress:
                progress(have)


def _continues(answer: Response, have: int, version: str | None) -> bool:
    found = CONTENT_RANGE.fullmatch(answer.headers.get("content-range", ""))
    return found is not None and int(found[1]) == have and _version(answer, found[2]) == version


def _version(answer: Response, total: str | None = None) -> str | None:
    """A strong ETag, else date and length; nothing where the host gives neither, or does not do ranges."""
    etag = answer.headers.get("etag", "")
    if etag and not etag.startswith("W/"):
        return etag
    modified = answer.headers.get("last-modified")
    size = total or answer.headers.get("content-length")
    return f"{modified} {size}" if modified and size and size != "*" else None
