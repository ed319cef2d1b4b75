"""Transcripts in JSON: the podcast namespace's format, and those of the common transcription programs."""

import json
from collections.abc import Mapping
from typing import Any

from nexus.errors import UnreadableTranscriptError
from nexus.podcasts.transcripts.segments import MAX_MS, Segment

LISTS = ("segments", "cues", "utterances", "monologues", "transcript", "results", "words")
TEXTS = ("body", "text", "content", "word", "punctuated_word", "transcript")
STARTS = ("startTime", "start_time", "start", "begin")
ENDS = ("endTime", "end_time", "end")
SPEAKERS = ("speaker", "speakerName", "speaker_name", "speaker_label")


def parse_json(text: str) -> list[Segment]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise UnreadableTranscriptError("The transcript is labelled as JSON but is not valid JSON.") from None
    found = _segments(document)
    if found is None:
        raise UnreadableTranscriptError("The transcript is JSON in an unknown format: it has no segments.")
    return found


def _segments(document: Any) -> list[Segment] | None:
    if isinstance(document, list):
        return [segment for each in document if isinstance(each, dict) and (segment := _segment(each))]
    if not isinstance(document, dict):
        return None
    for name in LISTS:
        inner = document.get(name)
        if isinstance(inner, list) and (found := _segments(inner)):
            return found
        if isinstance(inner, dict) and (found := _segments(inner)):
            return found
    text = _first(document, TEXTS)
    return [Segment(line) for line in text.splitlines() if line.strip()] if isinstance(text, str) else None


def _segment(each: Mapping[str, Any]) -> Segment | None:
    text = _first(each, TEXTS)
    if not isinstance(text, str):
        return None
    speaker = _first(each, SPEAKERS)
    name = speaker.get("name") if isinstance(speaker, dict) else speaker
    return Segment(text, _time(each, STARTS, "start_ms"), _time(each, ENDS, "end_ms"), str(name) if name else None)


def _time(each: Mapping[str, Any], names: tuple[str, ...], in_milliseconds: str) -> int | None:
    """In seconds in all known formats, except for the key in milliseconds."""
    if isinstance(value := each.get(in_milliseconds), int | float):
        return _bounded(value)
    value = _first(each, names)
    try:
        return None if value is None else _bounded(float(value) * 1000)
    except (TypeError, ValueError, OverflowError):
        return None


def _bounded(milliseconds: float) -> int | None:
    return round(milliseconds) if 0 <= milliseconds < MAX_MS else None


def _first(each: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((each[name] for name in names if each.get(name) is not None), None)
