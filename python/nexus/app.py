"""The HTTP application: connects settings, database, guards and routes."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from importlib.metadata import version
from typing import TYPE_CHECKING

from fastapi import FastAPI

from nexus.config import Settings
from nexus.db.session import Database
from nexus.http.context import RequestContext
from nexus.http.errors import install_error_handlers
from nexus.http.guards import BodyLimit, HostAndOriginGuard
from nexus.http.local_only import LocalOnlyGuard
from nexus.http.metrics import Metrics
from nexus.http.openapi import describe_api
from nexus.http.origin import ForeignReadGuard
from nexus.http.shutdown import on_shutdown_signal
from nexus.http.static_files import File, ViewerFiles
from nexus.routes import (
    audio,
    captures,
    downloads,
    events,
    exports,
    health,
    highlights,
    imports,
    items,
    library,
    media,
    organise,
    originals,
    pictures,
    positions,
    search,
    session,
    store,
)
from nexus.services.captures.reader import CaptureReader
from nexus.services.downloads.builder import DownloadBuilder
from nexus.services.downloads.kept_pictures import reader_of_pictures
from nexus.services.events import EventHub
from nexus.services.imports.upload_reader import UploadReader
from nexus.services.imports.uploads import Uploads
from nexus.services.pictures.cache import PictureCache
from nexus.services.pictures.proxy import PictureProxy
from nexus.services.search.index_child import IndexChild
from nexus.services.search.indexes import Indexes
from nexus.store import open_store
from nexus.web.egress.from_settings import egress_from
from nexus.web.public_address import AllowList

if TYPE_CHECKING:
    from nexus.operator.service import Operator

DESCRIPTION = """What you save becomes clean, permanent, quotable text in one private library.

Every error has one shape, described by `ErrorBody`; every response has an `X-Request-Id`."""


def create_app(
    settings: Settings,
    database: Database,
    worker_state: Callable[[], str] = lambda: "elsewhere",
    operator: "Operator | None" = None,
    viewer: dict[str, File] | None = None,
    may_render: Callable[[], bool] = lambda: False,
) -> FastAPI:
    app = FastAPI(
        title="Nexus",
        version=version("nexus"),
        description=DESCRIPTION,
        openapi_url="/api/openapi.json",
        docs_url=None,  # they load scripts from other hosts, which our Content-Security-Policy forbids
        redoc_url=None,
        redirect_slashes=False,
        lifespan=_lifespan,
    )
    app.state.settings = settings
    app.state.database = database
    app.state.store = open_store(settings, database)
    app.state.worker_state = worker_state
    app.state.may_render = may_render
    app.state.egress_allow = AllowList.parse(settings.egress_exceptions)
    app.state.events = EventHub(database)
    app.state.indexes = Indexes(settings.data_dir)
    app.state.stopping = asyncio.Event()
    app.state.captures = CaptureReader(max_original=settings.original_max_bytes)
    _open_pictures(app)
    _open_imports(app)
    app.state.metrics = _metrics(app, worker_state)
    install_error_handlers(app)
    # The last one added is the outermost.
    app.add_middleware(ForeignReadGuard)
    if viewer:
        app.add_middleware(ViewerFiles, files=viewer, api=app)
    streamed = {("POST", "/api/imports"): settings.import_max_bytes}
    app.add_middleware(BodyLimit, limit=settings.max_body_bytes, larger=_larger_bodies(settings), streamed=streamed)
    app.add_middleware(HostAndOriginGuard, settings=settings)
    if settings.auth == "dev" and not settings.allow_dev_auth:
        app.add_middleware(LocalOnlyGuard)
    app.add_middleware(RequestContext, metrics=app.state.metrics)
    in_library = (*organise.ROUTES, library, search, positions, *highlights.ROUTES)
    in_api = (*captures.ROUTES, *imports.ROUTES, *exports.ROUTES)
    in_media = (media, audio, originals, downloads)
    for routes in (health, pictures, events, session, items, *in_media, *in_library, *in_api, store):
        app.router.routes.extend(routes.router.routes)
    _include_operator_routes(app, settings, operator)
    describe_api(app, settings.auth)
    return app


def _larger_bodies(settings: Settings) -> dict[tuple[str, str], int]:
    """The limits of the routes that take larger bodies than others."""
    return {("POST", "/api/captures"): max(settings.capture_max_bytes, settings.max_body_bytes)}


def _open_pictures(app: FastAPI) -> None:
    settings, database = app.state.settings, app.state.database
    pictures = PictureCache(settings.data_dir / "images", settings.image_cache_bytes)
    app.state.pictures = PictureProxy(pictures, lambda: egress_from(settings))
    read_picture = reader_of_pictures(database, app.state.store, pictures)
    app.state.downloads = DownloadBuilder(database, settings.data_dir / "downloads", read_picture)


def _open_imports(app: FastAPI) -> None:
    settings = app.state.settings
    uploads = Uploads(settings.data_dir / "uploads", settings.store_reserve_bytes)
    app.state.imports = UploadReader(app.state.database, app.state.store, uploads)


def _metrics(app: FastAPI, worker_state: Callable[[], str]) -> Metrics:
    skipped = (lambda: app.state.operator.skipped_lines) if app.state.settings.jobs_api else None
    return Metrics(app.state.database.engine, worker_state, skipped)


def _include_operator_routes(app: FastAPI, settings: Settings, operator: "Operator | None") -> None:
    """Each group only where it is enabled; others are 404 and not described."""
    app.state.operator = operator
    if not (settings.feeds_api or settings.operator_config_api or settings.jobs_api):
        return
    # A tenth of what a server loads, and most offer none of it.
    from nexus.operator.service import Operator  # noqa: PLC0415
    from nexus.routes import feeds, jobs, operator_config  # noqa: PLC0415

    wanted = [feeds] if settings.feeds_api else []
    wanted += [operator_config] if settings.operator_config_api else []
    wanted += jobs.ROUTES if settings.jobs_api else []
    app.state.operator = operator or Operator(settings)
    for routes in wanted:
        app.router.routes.extend(routes.router.routes)


def _sweeper(app: FastAPI) -> AbstractContextManager[object]:
    if not app.state.settings.jobs_api:
        return nullcontext()
    from nexus.operator.sweeper import Sweeper  # noqa: PLC0415 - as above

    return Sweeper(app.state.operator)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    loop = asyncio.get_running_loop()

    def end_streams() -> None:
        app.state.stopping.set()
        app.state.events.close()

    await asyncio.to_thread(app.state.imports.uploads.remove_leftovers)
    indexing = IndexChild(app.state.database, app.state.settings.data_dir)
    # Through the loop: a signal handler may run while the hub's lock is held.
    with _sweeper(app), indexing, on_shutdown_signal(lambda: loop.call_soon_threadsafe(end_streams)):
        yield
    app.state.events.close()
    app.state.pictures.close()
    app.state.downloads.close()
    app.state.captures.close()
    app.state.database.close()
