"""The query parameter `client_time` of DELETE requests, which have no body that could hold it."""

from typing import Annotated

from fastapi import Query

from nexus.schemas.library import ClientTimestamp

ClientTime = Annotated[
    ClientTimestamp | None,
    Query(description="When this was decided, if it was earlier: what was changed after that is kept (409)."),
]
