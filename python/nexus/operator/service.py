"""What the operator's routes and commands use: the server's corpus, its files and its queues. One per process."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from nexus.config import Settings, container_variables
from nexus.errors import ConfigError, NotFoundError
from nexus.operator.corpus import OPERATOR_CONFIG, CorpusDirectory, corpora_with_jobs, resolve_corpus
from nexus.operator.feeds_file import read_feeds
from nexus.operator.jobs.command import (
    Command,
    Compose,
    compose_service,
    docker_command,
    local_command,
    pipeline_arguments,
)
from nexus.operator.jobs.end_listener import JobEndListener
from nexus.operator.jobs.job_settings import job_settings_from
from nexus.operator.jobs.queue import CommandBuilder, JobQueue, sweep_and_log
from nexus.operator.jobs.records import Job, JobOptions, now
from nexus.operator.jobs.schedules import ListedSchedule, ScheduledJob, list_schedules, parse_schedules, plan
from nexus.operator.operator_config import OperatorConfigFile
from nexus.podcasts.feed_choice import chosen_feed, feed_key


class Operator:
    def __init__(self, settings: Settings, build_command: CommandBuilder | None = None) -> None:
        if settings.output_dir is None:
            raise ConfigError(
                "The feeds, operator-config and jobs APIs work on a corpus: name it with --output-dir "
                "or PODCAST_SERVE_OUTPUT_DIR."
            )
        if not settings.output_dir.expanduser().is_dir():
            raise ConfigError(f"There is no directory {settings.output_dir}: --output-dir must exist.")
        self._settings = settings
        self._build = build_command or self._pipeline_command
        self._job_settings = job_settings_from(settings)
        self._queues: dict[Path, JobQueue] = {}
        self._mutex = threading.Lock()
        self._listener = JobEndListener()
        self.wakeup = self._listener.wakeup
        self.has_sweeper = False  # which also serves the schedules
        self.root = settings.output_dir.expanduser().resolve()
        given = settings.operator_config_file
        if given is not None:
            self.config = OperatorConfigFile(given.expanduser())
        else:
            self.config = OperatorConfigFile(self.root / OPERATOR_CONFIG, within=self.root)

    def corpus(self, path: str | None) -> CorpusDirectory:
        return resolve_corpus(self.root, path)

    def queue(self, corpus: CorpusDirectory) -> JobQueue:
        with self._mutex:
            if corpus.root not in self._queues:
                self._queues[corpus.root] = JobQueue(corpus, self._job_settings, self._build, self._listener)
            return self._queues[corpus.root]

    def queues(self) -> list[JobQueue]:
        """The queues of every corpus with jobs, also of those that another server or a command made."""
        for corpus in corpora_with_jobs(self.root):
            self.queue(corpus)
        with self._mutex:
            return list(self._queues.values())

    @contextmanager
    def listening(self) -> Iterator[None]:
        """``wakeup`` is set when a job ends; the caller then sweeps the queues."""
        self._listener.open()
        try:
            yield
        finally:
            self._listener.close()
            for queue in list(self._queues.values()):  # for jobs that ended while their runners still saw us listening
                sweep_and_log(queue)

    def enqueue(self, corpus: CorpusDirectory, options: JobOptions, feed: str | None = None) -> Job:
        """``feed``: only this one, by its address or its key."""
        if feed is not None:
            options = options.model_copy(update={"feed": _key(corpus, feed)})
        return self.queue(corpus).enqueue(options)

    def schedules(self) -> list[ScheduledJob]:
        return parse_schedules(self.config.document().get("scheduled_jobs"))

    def list_schedules(self) -> list[ListedSchedule]:
        """The schedules of the server's corpus, with their next runs."""
        return list_schedules(self.schedules(), self.queue(CorpusDirectory(self.root)).registry.marks(), now())

    def serve_schedules(self) -> None:
        """Put due runs into the queue of the server's corpus, once, however many servers run."""
        schedules = self.schedules()
        queue = self.queue(CorpusDirectory(self.root))
        first = plan(schedules, queue.registry.marks(), now())
        if first.due or first.marks:
            queue.serve_schedules(schedules)

    def next_due(self, schedules: list[ScheduledJob]) -> datetime | None:
        moments = [schedule.next_after(now()) for schedule in schedules if schedule.enabled]
        return min((moment for moment in moments if moment), default=None)

    @property
    def skipped_lines(self) -> int:
        """How many lines of the registries below the server's corpus are not records of jobs."""
        return sum(queue.registry.bad_lines_seen for queue in list(self._queues.values()))

    def _pipeline_command(self, corpus: CorpusDirectory, job: Job) -> Command:
        arguments = pipeline_arguments(corpus, self.config.path, job)
        here = str(Path.cwd())
        settings = self._settings
        if settings.pipeline_exec_mode == "subprocess":
            return local_command(arguments, here)
        service = compose_service(self.config.document().get("pipeline_install_extras"))
        compose = Compose(service, settings.docker_project_dir, settings.docker_compose_files, container_variables())
        return docker_command(arguments, here, job.job_id, compose)


def _key(corpus: CorpusDirectory, wanted: str) -> str:
    entry = chosen_feed(read_feeds(corpus).spec, wanted)
    if entry is None:
        raise NotFoundError("There is no such feed in this corpus' feeds.spec.yaml.")
    return feed_key(entry.url)
