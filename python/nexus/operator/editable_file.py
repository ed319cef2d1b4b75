"""A text file with several editors: read with an ETag, written whole or not at all, refused if it changed."""

import hashlib
import os
import stat
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from nexus.errors import NexusError, PreconditionFailedError, RegistryBusyError
from nexus.operator.guarded_path import GuardedPath
from nexus.operator.jobs.files import guarded_lock
from nexus.operator.write_errors import translate_write_errors

LOCK_SECONDS = 30


@dataclass(frozen=True)
class FileContent:
    data: bytes

    @cached_property
    def etag(self) -> str:
        return f'"{hashlib.sha256(self.data).hexdigest()[:32]}"'


class EditableFile:
    """No link at the path may lead out of the folder ``within``; what is no file there raises ``unreadable``."""

    def __init__(self, path: Path, *, within: Path, unreadable: type[NexusError], max_bytes: int) -> None:
        self.path = path
        self._within = within
        self._unreadable = unreadable
        self._max_bytes = max_bytes

    def read(self) -> FileContent:
        """A missing file reads as an empty one."""
        try:
            file = self._target().open_binary()
        except FileNotFoundError:
            return FileContent(b"")
        except OSError as error:
            raise self._error(f"cannot be read ({error.strerror})") from None
        with file:
            if os.fstat(file.fileno()).st_size > self._max_bytes:
                raise self._error(f"is larger than {self._max_bytes:,} bytes")
            return FileContent(file.read(self._max_bytes))

    def write(self, data: bytes, if_match: str | None = None) -> FileContent:
        target = self._target()
        with translate_write_errors(target.path.parent):
            target.root.mkdir(parents=True, exist_ok=True)
            target.parent.make_directory()
            lock = guarded_lock(target.with_name(f".{target.name}.lock"))
            if not lock.acquire_within(LOCK_SECONDS):
                raise RegistryBusyError(f"Another process has held {self.path.name} for half a minute; try again.")
            with lock:
                self._check(if_match, target)
                target.remove_leftovers()
                target.replace_with(data)  # 0600: a feed's address may be a secret
        return FileContent(data)

    def _target(self) -> GuardedPath:
        """The file behind a link: the link stays a link. Resolved each time, because it may change; what becomes a link
        after this check is not followed."""
        try:
            found = self.path.resolve()
        except (OSError, RuntimeError):  # a loop of links
            raise self._error("cannot be followed") from None
        if found != self._within and self._within not in found.parents:
            raise self._error("is a link that leads out of its folder")
        root = self._within if found != self._within else found.parent
        return GuardedPath(root, found.relative_to(root).parts)

    def _check(self, if_match: str | None, target: GuardedPath) -> None:
        found = target.entry()
        if found is not None and not stat.S_ISREG(found.st_mode):
            raise self._error("is not a regular file")
        if if_match is None:
            return
        wanted = {tag.strip() for tag in if_match.split(",")}
        current = self.read().etag
        if current not in wanted and not ("*" in wanted and found is not None):
            message = f"{self.path.name} was changed by somebody else: load it again, then repeat your change."
            raise PreconditionFailedError(message, etag=current)

    def _error(self, why: str) -> NexusError:
        return self._unreadable(f"{self.path.name} {why}; it was left as it is. Correct it on the server.")
