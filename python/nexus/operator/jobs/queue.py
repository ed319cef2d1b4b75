"""Jobs of one corpus: put into the queue, started, stopped, and their ends found out.

Every decision looks at what is true now, so it does not matter who noticed what before, or was killed before noticing.
"""

import shutil
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import uuid4

from nexus.db.pg_locks import FileLock
from nexus.errors import ConflictError, NexusError
from nexus.logging import get_logger
from nexus.operator.command import Command
from nexus.operator.corpus import Corpus
from nexus.operator.disk import replace_file, writing_to
from nexus.operator.jobs.files import JobFiles
from nexus.operator.jobs.launch import Rules, launch
from nexus.operator.jobs.listener import Listener
from nexus.operator.jobs.processes import kill_if_same, kill_strays, run_cleanup
from nexus.operator.jobs.records import Job, JobOptions, ScheduleMark, StopReason, now
from nexus.operator.jobs.registry import Registry, Writer
from nexus.operator.jobs.settle import look_at, outcome
from nexus.operator.schedules import ScheduledJob, plan

log = get_logger(__name__)

PLAIN = JobOptions()
OVERDUE_SECONDS = 15  # a runner that has not ended this long after its grace is frozen


@dataclass
class Sweep:
    """What one look at a corpus changed, as sentences."""

    changes: list[str] = field(default_factory=list)
    lost: set[str] = field(default_factory=set)


