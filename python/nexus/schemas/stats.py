from datetime import date

from pydantic import BaseModel, Field

from nexus.services.items import ItemStatus


class Day(BaseModel):
    day: date
    count: int


class Latency(BaseModel):
    p50: int
    p90: int


class Stats(BaseModel):
    saves_per_day: list[Day] = Field(description="The last 30 days (UTC), today last; 0 on days without a save.")
    outcomes: dict[ItemStatus, int]
    latency_ms: Latency | None = Field(description="Time from saving to text, over the last 200 items that succeeded.")
    queue_depth: int
