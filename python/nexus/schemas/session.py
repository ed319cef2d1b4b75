from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field, SecretStr


class Login(BaseModel):
    token: SecretStr = Field(min_length=1, max_length=200, description="Made with 'nexus token create'.")


class Me(BaseModel):
    user_id: UUID
    default_library_id: UUID
    operator: bool = Field(description="May change feeds and configuration and run jobs.")
    auth: Literal["dev", "token"] = Field(description="How this server tells who is asking.")
