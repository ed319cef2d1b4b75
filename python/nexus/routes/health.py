"""Liveness, readiness, features, metrics."""

from importlib.metadata import version

from fastapi import Request, Response
from fastapi.routing import iter_route_contexts
from prometheus_client import CONTENT_TYPE_LATEST
from sqlalchemy.exc import SQLAlchemyError

from nexus.db.migrate import schema_status
from nexus.db.session import Database
from nexus.errors import EmbeddedDatabaseError, SchemaOutdatedError
from nexus.routes.routers import lenient_router
from nexus.schemas.errors import declared_problem
from nexus.schemas.health import ApiHealth, Health, Ready
from nexus.services import workers

router = lenient_router(tag="health")


@router.get("/health")
async def health() -> Health:  # without a thread, since all threads may be waiting for the database
    """The process is up. Does not use the database, so it works also when that is down."""
    return Health()


@router.get("/ready", responses=declared_problem(503))
def ready(request: Request) -> Ready:
    """The database is reachable and its schema is that of this version."""
    database: Database = request.app.state.database
    with database.engine.connect() as connection:
        status = schema_status(connection)
    if not status.is_current:
        raise SchemaOutdatedError(
            f"The database schema is at {status.current or 'nothing'}, not {status.head}: run 'nexus db upgrade'."
        )
    return Ready(schema_revision=status.head, worker=request.app.state.worker_state())


@router.get("/api/health")
def api_health(request: Request) -> ApiHealth:
    """Which parts of the product this server offers."""
    found = _rendering(request.app.state.database)
    # A worker takes seconds to start and to try its browser; until it has registered, installed files decide.
    may_render = not found.known_here and request.app.state.may_render()
    paths = {route.path for route in iter_route_contexts(request.app.routes)}
    return ApiHealth(
        version=version("nexus"),
        feeds_api="/api/feeds" in paths,
        operator_config_api="/api/operator-config" in paths,
        jobs_api="/api/jobs" in paths,
        search_api="/api/search" in paths,
        render=found.is_available or may_render,
        render_sandbox=found.sandbox,
    )


def _rendering(database: Database) -> workers.Rendering:
    try:
        with database.transaction() as session:
            return workers.rendering(session)
    except (SQLAlchemyError, EmbeddedDatabaseError):
        return workers.Rendering(is_available=False, sandbox=None, known_here=True)  # no worker can do anything now


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
def metrics(request: Request) -> Response:
    """Metrics in the format of Prometheus."""
    return Response(request.app.state.metrics.render(), media_type=CONTENT_TYPE_LATEST)
