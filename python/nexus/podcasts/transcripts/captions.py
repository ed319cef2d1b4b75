"""WebVTT and SubRip: cues with times, in the many ways they are written."""

import html
import re
from collections.abc import Iterator, Sequence

from nexus.podcasts.transcripts.segments import Segment

TIME = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})"
TIMING = re.compile(rf"^\s*{TIME}\s*-{{2,}}>\s*{TIME}(?:\s|$)")
VOICE = re.compile(r"<v(?:\.[^\s<>]*+)?\s++([^<>]*+)>")
TAG = re.compile(r"</?[a-zA-Z0-9:.][^<>]*>|\{\\[^{}]*+\}")  # also {\an8}, a placement that SubRip files carry


def parse_captions(text: str) -> list[Segment]:
    segments: list[Segment] = []
    shown_before: Sequence[str] = ()
    for start, end, lines in _cues(text):
        # Rolling captions show the last line once more on top of the new one.
        fresh = lines[1:] if shown_before and lines and lines[0] == shown_before[-1] else lines
        shown_before = lines
        segments += _voices(start, end, " ".join(fresh))
    return segments


def _cues(text: str) -> Iterator[tuple[int, int, list[str]]]:
    times: tuple[int, int] | None = None
    payload: list[str] = []
    for line in [*text.splitlines(), ""]:
        found = TIMING.match(line) if "-->" in line else None
        if found:
            if times:  # no empty line between two cues: what looked like text was the next one's number
                yield *times, _without_number(payload)
            times, payload = (_milliseconds(found.groups()[:4]), _milliseconds(found.groups()[4:])), []
        elif not line.strip():
            if times and payload:
                yield *times, payload
                times, payload = None, []
        elif times:
            payload.append(line.strip())
    if times and payload:
        yield *times, payload


def _without_number(lines: list[str]) -> list[str]:
    return lines[:-1] if len(lines) > 1 and lines[-1].isdigit() else lines


def _milliseconds(parts: Sequence[str | None]) -> int:
    hours, minutes, seconds, fraction = parts
    whole = int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0)
    return whole * 1000 + int((fraction or "0").ljust(3, "0"))


def _voices(start: int, end: int, payload: str) -> Iterator[Segment]:
    """A cue may hold several voices; each is a segment with the cue's times."""
    pieces = VOICE.split(payload)
    for speaker, text in [(None, pieces[0]), *zip(pieces[1::2], pieces[2::2], strict=True)]:
        words = html.unescape(TAG.sub("", text))
        if words.strip():
            yield Segment(words, start, end, html.unescape(speaker) if speaker else None)
