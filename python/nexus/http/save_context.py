"""What a save brings along from its request and the settings."""

from typing import Annotated

from fastapi import Depends, Request

from nexus.http.identity import SettingsDep
from nexus.http.request_id import current_request_id
from nexus.services.capture import Door

ONE_ATTEMPT = 1


def items_door(request: Request, settings: SettingsDep) -> Door:
    return Door(request.app.state.egress_allow, settings.worker_max_attempts, current_request_id())


def media_door(request: Request) -> Door:
    """What comes through here is tried again only when somebody asks for it."""
    return Door(request.app.state.egress_allow, ONE_ATTEMPT, current_request_id())


ItemsDoor = Annotated[Door, Depends(items_door)]
MediaDoor = Annotated[Door, Depends(media_door)]
