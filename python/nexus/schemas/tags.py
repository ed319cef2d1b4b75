from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from nexus.services.library.tags import Color

MAX_NAME = 1000  # as typed; what is longer than 100 characters is refused with a sentence


class Tag(BaseModel):
    id: UUID
    name: str = Field(description="`a/b` is below `a`.")
    color: Color | None
    entries: int = Field(description="With this very tag; those below it count for themselves.")
    inbox: int = Field(description="Of these, the ones that are not archived.")


class NewTag(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str = Field(max_length=MAX_NAME)
    color: Color | None = None


class TagChanges(BaseModel):
    """Only what is given is changed."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field("", max_length=MAX_NAME, description="The tags below it are renamed with it.")
    color: Color | None = Field(None, description="Null takes it away.")
