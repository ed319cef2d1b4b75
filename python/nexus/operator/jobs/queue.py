"""The job queue of one corpus: enqueue, start, stop and settle.

Every decision is made from the current state on disk, so whatever a killed process left undone, the next one finds and
completes.
"""

import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import uuid4

from nexus.errors import ConflictError, NexusError
from nexus.logging import get_logger
from nexus.operator.corpus import CorpusDirectory
from nexus.operator.jobs.command import Command
from nexus.operator.jobs.end_listener import JobEndListener
from nexus.operator.jobs.files import JobFiles
from nexus.operator.jobs.job_outcome import inspect_job, outcome
from nexus.operator.jobs.launch import JobSettings, launch
from nexus.operator.jobs.lost_containers import remove_lost_containers
from nexus.operator.jobs.processes import kill_runners_with, kill_strays
from nexus.operator.jobs.records import (
    MAX_REASON,
    MAX_RECORDED_STARTS,
    Job,
    JobId,
    JobOptions,
    ScheduleMark,
    StopReason,
    is_job_id,
    now,
)
from nexus.operator.jobs.registry import JobRegistry, RegistryWriter
from nexus.operator.jobs.results import result_of
from nexus.operator.jobs.schedules import ScheduledJob, plan
from nexus.operator.write_errors import translate_write_errors

log = get_logger(__name__)

DEFAULT_OPTIONS = JobOptions()
CommandBuilder = Callable[[CorpusDirectory, Job], Command]
PROGRESS_SECONDS = 60
OVERDUE_SECONDS = 15  # a runner that has not ended this long after its grace is frozen


@dataclass
class SweepReport:
    """What one sweep of a corpus changed, as sentences."""

    changes: list[str] = field(default_factory=list)
    lost: set[str] = field(default_factory=set)


