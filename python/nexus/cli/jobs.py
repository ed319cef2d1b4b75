"""``nexus jobs``: the jobs of a corpus, on the same registry and locks as the server, whether one runs or not."""

import json
import threading
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer

from nexus.cli.shared_options import ConfigFile, DataDir, Json, OutputDir, start_logging
from nexus.config import load_settings
from nexus.errors import ConfigError, NexusError
from nexus.operator.corpus import CorpusDirectory
from nexus.operator.jobs.log_reader import read_from
from nexus.operator.jobs.queue import JobQueue
from nexus.operator.jobs.records import Job, JobOptions
from nexus.operator.jobs.views import JobView, view_job, view_jobs
from nexus.operator.service import Operator

POLL_SECONDS = 0.3
FAILED = 1

app = typer.Typer(help="Run, watch and cancel the pipeline's jobs in a corpus directory.", no_args_is_help=True)
JobId = Annotated[str, typer.Argument(help="The job's id, or its beginning.", metavar="ID")]


def register(parent: typer.Typer) -> None:
    parent.add_typer(app, name="jobs")


@app.command("list")
def list_(
    output_dir: OutputDir = None,
    status: Annotated[list[str] | None, typer.Option(help="Only these; may be given more than once.")] = None,
    as_json: Json = False,
) -> None:
    """Show the jobs, oldest first."""
    queue = _queue(output_dir)
    jobs = [job for job in queue.registry.jobs() if not status or job.status in status]
    views = view_jobs(queue.registry, jobs)
    if as_json:
        typer.echo(json.dumps([_as_json(view) for view in views]))
        return
    for view in views:
        typer.echo(_line(view))
    if not views:
        typer.echo("No jobs with this status." if status else "No jobs yet. Start one with: nexus jobs run")
    if queue.is_paused:
        typer.echo("Paused: no job starts until the queue is resumed.", err=True)


@app.command()
def show(job_id: JobId, output_dir: OutputDir = None, as_json: Json = False) -> None:
    """Show one job."""
    queue = _queue(output_dir)
    _show(queue, _find(queue, job_id), as_json=as_json)


@app.command()
def run(
    output_dir: OutputDir = None,
    config_file: ConfigFile = None,
    data_dir: DataDir = None,
    feed: Annotated[str | None, typer.Option(help="Only this feed: its address or its key.")] = None,
    max_episodes: Annotated[int | None, typer.Option(min=1, help="At most this many episodes per feed.")] = None,
    skip_existing: Annotated[bool, typer.Option("--skip-existing", help="Skip existing episodes.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be fetched.")] = False,
    detach: Annotated[bool, typer.Option("--detach", help="Do not wait for the job to end.")] = False,
    as_json: Json = False,
) -> None:
    """Put a run into the queue and follow it; exit 0 if it succeeds. Ctrl-C stops following, not the job."""
    operator = _operator(output_dir, config_file, data_dir)
    queue = operator.queue(CorpusDirectory(operator.root))
    options = JobOptions(max_episodes=max_episodes, skip_existing=skip_existing, dry_run=dry_run)
    with nullcontext() if detach else operator.listening():
        job = operator.enqueue(queue.corpus, options, feed)
        if not detach:
            typer.echo(f"{job.job_id} {job.status}", err=True)
            _follow(queue, job.job_id, operator.wakeup, promote=True)
    job = queue.registry.job(job.job_id)
    _show(queue, job, as_json=as_json)
    if not detach and job.status != "succeeded":
        raise typer.Exit(FAILED)


@app.command()
def cancel(job_id: JobId, output_dir: OutputDir = None, as_json: Json = False) -> None:
    """Ask a job to end; it is killed after the grace period. A job that is over stays as it is."""
    queue = _queue(output_dir)
    _show(queue, queue.cancel(_find(queue, job_id).job_id), as_json=as_json)


