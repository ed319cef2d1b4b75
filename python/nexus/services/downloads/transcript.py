"""The segments of a transcript as paragraphs: who speaks and when, under the headings of its chapters.

The viewer's transcript.ts joins them in the same way.
"""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

SPEAKER = re.compile(r"^(\s*<p>\s*)?(?:<strong>([^<]{1,80}):</strong>|<cite>([^<]{1,80})</cite>\s*:?)\s*")
ONE_PARAGRAPH = re.compile(r"\s*<p>((?:(?!</?p>).)*)</p>\s*", re.DOTALL)
# Without speakers: a new paragraph every half minute.
PAUSE_MS = 30_000


@dataclass(frozen=True)
class Segment:
    html: str
    start_ms: int | None


@dataclass(frozen=True)
class ChapterStart:
    title: str
    start_ms: int


@dataclass
class _Turn:
    speaker: str | None
    start_ms: int | None
    parts: list[str] = field(default_factory=list)


def transcript_html(segments: Sequence[Segment], chapters: Sequence[ChapterStart]) -> str:
    timed = [segment for segment in segments if segment.start_ms is not None]
    spoken, notes = (timed, [each for each in segments if each.start_ms is None]) if timed else (segments, [])
    out: list[str] = []
    coming = sorted(chapters, key=lambda chapter: chapter.start_ms, reverse=True) if timed else []
    turn: _Turn | None = None
    for segment in spoken:
        while coming and coming[-1].start_ms <= (segment.start_ms or 0):
            out += [_written(turn), f"<h2>{html.escape(coming.pop().title)}</h2>"]
            turn = None
        following = _next_turn(turn, segment)
        if following is not turn:
            out.append(_written(turn))
            turn = following
    out.append(_written(turn))
    if notes:
        out += ["<h2>Show notes</h2>", *(note.html for note in notes)]
    return "".join(out)


def _next_turn(turn: _Turn | None, segment: Segment) -> _Turn:
    named = SPEAKER.match(segment.html)
    speaker = html.unescape(named[2] or named[3]).strip().removesuffix(":") or None if named else None
    words = (named[1] or "") + segment.html[named.end() :] if named else segment.html
    is_same = turn is not None and speaker in (None, turn.speaker)
    is_long = turn is not None and turn.speaker is None and (segment.start_ms or 0) - (turn.start_ms or 0) > PAUSE_MS
    if turn is None or not is_same or is_long:
        turn = _Turn(speaker, segment.start_ms)
    turn.parts.append(words)
    return turn


def _written(turn: _Turn | None) -> str:
    if turn is None:
        return ""
    head = f"<strong>{html.escape(turn.speaker)}</strong> " if turn.speaker else ""
    head += f"<small>{clock(turn.start_ms)}</small>" if turn.start_ms is not None else ""
    paragraphs = [ONE_PARAGRAPH.fullmatch(part) for part in turn.parts]
    words = [match[1].strip() for match in paragraphs if match]
    body = f"<p>{' '.join(words)}</p>" if len(words) == len(paragraphs) else "".join(turn.parts)
    return f"<p>{head}</p>{body}" if head else body


def clock(milliseconds: int) -> str:
    seconds = milliseconds // 1000
    hours, minutes = seconds // 3600, seconds // 60 % 60
    return f"{hours}:{minutes:02}:{seconds % 60:02}" if hours else f"{minutes}:{seconds % 60:02}"
