"""Every change of an item and its media, always together. docs/reference/lifecycle.md shows the same table."""

from typing import NamedTuple


class State(NamedTuple):
    item: str
    media: str


class Transition(NamedTuple):
    event: str
    before: State
    after: State


QUEUED = State("queued", "pending")
PROCESSING = State("processing", "extracting")
SUCCEEDED = State("succeeded", "ready_for_reading")
TOO_SHORT = State("needs_user_text", "ready_for_reading")
UNREADABLE = State("needs_user_text", "failed")
BROKEN = State("failed", "failed")

TRANSITIONS = (
    Transition("claim", QUEUED, PROCESSING),
    Transition("release", PROCESSING, QUEUED),
    Transition("worker lost", PROCESSING, QUEUED),
    Transition("worker lost three times in a row", PROCESSING, BROKEN),
    Transition("read", PROCESSING, SUCCEEDED),
    Transition("read, too short", PROCESSING, TOO_SHORT),
    Transition("better text read for another item", TOO_SHORT, SUCCEEDED),
    Transition("postponed", PROCESSING, QUEUED),
    Transition("failed, attempts left", PROCESSING, QUEUED),
    Transition("failed for good", PROCESSING, UNREADABLE),
    Transition("internal error, none left", PROCESSING, BROKEN),
    Transition("paste", UNREADABLE, SUCCEEDED),
    Transition("paste", TOO_SHORT, SUCCEEDED),
    Transition("text of an import", UNREADABLE, SUCCEEDED),
    Transition("text of an import", TOO_SHORT, SUCCEEDED),
    Transition("text of an import", BROKEN, SUCCEEDED),
    Transition("keep", TOO_SHORT, SUCCEEDED),
    Transition("capture", QUEUED, SUCCEEDED),
    Transition("capture", PROCESSING, SUCCEEDED),
    Transition("capture", UNREADABLE, SUCCEEDED),
    Transition("capture", TOO_SHORT, SUCCEEDED),
    Transition("capture", BROKEN, SUCCEEDED),
    Transition("retry", UNREADABLE, QUEUED),
    Transition("retry", BROKEN, QUEUED),
    Transition("fetch again", UNREADABLE, QUEUED),
    Transition("fetch again", BROKEN, QUEUED),
    Transition("save again", UNREADABLE, QUEUED),
    Transition("save again", BROKEN, QUEUED),
)
