"""Uploading the files of an import."""

from typing import Any

from fastapi import Request
from fastapi.concurrency import contextmanager_in_threadpool, run_in_threadpool

from nexus.http.identity import UserWithoutSessionDep
from nexus.http.uploads.multipart_form import MultipartForm
from nexus.routes.routers import api_router
from nexus.schemas.errors import problems
from nexus.schemas.imports.imports import Import
from nexus.services.imports.listing import get_import
from nexus.services.imports.upload_reader import UploadReader

router = api_router("/api/imports", tag="imports")

FIELD = "files"
FORM: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": [FIELD],
                    "properties": {
                        FIELD: {
                            "type": "array",
                            "minItems": 1,
                            "items": {"type": "string", "format": "binary"},
                            "description": "The files of one export, or ZIP files of them.",
                        },
                        "source": {
                            "type": "string",
                            "description": "The program whose export it is, such as `pocket`; left out: recognised.",
                        },
                    },
                }
            }
        },
    }
}


@router.post("", status_code=201, openapi_extra=FORM, responses=problems(400, 401, 403, 409, 413, 422, 429, 503, 507))
async def upload(request: Request, user: UserWithoutSessionDep) -> Import:
    """A preview of what these files would bring into the library. Nothing of it changes before `start`."""
    reader: UploadReader = request.app.state.imports
    with reader.uploading(user):
        await run_in_threadpool(reader.check_room, user)
        async with contextmanager_in_threadpool(reader.uploads.receive()) as received:
            form = MultipartForm(request.headers.get("content-type"), received, file_field=FIELD, fields={"source"})
            await form.receive(request.stream())
            import_id = await reader.preview(user, received, form.values.get("source") or None)

    def load() -> Import:
        with request.app.state.database.transaction() as session:
            return Import.model_validate(get_import(session, user, import_id))

    return await run_in_threadpool(load)
