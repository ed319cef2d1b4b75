"""How a group of routes is declared.

Each route is complete when its module is imported and is added to the application as it is. `include_router` would
build all of them a second time, with their parameters and validators, when the first request comes.
"""

from fastapi import APIRouter

from nexus.http.parameters import RefuseUnknownParameters
from nexus.schemas.errors import problems

COMMON_ERRORS = problems(400, 403, 500)


def api_router(prefix: str = "", *, tag: str) -> APIRouter:
    """For everything that programs ask for: a misspelt parameter is refused."""
    return APIRouter(prefix=prefix, tags=[tag], responses=COMMON_ERRORS, dependencies=[RefuseUnknownParameters])


def lenient_router(prefix: str = "", *, tag: str) -> APIRouter:
    """For what browsers and monitors ask for, which may add parameters of their own."""
    return APIRouter(prefix=prefix, tags=[tag], responses=COMMON_ERRORS)
