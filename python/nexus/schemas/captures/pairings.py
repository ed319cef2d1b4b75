from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, SecretStr


class NewPairingCode(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    code: str = Field(description="For the extension's options page; shown only now, valid once.")
    expires_at: datetime


class PairingExchange(BaseModel):
    code: SecretStr = Field(min_length=1, max_length=200, description="As POST /api/pairings gave it.")
    name: str | None = Field(None, max_length=100, description="What the list calls this browser, such as Firefox.")


class NewPairing(BaseModel):
    id: UUID
    name: str
    token: str = Field(description="For the Authorization header of all later requests; shown only now.")
    user_id: UUID


class Pairing(BaseModel):
    """A browser that can save pages for this user."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    name: str
    created_at: datetime
    last_used_at: datetime | None
