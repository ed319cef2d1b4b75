"""The part of a save that comes from the request and the settings."""

from typing import Annotated

from fastapi import Depends, Header, Request

from nexus.http.dependencies import SettingsDep
from nexus.http.request_id import current_request_id
from nexus.services.saving import SaveContext

ONE_ATTEMPT = 1


IdempotencyKey = Annotated[
    str | None,
    Header(
        min_length=1,
        max_length=255,
        description="Chosen by the client, new for each save, so that a save that is sent twice is stored once.",
    ),
]


async def items_context(request: Request, settings: SettingsDep, idempotency_key: IdempotencyKey = None) -> SaveContext:
    allow, attempts = request.app.state.egress_allow, settings.worker_max_attempts
    return SaveContext(allow, attempts, current_request_id(), key=idempotency_key)


async def media_context(request: Request) -> SaveContext:
    """One attempt: it is repeated only when a user requests it."""
    return SaveContext(request.app.state.egress_allow, ONE_ATTEMPT, current_request_id())


ItemsContext = Annotated[SaveContext, Depends(items_context)]
MediaContext = Annotated[SaveContext, Depends(media_context)]
