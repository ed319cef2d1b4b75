"""``nexus serve``: starts database, migrations, worker and HTTP server, in that order, and stops them in reverse."""

import os
import signal
import socket
from typing import TYPE_CHECKING, Annotated

import typer
import uvicorn
from starlette.types import ASGIApp

from nexus.app import create_app
from nexus.cli.shared import bring_up_to_date, open_database
from nexus.cli.shared_options import ConfigFile, DataDir, OutputDir, start_logging
from nexus.cli.worker_child import WorkerChild
from nexus.config import Settings, is_loopback, load_settings
from nexus.errors import ConfigError
from nexus.http.connections import ACCEPT_BACKLOG, limits_from
from nexus.http.protocol import bounded_protocol
from nexus.http.static_files import File, viewer_files
from nexus.logging import get_logger

if TYPE_CHECKING:
    from nexus.operator.service import Operator

log = get_logger(__name__)

GRACE_SECONDS = 10


def register(app: typer.Typer) -> None:
    app.command("serve")(serve)


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on. Default: NEXUS_HOST or 127.0.0.1.")] = None,
    port: Annotated[int | None, typer.Option(help="Port; 0 takes a free one. Default: NEXUS_PORT or 8000.")] = None,
    data_dir: DataDir = None,
    output_dir: OutputDir = None,
    config_file: ConfigFile = None,
    enable_feeds_api: Annotated[bool, typer.Option("--enable-feeds-api", help="Offer /api/feeds.")] = False,
    enable_operator_config_api: Annotated[
        bool, typer.Option("--enable-operator-config-api", help="Offer /api/operator-config.")
    ] = False,
    enable_jobs_api: Annotated[
        bool, typer.Option("--enable-jobs-api", help="Offer /api/jobs and run the corpus' job queue.")
    ] = False,
    no_worker: Annotated[bool, typer.Option("--no-worker", help="Do not run a worker beside the server.")] = False,
    no_static: Annotated[bool, typer.Option("--no-static", help="Serve the API without the viewer.")] = False,
    allow_dev_auth: Annotated[
        bool, typer.Option("--allow-dev-auth", help="Serve beyond this machine without authentication.")
    ] = False,
) -> None:
    """Run the server, and unless told otherwise a worker beside it."""
    settings = load_settings(
        host=host,
        port=port,
        data_dir=data_dir,
        output_dir=output_dir,
        operator_config_file=config_file,
        feeds_api=enable_feeds_api or None,
        operator_config_api=enable_operator_config_api or None,
        jobs_api=enable_jobs_api or None,
        allow_dev_auth=allow_dev_auth or None,
    )
    start_logging(settings)
    operator = operator_of(settings)
    refuse_open_dev_mode(settings)
    # SystemExit unwinds the with blocks; uvicorn raises the signal again when it has finished.
    signal.signal(signal.SIGTERM, _exit)
    signal.signal(signal.SIGINT, _exit)
    with _listen(settings) as listener:
        viewer = {} if no_static else _viewer()
        _run(settings, listener, operator, viewer, with_worker=not no_worker)


def operator_of(settings: Settings) -> "Operator | None":
    """Before anything is started, so that a missing corpus is an error at once."""
    if not (settings.feeds_api or settings.operator_config_api or settings.jobs_api):
        return None
    from nexus.operator.service import Operator  # noqa: PLC0415 - most servers have no corpus

    return Operator(settings)


def _run(
    settings: Settings,
    listener: socket.socket,
    operator: "Operator | None",
    viewer: dict[str, File],
    *,
    with_worker: bool,
) -> None:
    if not settings.database_url:
        log.info("opening the embedded database", data_dir=str(settings.data_dir))
    with open_database(settings) as database:
        if not bring_up_to_date(database):
            log.warning("the database schema is not up to date: run 'nexus db upgrade'; until then /ready says 503")
        with WorkerChild(settings, enabled=with_worker) as worker:
            app = create_app(
                settings,
                database,
                worker_state=lambda: worker.state,
                operator=operator,
                viewer=viewer,
                may_render=lambda: worker.may_render,
            )
            Server(server_config(settings, app)).run([listener])


def server_config(settings: Settings, app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=bounded_protocol(limits_from(settings)),
        ws="none",  # there are no WebSocket routes, and such connections would not be counted
        backlog=ACCEPT_BACKLOG,
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="on",
        timeout_graceful_shutdown=GRACE_SECONDS,
    )


def _viewer() -> dict[str, File]:
    files = viewer_files()
    if not files:
        log.warning("serving only the API: the viewer is not built; run 'make setup' with Node 20.19 or newer")
    return files


class Server(uvicorn.Server):
    """Prints its address once it accepts connections."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and sockets:
            typer.echo(f"Nexus is running at {_address(sockets[0])}")


def refuse_open_dev_mode(settings: Settings) -> None:
    if settings.auth == "dev" and not settings.allow_dev_auth and not is_loopback(settings.host):
        raise ConfigError(
            f"Refusing to listen on {settings.host} with NEXUS_AUTH=dev: everyone who reaches it could read and change "
            "every library. Set NEXUS_AUTH=token, or add --allow-dev-auth if the network is yours alone."
        )


def _listen(settings: Settings) -> socket.socket:
    """Before anything is started, so that a port in use is an error at once."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host, settings.port), family=family, backlog=ACCEPT_BACKLOG)
    except OSError as error:
        raise ConfigError(
            f"Cannot listen on {settings.host} port {settings.port}: {os.strerror(error.errno or 0)}. "
            "Choose another with --port or NEXUS_PORT."
        ) from error


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _exit(*_: object) -> None:
    raise SystemExit(0)
