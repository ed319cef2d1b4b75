"""WebVTT and SubRip, in their many variants."""

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
    previous: Sequence[str] = ()
    for start, end, lines in _cues(text):
        # Rolling captions repeat the last line above the new one.
        new_lines = lines[1:] if previous and lines and lines[0] == previous[-1] else lines
        previous = lines
        segments += _voices(start, end, " ".join(new_lines))
    return segments


def _cues(text: str) -> Iterator[tuple[int, int, list[str]]]:
    times: tuple[int, int] | None = None
    payload: list[str] = []
    for line in [*text.splitlines(), ""]:
        found = TIMING.match(line) if "-->" in line else None
        if found:
            if times:  # no empty line between two cues: the last line was the number of the next cue
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
    """Each voice of a cue becomes a segment with the cue's times."""
    parts = VOICE.split(payload)
    for speaker, text in [(None, parts[0]), *zip(parts[1::2], parts[2::2], strict=True)]:
        words = _unescape(TAG.sub("", text))
        if words.strip():
            yield Segment(words, start, end, _unescape(speaker) if speaker else None)


def _unescape(text: str) -> str:
    try:
        return html.unescape(text)
    except ValueError:  # a character reference of more than 4 300 digits
        return text
