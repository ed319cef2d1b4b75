from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field


class StoreCheckBody(BaseModel):
    """A finished run of `nexus store check`."""

    started_at: datetime
    finished_at: datetime
    blobs: int
    bytes: int
    missing: int
    damaged: int


class StoreCollectionBody(BaseModel):
    """A finished collection: what nothing named any more was removed."""

    started_at: datetime
    finished_at: datetime
    blobs: int
    bytes: int
    leftovers: int = Field(description="Temporary files of writers that were killed.")


class PictureStates(BaseModel):
    """How many pictures of all texts are in which state."""

    pending: int
    kept: int
    gone: int
    refused: int


class OriginalsNotKept(BaseModel):
    """How many originals were not kept, and why."""

    too_large: int = Field(description="Larger than NEXUS_ORIGINAL_MAX_BYTES.")
    user_full: int = Field(description="Every user who has the text had NEXUS_ORIGINAL_BYTES_PER_USER already.")
    waiting_full: int = Field(description="The store could not be written, and as much as may wait was waiting.")


class StoreBody(BaseModel):
    kind: Literal["folder", "s3"]
    place: str = Field(description="The folder, or the bucket and its server.")
    problem: str | None = Field(description="Why the store cannot be used now; null: it can.")
    blobs: int
    bytes: int
    free_bytes: int | None = Field(description="Room left on the folder's disk; null with S3 and while it is absent.")
    reserve_bytes: int | None = Field(
        description="How much of `free_bytes` is reserved for the database (NEXUS_STORE_RESERVE_BYTES); null with S3."
    )
    missing: int = Field(description="Blobs that something names and that the store was found not to have.")
    damaged: int = Field(description="Blobs that something names and whose bytes are not what they were.")
    last_check: StoreCheckBody | None
    last_collection: StoreCollectionBody | None
    waiting_originals: int = Field(description="Originals that are still in the database and wait for the store.")
    originals_not_kept: OriginalsNotKept
    pictures: PictureStates
