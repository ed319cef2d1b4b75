from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from nexus.schemas.library import PatchBody
from nexus.services.library.tags import TagColor

MAX_NAME = 1000  # as typed; what is longer than 100 characters is refused with a sentence
# Said, not checked: the sentence about names says more than one about lengths.
Name = Annotated[str, Field(max_length=MAX_NAME, json_schema_extra={"minLength": 1})]


class Tag(BaseModel):
    id: UUID
    name: str = Field(description="`a/b` is below `a`.")
    color: TagColor | None
    entries: int = Field(
        description="How many entries have this tag itself; the tags below it have counts of their own."
    )
    inbox: int = Field(description="How many of these are not archived.")


class NewTag(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: Name
    color: TagColor | None = None


class TagChanges(PatchBody):
    """Only what is given is changed."""

    name: Name = Field("Tag", description="The tags below it are renamed with it.")
    color: TagColor | None = Field(None, description="Null removes it.")