class JobQueue:
    def __init__(self, corpus: Corpus, rules: Rules, listener: Listener | None = None) -> None:
        self.corpus = corpus
        self.rules = rules
        self.registry = Registry(corpus)
        self._listener = listener or Listener()

    def enqueue(self, command: Command, options: JobOptions = PLAIN, mark: ScheduleMark | None = None) -> Job:
        """Queued and on disk when this returns; running already if there was room."""
        with self.registry.locked() as writer:
            job = writer.put(self._new(writer, command, options, mark))
            try:
                self._promote(writer, Sweep())
            except OSError as error:  # it is queued, and that is what the caller asked for
                log.warning("the job could not be started yet", job_id=job.job_id, reason=str(error))
            return writer.job(job.job_id)

    def serve_schedules(self, schedules: list[ScheduledJob], command: Command | None) -> None:
        """Decided under the lock, with the mark in the job's own record: no run is lost, none is made twice."""
        with self.registry.locked() as writer:
            planned = plan(schedules, writer.marks(), now())
            for mark in planned.marks:
                writer.mark(mark)
            waiting = {job.schedule for job in writer.active() if job.status == "queued"}
            for schedule, mark in planned.due:
                if schedule.name in waiting:  # a run that has not begun yet will do for both
                    writer.mark(mark)
                elif command:
                    writer.put(self._new(writer, command, PLAIN, mark))
            self._promote(writer, Sweep())

    def _new(self, writer: Writer, command: Command, options: JobOptions, mark: ScheduleMark | None) -> Job:
        job_id = str(uuid4())
        return Job(
            job_id=job_id,
            seq=writer.next_seq(),
            status="queued",
            created_at=now(),
            argv=command.argv(job_id),
            cleanup=command.cleanup(job_id),
            cwd=command.cwd,
            options=options,
            schedule=mark.schedule_mark if mark else None,
            mark=mark,
        )

    def cancel(self, job_id: str) -> Job:
        """Asks for the end; a job that is over stays as it is."""
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
                return self._ask_to_stop(writer, job.changed(cancel_requested=True), "cancelled")
            return job

    def remove(self, job_id: str) -> None:
        with self.registry.locked() as writer:
            if writer.job(job_id).is_active:
                raise ConflictError("The job is not over yet: cancel it first.")
            writer.remove(job_id)
            self.corpus.log(job_id).unlink(missing_ok=True)
            self._remove_directory(job_id)

    def pause(self) -> None:
        with writing_to(self.corpus.viewer):
            self.corpus.viewer.mkdir(parents=True, exist_ok=True)
            self.corpus.paused.touch()

    def resume(self) -> None:
        with writing_to(self.corpus.viewer):
            self.corpus.paused.unlink(missing_ok=True)
        self.sweep()

    @property
    def is_paused(self) -> bool:
        return self.corpus.paused.exists()

    def sweep(self, *, thorough: bool = False, promote: bool = True) -> Sweep:
        """Settle what ended, stop what must, start what may. Thorough: also look for processes nobody owns."""
        done = Sweep()
        if not thorough and not self.registry.active():
            return done
        with self.registry.locked() as writer:
            for job in writer.active():
                if job.status == "running":
                    self._settle_or_enforce(writer, job, done)
            if done.lost or thorough:
                self._end_strays(writer, done)
            if thorough:
                self._remove_leftovers(writer)
            if promote:
                self._promote(writer, done)
        return done

    def _settle_or_enforce(self, writer: Writer, job: Job, done: Sweep) -> None:
        files = self._files(job)
        finding = look_at(files)
        if finding == "running":
            self._enforce(writer, job, files, done)
            return
        settled = writer.put(outcome(job, files, finding))
        if finding == "lost":
            done.lost.add(job.job_id)
            if job.cleanup:
                run_cleanup(job.cleanup, self.rules.environment)
        if not settled.is_active:
            self._remove_directory(job.job_id)
        reason = f" ({settled.error_reason})" if settled.error_reason else ""
        done.changes.append(f"{job.job_id}: {job.status} → {settled.status}{reason}")

    def _enforce(self, writer: Writer, job: Job, files: JobFiles, done: Sweep) -> None:
        limit = self.rules.stale_seconds
        if job.stop is None and limit and job.started_at and now() - job.started_at > timedelta(seconds=limit):
            job = self._ask_to_stop(writer, job, "wall_clock_stale")
            done.changes.append(f"{job.job_id}: running for more than {limit:g} s, being stopped")
        if job.stop is None or job.stop_at is None:
            return
        if not files.stop.exists():  # we were killed between the record and the file
            self._write_stop(job, job.stop)
        patience = timedelta(seconds=self.rules.cancel_grace_seconds + OVERDUE_SECONDS)
        started = files.started()
        if now() - job.stop_at <= patience or not started or not started.runner_identity:
            return
        if kill_if_same(started.runner_pid, started.runner_identity):
            done.changes.append(f"{job.job_id}: its runner did not answer and was killed")

    def _ask_to_stop(self, writer: Writer, job: Job, reason: StopReason) -> Job:
        """First the record, then the file; whoever sweeps writes the file if we cannot."""
        if job.stop is None:
            job = job.changed(stop=reason, stop_at=now())
        writer.put(job)
        self._write_stop(job, reason)
        return job

    def _write_stop(self, job: Job, reason: StopReason) -> None:
        try:
            replace_file(self._files(job).stop, reason.encode(), mode=0o600)
        except OSError as error:
            log.warning("the job cannot be told to stop yet", job_id=job.job_id, reason=str(error))

    def _promote(self, writer: Writer, done: Sweep) -> None:
        active = writer.active()
        room = self.rules.max_running - sum(job.status == "running" for job in active)
        if self.is_paused:
            return
        for job in [job for job in active if job.status == "queued"][: max(room, 0)]:
            started = self._start(writer, job)
            done.changes.append(f"{job.job_id}: queued → {started.status}")

    def _start(self, writer: Writer, job: Job) -> Job:
        """Lock, room, record, process: killed or refused after any of them, the next sweep knows that nothing ran."""
        files = self._files(job)
        files.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        with FileLock(files.lock) as lock:
            if not lock.acquire():
                return job  # still somebody's; the next sweep looks again
            files.reserve()
            self.corpus.log(job.job_id).touch(0o600)
            job = writer.put(job.changed(status="running", started_at=now(), starts=job.starts + 1))
            try:
                process = launch(self.corpus, job, lock, self.rules)
            except OSError as error:
                failed = job.changed(status="failed", ended_at=now(), error_reason=f"spawn_failed: {error.strerror}")
                return writer.put(failed)
        self._listener.attend(process)
        return job

    def _end_strays(self, writer: Writer, done: Sweep) -> None:
        over = {job.job_id for job in writer.jobs() if not job.is_active}
        for pid in kill_strays(over):
            done.changes.append(f"killed process {pid}, left over by a job that had ended")

    def _remove_leftovers(self, writer: Writer) -> None:
        active = {job.job_id for job in writer.active()}
        for directory in self.corpus.jobs.iterdir():
            if directory.is_dir() and directory.name not in active:
                self._remove_directory(directory.name)

    def _remove_directory(self, job_id: str) -> None:
        shutil.rmtree(self.corpus.job_dir(job_id), ignore_errors=True)

    def _files(self, job: Job) -> JobFiles:
        return JobFiles(self.corpus.job_dir(job.job_id))


def quietly_sweep(queue: JobQueue, *, thorough: bool = False) -> None:
    """For whoever sweeps again soon anyway: what goes wrong is logged and tried again."""
    try:
        for change in queue.sweep(thorough=thorough).changes:
            log.info("job", change=change, corpus=str(queue.corpus.root))
    except (NexusError, OSError) as error:
        with suppress(Exception):
            log.warning("jobs could not be looked after; trying again", reason=str(error))
