"""Exports: requested here, written by a worker, downloaded here."""

from typing import Any
from uuid import UUID

from fastapi import Request, Response

from nexus.http.dependencies import IndexesDep, SessionDep, SettingsDep, StoreDep
from nexus.http.identity import UserDep
from nexus.http.responses.attachment import attachment_headers
from nexus.http.streaming.stored_file import StoredFileResponse
from nexus.routes.routers import api_router
from nexus.schemas.errors import problems
from nexus.schemas.exports.exports import Export, Exports, NewExport
from nexus.services.exports import requests as service

router = api_router("/api/exports", tag="exports")

CONTENT: dict[str, Any] = {
    kind.partition(";")[0]: {"schema": {"type": "string", "format": "binary"}}
    for kind in sorted(service.CONTENT_TYPES.values())
}
FILE: dict[int | str, dict[str, Any]] = {
    200: {"content": CONTENT, "description": "The whole file, as an attachment."},
    206: {"content": CONTENT, "description": "The bytes that `Range` asks for."},
    304: {"description": "It has not changed (`If-None-Match`)."},
}


@router.post("", status_code=202, responses=problems(400, 401, 403, 404, 409, 413, 422, 503))
def create(body: NewExport, session: SessionDep, user: UserDep, indexes: IndexesDep) -> Export:
    """Start an export: a worker writes the library, or the chosen entries, into a file."""
    wanted = service.NewExport(body.format, body.query, body.media_ids)
    return Export.model_validate(service.create_export(session, user, indexes, wanted))


@router.get("", summary="List Exports", responses=problems(401, 422, 503))
def list_(session: SessionDep, user: UserDep) -> Exports:
    """The user's exports, newest first."""
    return Exports(exports=[Export.model_validate(each) for each in service.list_exports(session, user)])


@router.get("/{export_id:uuid}", responses=problems(401, 404, 422, 503))
def get(export_id: UUID, session: SessionDep, user: UserDep) -> Export:
    """An export's progress and the entries left out of it."""
    return Export.model_validate(service.get_export(session, user, export_id))


@router.head("/{export_id:uuid}/download", include_in_schema=False)
@router.get(
    "/{export_id:uuid}/download",
    response_class=Response,
    responses=FILE | problems(401, 404, 409, 416, 422, 503),
)
def download(export_id: UUID, request: Request, session: SessionDep, store: StoreDep, user: UserDep) -> Response:
    """The file, whole or one range of it (`Range`, `If-Range`), so that an interrupted download can be resumed. Its
    ETag is its SHA-256."""
    file = service.get_file(session, user, export_id)
    name, dot, suffix = file.filename.rpartition(".")
    return StoredFileResponse(store, file, request.app.state.stopping, attachment_headers(name, dot + suffix))


@router.delete("/{export_id:uuid}", status_code=204, responses=problems(401, 403, 404, 413, 422, 503))
def remove(export_id: UUID, session: SessionDep, user: UserDep, settings: SettingsDep) -> None:
    """Cancel an export that waits or runs, which stays in the list; remove any other with its file.
    A file in the folder for exports is removed by a worker, soon afterwards."""
    service.remove_export(session, user, export_id, keep_seconds=settings.export_keep_days * 86_400)
