"""Pictures on disk, the least recently shown are evicted first. A file is written by rename and checked by its hash.

So a crash, a full disk or a second server process at any moment costs a fetch, never a wrong picture.
"""

import hashlib
import json
import os
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from nexus.logging import get_logger
from nexus.services.pictures.picture import Picture
from nexus.system.atomic_files import is_temporary, replace_file

log = get_logger(__name__)

ABANDONED_SECONDS = 3600
KEPT_WHEN_FULL = 0.9  # so that not every picture after that scans all files


@dataclass(frozen=True)
class CachedPicture:
    picture: Picture
    etag: str


def with_etag(picture: Picture) -> CachedPicture:
    return CachedPicture(picture, etag_of(hashlib.sha256(picture.data).digest()))


def etag_of(sha256: bytes) -> str:
    return f'"{sha256.hex()}"'


class PictureCache:
    def __init__(self, folder: Path, max_bytes: int) -> None:
        self._folder = folder
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._size: int | None = None  # not known yet

    def read(self, url: str) -> CachedPicture | None:
        path = self._path(url)
        try:
            header, _, data = path.read_bytes().partition(b"\n")
        except OSError:
            return None
        with suppress(ValueError, KeyError, TypeError):
            facts = json.loads(header)
            found = with_etag(Picture(facts["content_type"], data))
            if found.etag == facts["etag"]:
                with suppress(OSError):
                    os.utime(path)  # shown just now
                return found
        log.warning("a damaged file in the picture cache", file=path.name)
        path.unlink(missing_ok=True)
        return None

    def write(self, url: str, found: CachedPicture) -> None:
        header = json.dumps({"content_type": found.picture.content_type, "etag": found.etag}).encode()
        content = header + b"\n" + found.picture.data
        if len(content) > self._max_bytes:
            return
        path = self._path(url)
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            replace_file(path, content)
        except OSError as error:
            log.warning("a picture could not be kept", reason=os.strerror(error.errno or 0))
            return
        self._make_room(len(content))

    def remove(self, url: str) -> None:
        with suppress(OSError):
            self._path(url).unlink()

    def _path(self, url: str) -> Path:
        name = hashlib.sha256(url.encode()).hexdigest()
        return self._folder / name[:2] / name

    def _make_room(self, added: int) -> None:
        with self._lock:
            if self._size is not None and self._size + added <= self._max_bytes:
                self._size += added
                return
            # Other processes write as well: the files are counted.
            files = sorted(self._files())
            self._size = sum(size for _, size, _ in files)
            if self._size <= self._max_bytes:
                return
            for _, size, path in files:
                path.unlink(missing_ok=True)
                self._size -= size
                if self._size <= self._max_bytes * KEPT_WHEN_FULL:
                    return

    def _files(self) -> list[tuple[float, int, Path]]:
        found = []
        for path in self._folder.glob("*/*"):
            with suppress(FileNotFoundError):  # another process evicted it at the same time
                facts = path.stat()
                if not is_temporary(path.name):
                    found.append((facts.st_mtime, facts.st_size, path))
                elif facts.st_mtime < time.time() - ABANDONED_SECONDS:
                    path.unlink()
        return found
