"""What a job runs: exactly what an operator could type, and never a secret in it."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from nexus.errors import MissingInstallExtrasError
from nexus.operator.corpus import Corpus
from nexus.operator.jobs.records import JobOptions

SERVICES = {"ml": "pipeline", "llm": "pipeline-llm"}


class Command(Protocol):
    @property
    def cwd(self) -> str | None:
        """None: the corpus itself."""

    def argv(self, job_id: str) -> tuple[str, ...]: ...

    def cleanup(self, job_id: str) -> tuple[str, ...]:
        """What ends the job if its process cannot: nothing, or the removal of its container."""


@dataclass(frozen=True)
class HereCommand:
    arguments: tuple[str, ...]
    cwd: str  # whoever asks for the job: profiles may lie in ./config

    def argv(self, job_id: str) -> tuple[str, ...]:  # noqa: ARG002 - a process needs no name
        return (sys.executable, "-m", "nexus.cli", *self.arguments)

    def cleanup(self, job_id: str) -> tuple[str, ...]:  # noqa: ARG002
        return ()


@dataclass(frozen=True)
class DockerCommand:
    """``docker compose run`` into the service whose image has what the operator's configuration needs."""

    arguments: tuple[str, ...]
    cwd: str
    service: str
    project_dir: Path | None
    compose_files: tuple[str, ...]

    def argv(self, job_id: str) -> tuple[str, ...]:
        where = ("--project-directory", str(self.project_dir)) if self.project_dir else ()
        files = tuple(word for name in self.compose_files for word in ("--file", name))
        run = ("run", "--rm", "--no-TTY", "--name", _container(job_id))
        return ("docker", "compose", *where, *files, *run, self.service, "nexus", *self.arguments)

    def cleanup(self, job_id: str) -> tuple[str, ...]:
        return ("docker", "rm", "--force", _container(job_id))


def _container(job_id: str) -> str:
    return f"nexus-job-{job_id}"


def pipeline_arguments(corpus: Corpus, operator_config: Path, options: JobOptions) -> tuple[str, ...]:
    words = ["podcast", "--output-dir", str(corpus.root)]
    if operator_config.is_file():
        words += ["--config", str(operator_config)]
    if corpus.feeds_spec.is_file():
        words += ["--feeds-spec", str(corpus.feeds_spec)]
    if options.feed is not None:
        words += ["--feed", options.feed]
    if options.max_episodes is not None:
        words += ["--max-episodes", str(options.max_episodes)]
    if options.skip_existing:
        words.append("--skip-existing")
    if options.dry_run:
        words.append("--dry-run")
    return tuple(words)


def compose_service(extras: object) -> str:
    """Only asked in Docker mode: elsewhere the key means nothing and may be missing."""
    service = SERVICES.get(extras) if isinstance(extras, str) else None
    if service is None:
        raise MissingInstallExtrasError(
            "PODCAST_PIPELINE_EXEC_MODE=docker needs 'pipeline_install_extras: ml' or 'pipeline_install_extras: llm' "
            "in the operator configuration: it says which image runs the job."
        )
    return service
