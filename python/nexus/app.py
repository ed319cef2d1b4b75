"""The HTTP application: wires settings, database, guards and routes together, and decides nothing."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI

from nexus.config import Settings
from nexus.db.session import Database
from nexus.http.context import RequestContext
from nexus.http.errors import install_error_handlers
from nexus.http.guards import BodyLimit, HostAndOriginGuard
from nexus.http.metrics import Metrics
from nexus.http.openapi import describe_truly
from nexus.http.shutdown import when_told_to_stop
from nexus.routes import events, health, items, library, media, session
from nexus.schemas.errors import problems
from nexus.services.events import EventHub
from nexus.services.public_address import AllowList

DESCRIPTION = """What you save becomes clean, permanent, quotable text in one private library.

Every error has one shape, described by `ErrorBody`; every answer carries `X-Request-Id`."""


def create_app(
    settings: Settings, database: Database, worker_state: Callable[[], str] = lambda: "elsewhere"
) -> FastAPI:
    app = FastAPI(
        title="Nexus",
        version=version("nexus"),
        description=DESCRIPTION,
        openapi_url="/api/openapi.json",
        docs_url=None,  # they load scripts from elsewhere, which our own policy forbids
        redoc_url=None,
        responses=problems(400, 500),
        redirect_slashes=False,
        lifespan=_lifespan,
    )
    app.state.settings = settings
    app.state.database = database
    app.state.worker_state = worker_state
    app.state.egress_allow = AllowList.parse(settings.egress_exceptions)
    app.state.events = EventHub(database)
    app.state.metrics = Metrics(database.engine, worker_state)
    install_error_handlers(app)
    # The last one added is the outermost.
    app.add_middleware(BodyLimit, limit=settings.max_body_bytes)
    app.add_middleware(HostAndOriginGuard, settings=settings)
    app.add_middleware(RequestContext, metrics=app.state.metrics)
    for routes in (health, session, items, media, library, events):
        app.include_router(routes.router)
    describe_truly(app, settings.auth)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    loop = asyncio.get_running_loop()
    # Through the loop: a signal handler runs in the middle of anything, also of what holds the hub's lock.
    with when_told_to_stop(lambda: loop.call_soon_threadsafe(app.state.events.close)):
        yield
    app.state.events.close()
    app.state.database.close()
