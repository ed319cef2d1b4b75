from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class ErrorDetail(BaseModel):
    model_config = ConfigDict(extra="allow")

    error: str = Field(description="A short code for programs.", examples=["not_found"])
    message: str = Field(description="A sentence a person can act on.")
    request_id: str = Field(description="The request's id in the server's log.")


class ErrorBody(BaseModel):
    """The one shape of every error, whatever its status."""

    detail: ErrorDetail


MEANINGS = {
    400: "The request is invalid: another server's Host header, a malformed X-User-Id, or a link, cursor or search "
    "that cannot be used.",
    401: "No valid token came with the request.",
    403: "The request came from a page of another site, needs an operator's token, or needs more than the token of a "
    "paired browser.",
    404: "It does not exist, or it belongs to another user.",
    409: "Its current state does not allow this.",
    410: "It existed and is gone: the highlight was deleted, or the undo has expired.",
    412: "It has changed since it was read (If-Match).",
    413: "The request body, or the requested picture, is larger than this server accepts.",
    415: "The body, or the requested picture, has a type that this route does not accept.",
    416: "The file has none of the bytes that `Range` asks for.",
    422: "The body or a parameter does not have the documented form.",
    429: "The user has too many open streams or uploads, or the page was fetched a moment ago.",
    431: "The address and the headers are longer than this server accepts.",
    500: "Something went wrong in the server; its log has the details under the request id.",
    502: "The site of the picture did not deliver it.",
    503: "The database (or its current schema), the store, the search index or the corpus is not available; try again.",
    504: "The site of the picture did not respond in time.",
    507: "The disk is full; nothing was changed.",
}


CONTENT = {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorBody"}}}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """For a route's ``responses``: the errors it can respond with, as JSON also where the response itself is not.

    Not with `model`, for which FastAPI builds a validator for each status of each route.
    """
    return {status: {"description": MEANINGS[status], "content": CONTENT} for status in statuses}


def declared_problem(status: int) -> dict[int | str, dict[str, Any]]:
    """The same with its model, which the description needs from one route, so that the others can name it."""
    return {status: {"model": ErrorBody, "description": MEANINGS[status]}}
