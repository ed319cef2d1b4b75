"""What a user can do with a media now. Clients should rely on this, not on the status."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["web_article", "pasted_text", "podcast_episode"]
# How a version of a text came: "fetched" by a plain request, "rendered" in the browser, "transcribed" from audio.
Origin = Literal["fetched", "rendered", "captured", "uploaded", "pasted", "imported", "transcribed", "reread"]
Status = Literal["pending", "extracting", "ready_for_reading", "failed"]


@dataclass(frozen=True)
class Capabilities:
    can_read: bool
    can_highlight: bool
    can_quote: bool
    can_search: bool
    can_play: bool


def derive_capabilities(kind: Kind, status: Status, has_fragments: bool, has_audio: bool) -> Capabilities:
    ready = status == "ready_for_reading"
    has_text = ready and has_fragments
    # An episode without a transcript can be played, not read.
    can_read = has_text if kind == "podcast_episode" else ready
    return Capabilities(
        can_read=can_read,
        can_highlight=has_text,
        can_quote=has_text,
        can_search=has_text,
        can_play=kind == "podcast_episode" and has_audio,
    )
