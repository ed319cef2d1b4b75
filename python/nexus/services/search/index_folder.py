"""The folder of this machine's indexes, and how far each of them is. Everything in it can be rebuilt."""

import json
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

from nexus.search.index import META
from nexus.search.schema import VERSION
from nexus.system.atomic_files import remove_leftovers, replace_file
from nexus.system.file_lock import FileLock

BUILDING = ".building.json"
REQUESTED = ".rebuild"
LOCK = ".lock"
MAX_TRANSACTION = 2**63  # as PostgreSQL counts them


@dataclass(frozen=True)
class Build:
    """An index that is being built: the log counts from `since` on, and entries up to `after` are in."""

    since: int
    after: UUID | None = None
    done: int = 0
    total: int = 0


class IndexFolder:
    """`identity`: of the rows that the indexes are built from."""

    def __init__(self, data_dir: Path, identity: str) -> None:
        self.root = data_dir / "search"
        self.path = self.root / f"{VERSION}-{identity}"

    def lock(self) -> FileLock:
        """The lock of the one process that writes."""
        self.root.mkdir(parents=True, exist_ok=True)
        return FileLock(self.root / f"{self.path.name}{LOCK}")

    def clean(self) -> None:
        """Removes what killed writers left, and indexes of other databases or versions that are no longer updated."""
        self.root.mkdir(parents=True, exist_ok=True)
        remove_leftovers(self.path)
        for other in self.root.iterdir():
            if not other.is_dir() or other == self.path:
                continue
            with FileLock(self.root / f"{other.name}{LOCK}") as lock:
                if lock.acquire():
                    shutil.rmtree(other, ignore_errors=True)
                    lock.path.unlink(missing_ok=True)

    def index_path(self, library_id: UUID) -> Path:
        return self.path / str(library_id)

    def exists(self, library_id: UUID) -> bool:
        return (self.index_path(library_id) / META).is_file()

    def is_complete(self, library_id: UUID) -> bool:
        return self.exists(library_id) and not self._build_file(library_id).exists()

    def libraries(self) -> list[UUID]:
        return [found for entry in self._entries("*") if entry.is_dir() and (found := _id(entry.name))]

    def unfinished(self) -> Iterator[UUID]:
        return self._named(BUILDING)

    def clear(self, library_id: UUID) -> None:
        """Whatever is there in its place."""
        path = self.index_path(library_id)
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)

    def remove(self, library_id: UUID) -> None:
        # The files first: what is half removed and not being built would count as complete.
        self.clear(library_id)
        self._build_file(library_id).unlink(missing_ok=True)

    def request_rebuild(self, library_id: UUID) -> None:
        """May be called in any process; the one that writes the indexes does it."""
        self.path.mkdir(parents=True, exist_ok=True)
        (self.path / f"{library_id}{REQUESTED}").touch()

    def requested(self) -> Iterator[UUID]:
        return self._named(REQUESTED)

    def take_requested(self) -> Iterator[UUID]:
        for library_id in self.requested():
            yield library_id
            (self.path / f"{library_id}{REQUESTED}").unlink(missing_ok=True)  # once it is begun

    def reached(self) -> int | None:
        """Up to where the log has been read for all complete indexes; None: there is none yet."""
        found = _read(self._progress_file)
        until = found.get("until") if found else None
        return until if isinstance(until, int) and 0 <= until < MAX_TRANSACTION else None

    def set_reached(self, until: int) -> None:
        self._write(self._progress_file, {"until": until})

    def build(self, library_id: UUID) -> Build | None:
        found = _read(self._build_file(library_id))
        if found is None:
            return None
        try:
            after = UUID(found["after"]) if found["after"] else None
            return Build(int(found["since"]), after, int(found["done"]), int(found["total"]))
        except (KeyError, TypeError, ValueError, AttributeError):  # not ours: as if it were damaged
            return None

    def set_build(self, library_id: UUID, build: Build | None) -> None:
        if build is None:
            self._build_file(library_id).unlink(missing_ok=True)
        else:
            self._write(self._build_file(library_id), asdict(build))

    def size(self) -> int:
        """In bytes."""
        total = 0
        for entry in self._entries("*/*"):
            with suppress(FileNotFoundError):  # merged away
                total += entry.stat().st_size
        return total

    def _write(self, path: Path, value: dict[str, Any]) -> None:
        self.path.mkdir(parents=True, exist_ok=True)
        replace_file(path, json.dumps(value, default=str).encode(), durable=True)

    def _named(self, suffix: str) -> Iterator[UUID]:
        found = [_id(path.name.removesuffix(suffix)) for path in self._entries(f"*{suffix}")]
        return (library_id for library_id in found if library_id)

    def _entries(self, pattern: str) -> list[Path]:
        return list(self.path.glob(pattern)) if self.path.is_dir() else []

    @property
    def _progress_file(self) -> Path:
        return self.path / "progress.json"

    def _build_file(self, library_id: UUID) -> Path:
        return self.path / f"{library_id}{BUILDING}"


def _read(path: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_bytes())
    except (FileNotFoundError, ValueError):  # damaged: as if it were not there
        return None
    return found if isinstance(found, dict) else None


def _id(name: str) -> UUID | None:
    """A foreign file is none of ours."""
    try:
        return UUID(name)
    except ValueError:
        return None