class JobQueue:
    def __init__(
        self,
        corpus: CorpusDirectory,
        settings: JobSettings,
        build: CommandBuilder,
        listener: JobEndListener | None = None,
    ) -> None:
        self.corpus = corpus
        self.settings = settings
        self._build = build
        self.registry = JobRegistry(corpus)
        self._listener = listener or JobEndListener()

    def enqueue(self, options: JobOptions = DEFAULT_OPTIONS) -> Job:
        """Queued and on disk when this returns; running already if there was room."""
        with self.registry.locked() as writer:
            job = writer.put(self._new(writer, options))
            try:
                self._promote(writer, SweepReport())
            except OSError as error:  # it is queued, which is what the caller requested
                log.warning("the job could not be started yet", job_id=job.job_id, reason=str(error))
            return writer.job(job.job_id)

    def serve_schedules(self, schedules: list[ScheduledJob]) -> None:
        """Decided under the lock, with the mark in the job's own record: no run is lost or queued twice."""
        with self.registry.locked() as writer:
            planned = plan(schedules, writer.marks(), now())
            for mark in planned.marks:
                writer.mark(mark)
            waiting = {job.schedule for job in writer.active() if job.status == "queued"}
            for schedule, mark in planned.due:
                if schedule.name in waiting:  # a run that is still queued serves both
                    writer.mark(mark)
                else:
                    writer.put(self._new(writer, DEFAULT_OPTIONS, mark))
            self._promote(writer, SweepReport())

    def _new(self, writer: RegistryWriter, options: JobOptions, mark: ScheduleMark | None = None) -> Job:
        job_id = str(uuid4())
        job = Job(
            job_id=job_id,
            seq=writer.next_seq(),
            status="queued",
            created_at=now(),
            options=options,
            schedule=mark.schedule_mark if mark else None,
            mark=mark,
            log_relpath=self.corpus.log_relpath(job_id),
        )
        # Built again at the start; until then it is shown, and building it refuses what could not run.
        return job.model_copy(update={"argv_summary": _summary(self._build(self.corpus, job))})

    def cancel(self, job_id: str) -> Job:
        """Requests its end; a job that is over stays as it is."""
        with self.registry.locked() as writer:
            job = writer.job(job_id)
            if job.status == "queued":
                return writer.put(
                    job.changed(
                        status="cancelled",
                        error_reason="cancelled_before_start",
                        cancel_requested=True,
                        ended_at=now(),
                    )
                )
            if job.status == "running" and not job.cancel_requested:
                return self._request_stop(writer, job.changed(cancel_requested=True), "cancelled")
            return job

    def remove(self, job_id: str) -> None:
        with self.registry.locked() as writer:
            if writer.job(job_id).is_active:
                raise ConflictError("The job is not over yet: cancel it first.")
            writer.remove(job_id)
            self.corpus.log(job_id).unlink()
            self._remove_directory(job_id)

    def pause(self) -> None:
        with translate_write_errors(self.corpus.state_folder.path):
            self.corpus.state_folder.make_directory()
            self.corpus.paused.touch()

    def resume(self) -> None:
        with translate_write_errors(self.corpus.state_folder.path):
            self.corpus.paused.unlink()
        self.sweep()

    @property
    def is_paused(self) -> bool:
        return self.corpus.paused.exists()

    def sweep(self, *, thorough: bool = False, promote: bool = True) -> SweepReport:
        """Settle what ended, stop what must, start what may. Thorough: also end processes that jobs left."""
        report = SweepReport()
        if not thorough and not self.registry.active():
            return report
        removed = self._remove_lost_containers()
        with self.registry.locked() as writer:
            for job in writer.active():
                if job.status == "running":
                    self._settle_or_enforce(writer, job, removed, report)
            if report.lost or thorough:
                self._kill_strays(writer, report)
            if thorough:
                self._remove_leftovers(writer)
            if promote:
                self._promote(writer, report)
        return report

    def _remove_lost_containers(self) -> set[JobId]:
        """Removes the containers of jobs that were lost with their runner; returns the ids of those to settle.

        Without the registry's lock: it may take a minute. A sweep that is killed here leaves them to the next one.
        """
        if not any(job.exec_mode == "docker" for job in self.registry.active()):
            return set()
        with self.registry.locked() as writer:
            running = [job for job in writer.active() if job.status == "running" and job.exec_mode == "docker"]
            lost = [job for job in running if inspect_job(self._files(job)) == "lost"]
        return remove_lost_containers(lost, self.settings.environment)

    def _settle_or_enforce(self, writer: RegistryWriter, job: Job, removed: set[JobId], report: SweepReport) -> None:
        files = self._files(job)
        state = inspect_job(files)
        if state == "running":
            self._enforce(writer, self._record_progress(writer, job, files), files, report)
            return
        if state == "lost" and job.exec_mode == "docker" and job.job_id not in removed:
            return  # its container may still run: the next sweep removes that first
        settled = writer.put(outcome(job, files, state, result_of(self.corpus, job.job_id)))
        if state == "lost":
            report.lost.add(job.job_id)
        if not settled.is_active:
            self._remove_directory(job.job_id)
        reason = f" ({settled.error_reason})" if settled.error_reason else ""
        report.changes.append(f"{job.job_id}: {job.status} → {settled.status}{reason}")

    def _record_progress(self, writer: RegistryWriter, job: Job, files: JobFiles) -> Job:
        """For readers of the registry file: the pid, and at most once a minute when the log last grew."""
        started, wrote_at = files.started(), self.corpus.log(job.job_id).modified_at()
        pid = started.pid if started else job.pid
        known = job.last_progress_at
        if wrote_at is not None and known is not None and wrote_at - known < timedelta(seconds=PROGRESS_SECONDS):
            wrote_at = known
        if pid == job.pid and wrote_at == known:
            return job
        return writer.put(job.changed(pid=pid, last_progress_at=wrote_at))

    def _enforce(self, writer: RegistryWriter, job: Job, files: JobFiles, report: SweepReport) -> None:
        limit = self.settings.stale_seconds
        if job.stop is None and limit and job.started_at and now() - job.started_at > timedelta(seconds=limit):
            job = self._request_stop(writer, job, "wall_clock_stale")
            report.changes.append(f"{job.job_id}: running for more than {limit:g} s, being stopped")
        if job.stop is None or job.stop_at is None:
            return
        if not files.stop.exists():  # a process was killed between the record and the file
            self._write_stop(job, job.stop)
        allowed = timedelta(seconds=self.settings.cancel_grace_seconds + OVERDUE_SECONDS)
        if now() - job.stop_at > allowed and kill_runners_with(files.lock_file):
            report.changes.append(f"{job.job_id}: its runner did not react and was killed")

    def _request_stop(self, writer: RegistryWriter, job: Job, reason: StopReason) -> Job:
        """First the record, then the file; if this process cannot write the file, the next sweep does."""
        if job.stop is None:
            job = job.changed(stop=reason, stop_at=now())
        writer.put(job)
        self._write_stop(job, reason)
        return job

    def _write_stop(self, job: Job, reason: StopReason) -> None:
        try:
            self._files(job).stop.replace_with(reason.encode())
        except OSError as error:
            log.warning("the job cannot be stopped yet", job_id=job.job_id, reason=str(error))

    def _promote(self, writer: RegistryWriter, report: SweepReport) -> None:
        if self.is_paused:
            return
        for job in startable(writer.active(), self.settings.max_running):
            started = self._start(writer, job)
            report.changes.append(f"{job.job_id}: queued → {started.status}")

    def _start(self, writer: RegistryWriter, job: Job) -> Job:
        """Lock, reserve, record, launch: after a kill between any two, the next sweep knows that nothing ran."""
        files = self._files(job)
        try:
            command = self._build(self.corpus, job)
        except NexusError as error:
            return writer.put(_spawn_failed(job, error.message))
        files.directory.make_directory(0o700)
        with files.lock as lock:
            if not lock.acquire():
                return job  # still held by another process; the next sweep tries again
            files.reserve()
            self.corpus.log(job.job_id).touch()
            starts = min(job.starts + 1, MAX_RECORDED_STARTS)
            job = job.changed(argv_summary=_summary(command), exec_mode=command.exec_mode, starts=starts)
            job = writer.put(job.changed(status="running", started_at=now(), last_progress_at=now()))
            try:
                process = launch(self.corpus, job, command, lock, self.settings)
            except OSError as error:
                return writer.put(_spawn_failed(job, str(error.strerror)))
        self._listener.watch(process)
        return job

    def _kill_strays(self, writer: RegistryWriter, report: SweepReport) -> None:
        over = {job.job_id for job in writer.jobs() if not job.is_active}
        for pid in kill_strays(over):
            report.changes.append(f"killed process {pid}, left over by a job that had ended")

    def _remove_leftovers(self, writer: RegistryWriter) -> None:
        """Directories of jobs that are over; other files there are left alone."""
        active = {job.job_id for job in writer.active()}
        for name in self.corpus.jobs.names():
            if is_job_id(name) and name not in active:
                self._remove_directory(name)

    def _remove_directory(self, job_id: str) -> None:
        directory = self.corpus.job_dir(job_id)
        if directory.is_directory():
            directory.remove_tree()

    def _files(self, job: Job) -> JobFiles:
        return JobFiles(self.corpus.job_dir(job.job_id))


