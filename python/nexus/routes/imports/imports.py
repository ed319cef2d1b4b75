"""Imports: what they would do, how far they are, what became of each row."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import Query, Request, Response
from starlette.responses import StreamingResponse

from nexus.http.dependencies import SessionDep
from nexus.http.identity import UserDep
from nexus.http.responses.attachment import attachment_headers
from nexus.routes.routers import api_router
from nexus.schemas.errors import problems
from nexus.schemas.imports.imports import Import, ImportPage, RowPage, Start
from nexus.services.imports import listing, states
from nexus.services.imports.report import report_name, write_report

router = api_router("/api/imports", tag="imports")

CSV: dict[int | str, dict[str, Any]] = {200: {"content": {"text/csv": {}}, "description": "The table."}}
CHANGE = problems(401, 403, 404, 409, 413, 422, 503)
Limit = Annotated[int, Query(ge=1, le=100)]
Cursor = Annotated[str | None, Query(max_length=200, description="The `next_cursor` of the page before.")]


@router.get("", summary="List Imports", responses=problems(400, 401, 422, 503))
def list_(session: SessionDep, user: UserDep, limit: Limit = 20, cursor: Cursor = None) -> ImportPage:
    """The user's imports, newest first, without the rows and problems of their previews."""
    return ImportPage.model_validate(listing.list_imports(session, user, limit=limit, cursor=cursor))


@router.get("/{import_id:uuid}", responses=problems(401, 404, 422, 503))
def get(import_id: UUID, session: SessionDep, user: UserDep) -> Import:
    """An import with its preview and its progress."""
    return Import.model_validate(listing.get_import(session, user, import_id))


@router.get("/{import_id:uuid}/rows", responses=problems(400, 401, 404, 422, 503))
def rows(
    import_id: UUID,
    session: SessionDep,
    user: UserDep,
    outcome: Annotated[listing.OutcomeFilter | None, Query(description="Only rows with this outcome.")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> RowPage:
    """What became of each row, in the order of the files."""
    page = listing.list_rows(session, user, import_id, outcome=outcome, limit=limit, cursor=cursor)
    return RowPage.model_validate(page)


@router.get("/{import_id:uuid}/report.csv", response_class=Response, responses=CSV | problems(401, 404, 422, 503))
def report(import_id: UUID, request: Request, session: SessionDep, user: UserDep) -> Response:
    """All rows with what became of them, as a table for spreadsheets."""
    headers = attachment_headers(report_name(session, user, import_id), ".csv") | {"Cache-Control": "private, no-store"}
    chunks = write_report(request.app.state.database.transaction, import_id)
    return StreamingResponse(chunks, media_type="text/csv; charset=utf-8", headers=headers)


@router.post("/{import_id:uuid}/start", responses=CHANGE)
def start(import_id: UUID, session: SessionDep, user: UserDep, body: Start | None = None) -> Import:
    """Apply a preview to the library."""
    return Import.model_validate(states.start(session, user, import_id, (body or Start()).options.as_options()))


@router.post("/{import_id:uuid}/pause", responses=CHANGE)
def pause(import_id: UUID, session: SessionDep, user: UserDep) -> Import:
    """Apply no more rows for now. Pages that are queued are fetched all the same."""
    return Import.model_validate(states.pause(session, user, import_id))


@router.post("/{import_id:uuid}/resume", responses=CHANGE)
def resume(import_id: UUID, session: SessionDep, user: UserDep) -> Import:
    """Resume a paused import."""
    return Import.model_validate(states.resume(session, user, import_id))


@router.post("/{import_id:uuid}/cancel", responses=CHANGE)
def cancel(import_id: UUID, session: SessionDep, user: UserDep) -> Import:
    """Apply no more rows. What was applied stays until `undo`."""
    return Import.model_validate(states.cancel(session, user, import_id))


@router.post("/{import_id:uuid}/retry-failed", responses=CHANGE)
def retry_failed(import_id: UUID, session: SessionDep, user: UserDep) -> Import:
    """Try again what failed, of a finished import: its rows, and the pages that could not be fetched."""
    return Import.model_validate(states.retry_failed(session, user, import_id))


@router.post("/{import_id:uuid}/undo", responses=CHANGE)
def undo(import_id: UUID, session: SessionDep, user: UserDep) -> Import:
    """Remove what the import added, except what the user has changed since."""
    return Import.model_validate(states.undo(session, user, import_id))


@router.delete("/{import_id:uuid}", status_code=204, responses=CHANGE)
def delete(import_id: UUID, session: SessionDep, user: UserDep) -> None:
    """Discard a preview or a report. What was imported stays."""
    states.delete(session, user, import_id)
