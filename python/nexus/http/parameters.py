"""Refuses query parameters that a route does not have: ignored, a misspelt one would silently change the result."""

from collections.abc import Iterator

from fastapi import Depends, Request
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel

MAX_NAME = 100


async def refuse_unknown_parameters(request: Request) -> None:
    if not request.query_params:
        return
    known = sorted(set(_parameters(request.scope["route"].dependant)))
    unknown = [name for name in dict.fromkeys(request.query_params) if name not in known]
    if unknown:
        takes = f"it takes {', '.join(known)}" if known else "it takes none"
        why = f"there is no such parameter here; {takes}"
        problems = [{"type": "extra_forbidden", "loc": ("query", each[:MAX_NAME]), "msg": why} for each in unknown]
        raise RequestValidationError(problems)


def _parameters(dependant: Dependant) -> Iterator[str]:
    for field in dependant.query_params:
        annotation = field.field_info.annotation
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            yield from (info.alias or name for name, info in annotation.model_fields.items())
        else:
            yield field.alias
    for below in dependant.dependencies:
        yield from _parameters(below)


RefuseUnknownParameters = Depends(refuse_unknown_parameters)
