"""The jobs of one corpus: a journal on disk, its records in memory, and the lock that every change needs."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from nexus.errors import NotFoundError, RegistryBusyError, UnreadableRegistryError
from nexus.logging import get_logger
from nexus.operator.corpus import CorpusDirectory
from nexus.operator.jobs.files import guarded_lock
from nexus.operator.jobs.journal import Journal
from nexus.operator.jobs.records import MAX_SEQUENCE, Job, ScheduleMark, Tombstone, parse_line
from nexus.operator.write_errors import translate_write_errors

log = get_logger(__name__)

LOCK_SECONDS = 30
# A journal is compacted when more lines are outdated than there are jobs, plus these: appending stays O(1).
COMPACTION_SLACK = 1000


class JobRegistry:
    def __init__(self, corpus: CorpusDirectory) -> None:
        self.corpus = corpus
        self._journal = Journal(corpus.journal)
        self._memory = threading.RLock()
        self._forget()

    def _forget(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._active: dict[str, Job] = {}
        self._marks: dict[str, ScheduleMark] = {}
        self._lines = 0
        self._last_seq = 0
        self._bad_lines = 0

    def jobs(self) -> list[Job]:
        """All of them, oldest first."""
        with self._memory:
            self._refresh()
            return list(self._jobs.values())

    def active(self) -> list[Job]:
        with self._memory:
            self._refresh()
            return sorted(self._active.values(), key=lambda job: job.seq)

    def positions(self) -> dict[str, int]:
        """The queued jobs; 1 starts first."""
        queued = (job.job_id for job in self.active() if job.status == "queued")
        return {job_id: position for position, job_id in enumerate(queued, 1)}

    def job(self, job_id: str) -> Job:
        with self._memory:
            self._refresh()
            found = self._jobs.get(job_id)
        if found is None:
            raise NotFoundError("There is no such job in this corpus.")
        return found

    @property
    def bad_lines(self) -> int:
        with self._memory:
            self._refresh()
            return self._bad_lines

    @property
    def bad_lines_seen(self) -> int:
        """When the file was last read."""
        return self._bad_lines

    def marks(self) -> dict[str, ScheduleMark]:
        with self._memory:
            self._refresh()
            return dict(self._marks)

    @contextmanager
    def locked(self) -> Iterator["RegistryWriter"]:
        """Exclusive among all threads, servers and commands on this corpus."""
        with translate_write_errors(self.corpus.state_folder.path):
            self.corpus.jobs.make_directory()
            lock = guarded_lock(self.corpus.registry_lock)
            if not lock.acquire_within(LOCK_SECONDS):
                raise RegistryBusyError("Another process has held the job registry for half a minute; try again.")
            with lock:
                yield RegistryWriter(self)

    def write(self, record: Job | Tombstone | ScheduleMark) -> None:
        """For `RegistryWriter`: the lock must be held."""
        with self._memory:
            self._journal.append(_readable_line(record))
            self._refresh()
            if self._lines > 2 * len(self._jobs) + COMPACTION_SLACK:
                self._compact()

    def next_seq(self) -> int:
        with self._memory:
            self._refresh()
            # Jobs with the same number keep the order in which they were put: a planted number cannot use them all up.
            return min(self._last_seq + 1, MAX_SEQUENCE)

    def _compact(self) -> None:
        kept: list[Job | ScheduleMark] = [job.changed() for job in self._jobs.values()]
        kept += self._marks.values()
        try:
            self._journal.replace(record.line() for record in kept)
        except OSError as error:
            log.warning("the job registry could not be compacted; it stays usable", reason=str(error))
            return
        self._refresh()

    def _refresh(self) -> None:
        try:
            new_lines = self._journal.read_new()
        except OSError as error:
            message = f"The job registry {self._journal.path} cannot be read: {error.strerror or error}."
            raise UnreadableRegistryError(message) from error
        records = [parse_line(line) for line in new_lines.lines]  # all of them before any is applied
        if new_lines.is_other_file:
            self._forget()
        skipped = self._bad_lines
        self._lines += len(records)
        for record in records:
            self._take(record)
        self._journal.accept(new_lines)
        if self._bad_lines > skipped:
            lines, path = self._bad_lines - skipped, str(self._journal.path)
            log.warning("lines of the job registry are not records and were skipped", lines=lines, path=path)

    def _take(self, record: Job | Tombstone | ScheduleMark | None) -> None:
        match record:
            case Job():
                self._jobs[record.job_id] = record
                self._last_seq = max(self._last_seq, record.seq)
                if record.is_active:
                    self._active[record.job_id] = record
                else:
                    self._active.pop(record.job_id, None)
                if record.mark:
                    self._marks[record.mark.schedule_mark] = record.mark
            case Tombstone():
                self._jobs.pop(record.removed, None)
                self._active.pop(record.removed, None)
            case ScheduleMark():
                self._marks[record.schedule_mark] = record
            case None:
                self._bad_lines += 1


def _readable_line(record: Job | Tombstone | ScheduleMark) -> bytes:
    """A line that would be skipped when it is read back is not written: the job would be lost."""
    line = record.line()
    if parse_line(line) is None:
        raise ValueError("this record of a job cannot be read back")
    return line


class RegistryWriter:
    """Changes of the registry, while its lock is held."""

    def __init__(self, registry: JobRegistry) -> None:
        self._registry = registry
        self.active = registry.active
        self.job = registry.job
        self.jobs = registry.jobs
        self.marks = registry.marks
        self.next_seq = registry.next_seq

    def put(self, record: Job) -> Job:
        self._registry.write(record)
        return record

    def mark(self, record: ScheduleMark) -> None:
        self._registry.write(record)

    def remove(self, job_id: str) -> None:
        self._registry.write(Tombstone(removed=job_id))
