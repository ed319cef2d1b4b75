from typing import Annotated, Self
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, model_validator

from nexus.schemas.library import ClientTimestamp

# Far beyond every text and every episode.
MAX_INDEX = 100_000_000
MAX_MS = 10_000_000_000

Fragment = Annotated[int, Field(strict=True, ge=0, le=MAX_INDEX, description="`idx` of the fragment.")]
Offset = Annotated[int, Field(strict=True, ge=0, le=MAX_INDEX, description="In code points of its `canonical_text`.")]
Fraction = Annotated[float, Field(strict=True, ge=0, le=1, description="How much of the text has been read.")]
Milliseconds = Annotated[int, Field(strict=True, ge=0, le=MAX_MS, description="Where the audio goes on.")]


class NewPosition(BaseModel):
    """A position in the text (`fragment_idx`, `offset` and `fraction` together), in the audio, or both."""

    model_config = ConfigDict(extra="forbid")

    fragment_idx: Fragment | None = None
    offset: Offset | None = None
    fraction: Fraction | None = None
    version: (
        Annotated[int, Field(strict=True, ge=1, le=MAX_INDEX, description="Of the text; default: the current one.")]
        | None
    ) = None
    audio_ms: Milliseconds | None = None
    client_time: ClientTimestamp | None = Field(
        None, description="When the user was there, by the server's clock. Left out, or in the future: now."
    )
    device: Annotated[str, Field(max_length=100, description="Its name, for the user's other devices.")] | None = None

    @model_validator(mode="after")
    def _whole(self) -> Self:
        position = (self.fragment_idx, self.offset, self.fraction)
        if len({part is None for part in position}) > 1:
            raise ValueError("fragment_idx, offset and fraction come together")
        if self.fragment_idx is None and self.audio_ms is None:
            raise ValueError("give a position in the text, in the audio, or both")
        return self


class Position(BaseModel):
    """Where the user is. Null: not in the text, or not in the audio, so far."""

    media_id: UUID
    version: int | None = Field(description="The current version of the text, which the position is in.")
    fragment_idx: int | None
    offset: int | None
    fraction: float | None
    client_time: AwareDatetime | None = Field(description="When the user was there in the text.")
    device: str | None
    audio_ms: int | None
    audio_time: AwareDatetime | None = Field(description="When the user was there in the audio.")
    audio_device: str | None
