from typing import Literal

from pydantic import BaseModel, Field


class Picture(BaseModel):
    path: str = Field(description="Where this server has it, as the text has it.")
    url: str = Field(description="Where it came from.")
    state: Literal["pending", "kept", "gone", "refused"] = Field(
        description="`pending`: not kept yet, shown as long as its site has it; `gone`: its site has it no more."
    )
    reason: str | None = Field(
        description="Why it is gone or refused. `too_many`, `no_room`: not kept, but shown as long as its site has it."
    )
    content_type: str | None = Field(description="Of a kept picture, as `width`, `height` and `size`; null for others.")
    width: int | None
    height: int | None
    size: int | None = Field(description="In bytes.")