def startable(active: Iterable[Job], max_running: int) -> list[Job]:
    """The queued jobs that may run now, in order. A run of one feed may run beside runs of other feeds; a run of all
    feeds runs alone. A queued job is not overtaken by a later one that would keep it waiting."""
    jobs = list(active)
    ahead = [job for job in jobs if job.status == "running"]
    room = max_running - len(ahead)
    found: list[Job] = []
    for job in (job for job in jobs if job.status == "queued"):
        if len(found) >= room:
            break
        if not any(_conflict(job, other) for other in ahead):
            found.append(job)
        ahead.append(job)
    return found


def _conflict(job: Job, other: Job) -> bool:
    feeds = (job.options.feed, other.options.feed)
    return None in feeds or feeds[0] == feeds[1]


def _summary(command: Command) -> str:
    return _as_text(json.dumps(command.argv, ensure_ascii=False))


def _spawn_failed(job: Job, reason: str) -> Job:
    reason = f"spawn_failed: {_as_text(reason)}"[:MAX_REASON]
    return job.changed(status="failed", ended_at=now(), error_reason=reason)


def _as_text(words: str) -> str:
    """A path may hold bytes that are not UTF-8; a record may not."""
    return words.encode("utf-8", "replace").decode()


def sweep_and_log(queue: JobQueue, *, thorough: bool = False) -> None:
    """For callers that sweep again soon: errors are logged and the next sweep tries again. Also where the log cannot be
    written, as on a full disk: nobody else would start and end jobs."""
    try:
        for change in queue.sweep(thorough=thorough).changes:
            log.info("job changed", change=change, corpus=str(queue.corpus.root))
    except (NexusError, OSError) as error:
        with suppress(Exception):
            log.warning("the jobs could not be swept; trying again", reason=str(error))
    except Exception:  # a defect in one corpus must not stop the others
        with suppress(Exception):
            log.exception("the jobs could not be swept; trying again", corpus=str(queue.corpus.root))
