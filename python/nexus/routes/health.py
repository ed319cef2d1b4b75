"""Is it up, is it ready, what can it do, how is it doing."""

from importlib.metadata import version

from fastapi import APIRouter, Request, Response
from fastapi.routing import iter_route_contexts
from prometheus_client import CONTENT_TYPE_LATEST
from sqlalchemy.exc import SQLAlchemyError

from nexus.db.migrate import schema_status
from nexus.db.session import Database
from nexus.errors import EmbeddedDatabaseError, SchemaOutdatedError
from nexus.schemas.errors import problems
from nexus.schemas.health import ApiHealth, Health, Ready
from nexus.services.workers import anybody_can_render

router = APIRouter(tags=["health"])


@router.get("/health")
async def health() -> Health:  # without a thread: those may all be waiting for the database
    """The process is up. Asks nothing else, so it answers also when the database does not."""
    return Health()


@router.get("/ready", responses=problems(503))
def ready(request: Request) -> Ready:
    """The database answers and its schema is the one this version was made for."""
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
    paths = {route.path for route in iter_route_contexts(request.app.routes)}
    return ApiHealth(
        version=version("nexus"),
        feeds_api="/api/feeds" in paths,
        operator_config_api="/api/operator-config" in paths,
        jobs_api="/api/jobs" in paths,
        search_api="/api/search" in paths,
        render=_somebody_can_render(request.app.state.database),
    )


def _somebody_can_render(database: Database) -> bool:
    try:
        with database.transaction() as session:
            return anybody_can_render(session)
    except (SQLAlchemyError, EmbeddedDatabaseError):
        return False  # then nobody can do anything; this answer stays an answer


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
def metrics(request: Request) -> Response:
    """For Prometheus."""
    return Response(request.app.state.metrics.render(), media_type=CONTENT_TYPE_LATEST)
