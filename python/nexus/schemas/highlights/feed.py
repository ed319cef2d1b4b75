from datetime import datetime

from pydantic import BaseModel, Field


class Feed(BaseModel):
    created_at: datetime
    last_used_at: datetime | None = Field(description="To the hour; null: nobody has asked for it.")


class NewFeed(BaseModel):
    url: str = Field(description="The address, which is shown only now: whoever has it can read the highlights.")
    created_at: datetime