@app.command()
def reconcile(
    output_dir: OutputDir = None,
    config_file: ConfigFile = None,
    data_dir: DataDir = None,
    start_queued: Annotated[
        bool, typer.Option("--start-queued", help="Also start queued jobs, with this command's configuration.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Check every job's process now: settle what ended and end processes without a job.

    A job runs with the configuration, the library and the environment of whoever starts it. So queued jobs are left to
    the server unless --start-queued is given.
    """
    operator = _operator(output_dir, config_file, data_dir)
    queue = operator.queue(CorpusDirectory(operator.root))
    changes = queue.sweep(thorough=True, promote=start_queued).changes
    if as_json:
        typer.echo(json.dumps({"updated": len(changes), "details": changes, "skipped_lines": queue.registry.bad_lines}))
        return
    for change in changes or ["Nothing needed to be corrected."]:
        typer.echo(change)
    if queue.registry.bad_lines:
        typer.echo(f"{queue.registry.bad_lines} lines of {queue.corpus.journal} cannot be read.", err=True)


@app.command("log")
def log_(
    job_id: JobId,
    output_dir: OutputDir = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Follow the log until the job ends.")] = False,
) -> None:
    """Print what a job printed."""
    queue = _queue(output_dir)
    job = _find(queue, job_id)
    if follow:
        _follow(queue, job.job_id, threading.Event(), promote=False)
        return
    position = 0
    while (chunk := read_from(queue.corpus.log(job.job_id), position)).text:
        typer.echo(chunk.text, nl=False)
        position = chunk.position


def _follow(queue: JobQueue, job_id: str, wakeup: threading.Event, *, promote: bool) -> None:
    """Also sweeps the queue: there may be no server that does. Only ``run`` promotes: a job gets the environment of the
    process that starts it."""
    position = 0
    while True:
        queue.sweep(promote=promote)
        over = not queue.registry.job(job_id).is_active  # read before the log: then its last line is there
        while (chunk := read_from(queue.corpus.log(job_id), position)).text:
            typer.echo(chunk.text, nl=False)
            position = chunk.position
        if over:
            return
        wakeup.wait(POLL_SECONDS)
        wakeup.clear()


def _operator(output_dir: Path | None, config_file: Path | None = None, data_dir: Path | None = None) -> Operator:
    settings = load_settings(output_dir=output_dir, operator_config_file=config_file, data_dir=data_dir)
    start_logging(settings, "WARNING")
    if settings.output_dir is None:
        raise ConfigError("Name the corpus with --output-dir or PODCAST_SERVE_OUTPUT_DIR.")
    return Operator(settings)


def _queue(output_dir: Path | None) -> JobQueue:
    operator = _operator(output_dir)
    return operator.queue(CorpusDirectory(operator.root))


def _find(queue: JobQueue, wanted: str) -> Job:
    matching = [job for job in queue.registry.jobs() if job.job_id.startswith(wanted.lower())]
    if len(matching) > 1:
        raise NexusError(f"{len(matching)} jobs begin with {wanted}: give more characters of the id.")
    return matching[0] if matching else queue.registry.job(wanted)


def _show(queue: JobQueue, job: Job, *, as_json: bool) -> None:
    view = view_job(queue.registry, job.job_id)
    typer.echo(json.dumps(_as_json(view)) if as_json else _line(view))


def _line(view: JobView) -> str:
    job = view.job
    when = (job.ended_at or job.started_at or job.created_at).isoformat(timespec="seconds")
    parts = [job.job_id, f"{job.status:9}", when]
    if view.queue_position:
        parts.append(f"#{view.queue_position} in the queue")
    if view.progress:
        episodes = f"{view.progress.episode_idx or '-'}/{view.progress.episode_total or '-'}"
        parts.append(f"{view.progress.stage} {episodes}")
    if job.cancel_requested and job.is_active:
        parts.append("being cancelled")
    return "  ".join([*parts, job.error_reason or ""]).rstrip()


def _as_json(view: JobView) -> dict[str, Any]:
    facts = view.job.model_dump(mode="json", exclude={"seq", "mark", "stop", "stop_at", "starts"})
    return facts | {
        "argv": _argv(view.job.argv_summary or "[]"),
        "queue_position": view.queue_position,
        "progress": vars(view.progress) if view.progress else None,
    }


def _argv(argv_summary: str) -> list[str]:
    """The registry is a file that others may write: what it says about a command is only shown."""
    try:
        found = json.loads(argv_summary)
    except (ValueError, RecursionError):
        return [argv_summary]
    return [str(word) for word in found] if isinstance(found, list) else [argv_summary]
