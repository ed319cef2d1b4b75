"""The files and locks of a corpus folder."""

import hashlib
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import ada_url

from nexus.errors import CorpusBusyError, UnreadableInputError
from nexus.podcasts.corpus.files import slug_of
from nexus.system.atomic_files import remove_leftovers, remove_leftovers_of
from nexus.system.file_lock import FileLock

FEEDS_SPEC = "feeds.spec.yaml"
LOCK = ".pipeline.lock"
STATUS = ".pipeline_status.json"
MANIFEST = "corpus_manifest.json"
INCIDENTS = "corpus_incidents.jsonl"
RUNS = ".pipeline_runs"
STATUSES = ".pipeline_status"
FEED_LOCKS = ".pipeline_locks"
WRITE_LOCK = ".pipeline.write.lock"
WRITE_SECONDS = 60


def feed_slug(url: str) -> str:
    """The folder of a feed: readable, and different for each URL."""
    parsed = ada_url.URL(url)
    digest = hashlib.sha256(parsed.href.encode()).hexdigest()[:8]
    return f"{slug_of(parsed.hostname)}-{digest}"


@dataclass(frozen=True)
class FeedFolder:
    path: Path

    @property
    def about(self) -> Path:
        return self.path / "feed.json"

    @property
    def episodes(self) -> Path:
        return self.path / "episodes.json"

    @property
    def transcripts(self) -> Path:
        return self.path / "transcripts"

    @property
    def metadata(self) -> Path:
        return self.path / "metadata"

    @property
    def audio(self) -> Path:
        return self.path / "audio"

    @property
    def runs(self) -> Path:
        return self.path / "runs"

    @property
    def cache(self) -> Path:
        return self.path / ".cache"

    def work(self, number: int) -> Path:
        """The files of an unfinished episode."""
        return self.path / ".work" / f"{number:04d}"

    def metadata_of(self, stem: str) -> Path:
        return self.metadata / f"{stem}.metadata.json"

    def prepare(self) -> None:
        for folder in (self.path, self.transcripts, self.metadata, self.runs):
            folder.mkdir(parents=True, exist_ok=True)
            remove_leftovers(folder)
        if self.audio.is_dir():
            remove_leftovers(self.audio)
        for run in self.runs.iterdir():
            if not (run / "run.json").exists():  # the run was killed while writing it
                shutil.rmtree(run, ignore_errors=True)

    def clear_work(self, number: int) -> None:
        shutil.rmtree(self.work(number), ignore_errors=True)

    def tidy_work(self, done: set[int]) -> None:
        """Removes the work files of finished episodes, and half-written files of the others."""
        for folder in (self.path / ".work").glob("*"):
            if folder.name.isdigit() and int(folder.name) in done:
                shutil.rmtree(folder, ignore_errors=True)
            else:
                remove_leftovers(folder)
        with suppress(OSError):  # not empty: a failed episode continues from there
            (self.path / ".work").rmdir()


@dataclass(frozen=True)
class Corpus:
    root: Path

    @property
    def feeds(self) -> Path:
        return self.root / "feeds"

    @property
    def status(self) -> Path:
        return self.root / STATUS

    @property
    def manifest(self) -> Path:
        return self.root / MANIFEST

    @property
    def incidents(self) -> Path:
        return self.root / INCIDENTS

    def run_summary(self, run_id: str) -> Path:
        return self.root / RUNS / f"{run_id}.json"

    def run_status(self, run_id: str) -> Path:
        return self.root / STATUSES / f"{run_id}.json"

    def feed(self, slug: str) -> FeedFolder:
        return FeedFolder(self.feeds / slug)

    def below(self, folder: str) -> Path | None:
        """That folder in the corpus; None if the name, or a symbolic link, leads out of it."""
        try:
            root = self.root.resolve()
            found = (root / folder).resolve()
        except (OSError, RuntimeError, ValueError):  # a loop of symbolic links, a NUL
            return None
        return found if root in found.parents else None

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Locks the corpus; the kernel releases the lock however the run ends."""
        with self._locked(FileLock(self.root / LOCK), str(self.root)):
            yield

    @contextmanager
    def feeds_locked(self, slugs: Callable[[], set[str]]) -> Iterator[None]:
        """Locks these feeds: other feeds can be run at the same time, the whole corpus cannot."""
        with ExitStack() as locks:
            locks.enter_context(self._locked(FileLock(self.root / LOCK), str(self.root), shared=True))
            chosen = slugs()
            for slug in sorted(chosen):
                locks.enter_context(self._locked(FileLock(self.root / FEED_LOCKS / slug), f"the feed {slug}"))
            if slugs() != chosen:  # another run has noticed that a feed moved
                raise CorpusBusyError("Another run noticed at the same time that a feed has moved; try again.")
            yield

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Locks what all runs write: the manifest and the summaries."""
        lock = FileLock(self.root / WRITE_LOCK)
        if not lock.acquire_within(WRITE_SECONDS):
            raise CorpusBusyError(f"Another run has been writing the manifest of {self.root} for a minute.")
        with lock:
            remove_leftovers_of(self.manifest)  # of a run that was killed; others write to this folder, too
            yield

    @contextmanager
    def _locked(self, lock: FileLock, name: str, *, shared: bool = False) -> Iterator[None]:
        try:
            self.feeds.mkdir(parents=True, exist_ok=True)
            lock.path.parent.mkdir(exist_ok=True)
            acquired = lock.acquire(shared=shared)
        except OSError as error:
            raise UnreadableInputError(f"Cannot write to {self.root}: {error.strerror}.") from error
        if not acquired:
            raise CorpusBusyError(f"Another run is working on {name}; wait for it or stop it.")
        with lock:
            yield
