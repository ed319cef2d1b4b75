"""Error responses, all of one shape. Routes and services raise; only this module builds error bodies."""

from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import iter_route_contexts
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from nexus.errors import DatabaseUnavailableError, EmbeddedDatabaseError, NexusError, NotFoundError
from nexus.errors.messages import reason_of
from nexus.http.request_id import current_request_id
from nexus.logging import get_logger
from nexus.system.error_text import first_line

log = get_logger(__name__)

SERVER_ERROR = 500
DATABASE_UNAVAILABLE = (OperationalError, PoolTimeoutError, EmbeddedDatabaseError)
HEADERS = {401: {"WWW-Authenticate": "Bearer"}, 503: {"Retry-After": "5"}}


def error_response(
    status: int, code: str, message: str, *, headers: dict[str, str] | None = None, **extras: Any
) -> JSONResponse:
    detail = {"error": code, "message": message, "request_id": current_request_id(), **extras}
    return JSONResponse({"detail": detail}, status_code=status, headers=HEADERS.get(status, {}) | (headers or {}))


def response_to(error: NexusError) -> JSONResponse:
    if error.status >= SERVER_ERROR:
        log.error("request failed", error=error.code, reason=error.message)
    wait = error.extras.get("retry_after")
    headers = {"Retry-After": str(wait)} if wait is not None else None
    return error_response(error.status, error.code, error.message, headers=headers, **error.extras)


def internal_error() -> JSONResponse:
    """The caller logs the traceback; the client gets only the request id to find it by."""
    return error_response(
        SERVER_ERROR,
        "internal_error",
        "Something went wrong on our side. The server's log has the details under this request id.",
    )


def install_error_handlers(app: FastAPI) -> None:
    app.add_exception_handler(NexusError, _ours)
    app.add_exception_handler(HTTPException, _framework)
    app.add_exception_handler(RequestValidationError, _invalid)
    for kind in DATABASE_UNAVAILABLE:
        app.add_exception_handler(kind, _database_unavailable)


async def _ours(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, NexusError)  # noqa: S101 - registered for it
    return response_to(error)


async def _framework(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)  # noqa: S101
    headers = dict(error.headers or {})
    if error.status_code == HTTPStatus.NOT_FOUND:
        return response_to(NotFoundError(f"There is nothing at {request.url.path}; see /api/openapi.json."))
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        allowed = _methods_at(request)
        message = f"{request.url.path} does not take {request.method}; it takes {allowed}."
        return error_response(405, "method_not_allowed", message, headers={"Allow": allowed})
    code = HTTPStatus(error.status_code).phrase.lower().replace(" ", "_")
    return error_response(error.status_code, code, str(error.detail), headers=headers)


def _methods_at(request: Request) -> str:
    """The methods of all routes with that path: the framework's own Allow header has only those of the first."""
    path = request.scope["path"]
    here = [route for route in iter_route_contexts(request.app.routes) if route.path_regex.fullmatch(path)]
    return ", ".join(sorted({method for route in here for method in route.methods or ()}))


async def _invalid(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)  # noqa: S101
    # Where and why, but not the input, which may be a secret or a pasted text.
    fields = [{"where": ".".join(str(part) for part in e["loc"]), "problem": reason_of(e)} for e in error.errors()]
    if any(e["type"] == "json_invalid" for e in error.errors()):
        return error_response(422, "invalid_json", "The body is not valid JSON.", fields=fields)
    first = fields[0] if fields else {"where": "request", "problem": "not understood"}
    return error_response(422, "invalid_request", f"{first['where']}: {first['problem']}.", fields=fields)


async def _database_unavailable(_: Request, error: Exception) -> JSONResponse:
    log.error("the database is not available", reason=first_line(error))
    return response_to(DatabaseUnavailableError("The database does not respond. Nothing was changed; try again."))
