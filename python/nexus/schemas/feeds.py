from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Feeds(BaseModel):
    path: str = Field(description="The corpus directory.")
    file_relpath: str = Field(description="The feeds spec inside it.")
    feeds: list[str | dict[str, Any]] = Field(description="An address, or an object with url and what differs for it.")


class FeedsChange(BaseModel):
    model_config = ConfigDict(extra="forbid")

    feeds: list[Any] = Field(description="The whole new list. Two entries with the same address count once.")
