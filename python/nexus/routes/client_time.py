"""The parameter of what removes something."""

from typing import Annotated

from fastapi import Query

from nexus.schemas.library import Moment

ClientTime = Annotated[
    Moment | None,
    Query(description="When this was decided, if it was earlier: what was changed after that is kept (409)."),
]
