"""The part of a save that comes from the request and the settings."""

from typing import Annotated

from fastapi import Depends, Request

from nexus.http.identity import SettingsDep
from nexus.http.request_id import current_request_id
from nexus.services.capture import SaveContext

ONE_ATTEMPT = 1


def items_context(request: Request, settings: SettingsDep) -> SaveContext:
    return SaveContext(request.app.state.egress_allow, settings.worker_max_attempts, current_request_id())


def media_context(request: Request) -> SaveContext:
    """One attempt: it is repeated only when a user requests it."""
    return SaveContext(request.app.state.egress_allow, ONE_ATTEMPT, current_request_id())


ItemsContext = Annotated[SaveContext, Depends(items_context)]
MediaContext = Annotated[SaveContext, Depends(media_context)]
