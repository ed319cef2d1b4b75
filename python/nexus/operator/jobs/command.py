"""The command of a job: what an operator could type, without secrets.

Built when the job starts, from its checked options and this server's settings: nothing read from the corpus decides
what is run.
"""

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from nexus.errors import MissingInstallExtrasError
from nexus.operator.corpus import CorpusDirectory
from nexus.operator.jobs.records import ExecMode, Job

SERVICES = {"ml": "pipeline", "llm": "pipeline-llm"}


@dataclass(frozen=True)
class Command:
    argv: tuple[str, ...]
    cwd: str | None = None  # None: the corpus itself
    exec_mode: ExecMode = "subprocess"


@dataclass(frozen=True)
class Compose:
    """How ``docker compose`` is called, and the names of the variables that it passes to the container."""

    service: str
    project_dir: Path | None
    files: tuple[str, ...]
    variables: tuple[str, ...] = ()


def local_command(arguments: Iterable[str], cwd: str) -> Command:
    """``cwd``: of the process that starts the job; profiles may lie in ./config."""
    return Command((sys.executable, "-m", "nexus.cli", *arguments), cwd)


def docker_command(arguments: Iterable[str], cwd: str, job_id: str, compose: Compose) -> Command:
    """``docker compose run`` into the service whose image has what the operator's configuration needs."""
    where = ("--project-directory", str(compose.project_dir)) if compose.project_dir else ()
    files = tuple(word for name in compose.files for word in ("--file", name))
    variables = tuple(word for name in compose.variables for word in ("--env", name))
    run = ("run", "--rm", "--no-TTY", "--name", container_name(job_id), *variables)
    return Command(("docker", "compose", *where, *files, *run, compose.service, "nexus", *arguments), cwd, "docker")


def container_name(job_id: str) -> str:
    return f"nexus-job-{job_id}"


def container_removal(job_id: str) -> tuple[str, ...]:
    """Removes the container of a job whose own process could not."""
    return ("docker", "rm", "--force", container_name(job_id))


def pipeline_arguments(corpus: CorpusDirectory, operator_config: Path, job: Job) -> tuple[str, ...]:
    options = job.options
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
    return (*words, "--run-id", job.job_id)


def compose_service(extras: object) -> str:
    """For Docker mode only: elsewhere the key has no meaning and may be missing."""
    service = SERVICES.get(extras) if isinstance(extras, str) else None
    if service is None:
        raise MissingInstallExtrasError(
            "PODCAST_PIPELINE_EXEC_MODE=docker needs 'pipeline_install_extras: ml' or 'pipeline_install_extras: llm' "
            "in the operator configuration: it says which image runs the job."
        )
    return service
