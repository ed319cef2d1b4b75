"""``nexus worker``: processes saved items."""

import signal
import time
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from nexus.cli.shared import open_current_database
from nexus.cli.shared_options import DataDir, start_logging
from nexus.config import Settings, load_settings
from nexus.db.session import Database
from nexus.pipelines.resources import Resources
from nexus.system.restarted_process import exit_with_parent
from nexus.worker import Worker
from nexus.worker.background import Background
from nexus.worker.background_tasks import open_background

if TYPE_CHECKING:
    from nexus.worker.celery_publisher import CeleryPublisher

# How long a worker without its server may take to stop before it exits hard.
ORPHAN_SECONDS = 4.0


def register(app: typer.Typer) -> None:
    app.command("worker")(worker)


def worker(
    once: Annotated[
        bool, typer.Option("--once", help="Do one batch (WORKER_BATCH_SIZE) of what is due, then exit.")
    ] = False,
    drain: Annotated[bool, typer.Option("--drain", help="Do everything that is due, then exit.")] = False,
    data_dir: DataDir = None,
    stop_with_parent: Annotated[bool, typer.Option("--stop-with-parent", hidden=True)] = False,
) -> None:
    """Process saved items. Start as many as you like, on as many machines as share the database.

    With CELERY_BROKER_URL set it publishes the items to Celery and supervises them.
    """
    if once and drain:
        raise typer.BadParameter("give --once or --drain, not both")
    settings = load_settings(data_dir=data_dir)
    start_logging(settings, settings.worker_log_level)
    started: list[Worker | CeleryPublisher] = []
    if stop_with_parent:
        exit_with_parent(before_exit=partial(_release_claims, started))
    with open_current_database(settings) as database, ExitStack() as stack:
        process: Worker | CeleryPublisher
        if settings.celery_broker_url:
            background = stack.enter_context(open_background(settings, database))
            process = _publisher(settings, database, background)
        else:
            resources = stack.enter_context(Resources(settings))
            background = stack.enter_context(open_background(settings, database, pauses=resources.pauses))
            process = Worker(
                settings, database, resources.ingest,
                can_render=resources.can_render, sandbox=resources.sandbox, background=background,
            )  # fmt: skip
        signal.signal(signal.SIGTERM, lambda *_: process.stop())
        signal.signal(signal.SIGINT, lambda *_: process.stop())
        started.append(process)
        process.run(once=once, drain=drain)


def _publisher(settings: Settings, database: Database, background: Background) -> "CeleryPublisher":
    from nexus.worker.celery_publisher import CeleryPublisher  # noqa: PLC0415 - loads Celery, 0.1 s that others save

    return CeleryPublisher(settings, database, background=background)


def _release_claims(started: "list[Worker | CeleryPublisher]") -> None:
    """The server is gone, so at once."""
    for process in started:
        process.stop(at_once=True)
    time.sleep(ORPHAN_SECONDS if started else 0)
