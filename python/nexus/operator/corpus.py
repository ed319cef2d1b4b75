"""A corpus directory: where its files are, and which directories a request may name."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nexus.errors import InvalidCorpusPathError
from nexus.operator.guarded_path import GuardedPath
from nexus.podcasts.corpus.layout import FEEDS_SPEC, RUNS, STATUSES

OPERATOR_CONFIG = "viewer_operator.yaml"
MAX_SEARCH_DEPTH = 3
# What a pipeline run fills with thousands of folders; no corpus lies below it.
NEVER_A_CORPUS = {"feeds", "search", "node_modules"}


@dataclass(frozen=True)
class CorpusDirectory:
    root: Path

    @property
    def state_folder(self) -> GuardedPath:
        """The folder with the jobs and schedules. Earlier versions chose its name."""
        return GuardedPath(self.root, (".viewer",))

    @property
    def journal(self) -> GuardedPath:
        return self.state_folder / "jobs.jsonl"

    @property
    def registry_lock(self) -> GuardedPath:
        return self.state_folder / "jobs.jsonl.lock"

    @property
    def jobs(self) -> GuardedPath:
        return self.state_folder / "jobs"

    @property
    def paused(self) -> GuardedPath:
        return self.state_folder / "jobs.paused"

    @property
    def feeds_spec(self) -> Path:
        return self.root / FEEDS_SPEC

    def run_status(self, job_id: str) -> GuardedPath:
        """Written by the run while it runs; a job's id is the id of its run."""
        return GuardedPath(self.root, (STATUSES, f"{job_id}.json"))

    def run_summary(self, job_id: str) -> GuardedPath:
        return GuardedPath(self.root, (RUNS, f"{job_id}.json"))

    def job_dir(self, job_id: str) -> GuardedPath:
        return self.jobs / job_id

    def log(self, job_id: str) -> GuardedPath:
        return self.jobs / f"{job_id}.log"

    def log_relpath(self, job_id: str) -> str:
        return f".viewer/jobs/{job_id}.log"


def resolve_corpus(root: Path, path: str | None) -> CorpusDirectory:
    """The corpus that a request names: the server's own or a directory below it, after resolving links and dots."""
    root = root.resolve()
    wanted = (path or "").strip()
    if "\0" in wanted:
        raise InvalidCorpusPathError("The path of a corpus cannot hold a NUL character.")
    try:
        found = (root / wanted).resolve()
        inside = found == root or root in found.parents
        is_directory = inside and found.is_dir()
    except (OSError, RuntimeError):  # a name too long, a loop of links
        raise InvalidCorpusPathError("That path cannot be followed.") from None
    if not inside:
        raise InvalidCorpusPathError("That path is outside the corpus this server was started with (--output-dir).")
    if not is_directory:
        raise InvalidCorpusPathError("There is no such directory below the corpus this server was started with.")
    return CorpusDirectory(found)


def corpora_with_jobs(root: Path, depth: int = MAX_SEARCH_DEPTH) -> Iterator[CorpusDirectory]:
    """The server's corpus and each corpus below it that ever had a job, to a depth that keeps the search cheap."""
    here = CorpusDirectory(root)
    if here.journal.exists():
        yield here
    if depth == 0:
        return
    try:
        entries = list(os.scandir(root))
    except OSError:
        return
    for entry in entries:
        if not entry.name.startswith(".") and entry.name not in NEVER_A_CORPUS and entry.is_dir(follow_symlinks=False):
            yield from corpora_with_jobs(Path(entry.path), depth - 1)
