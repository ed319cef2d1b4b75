"""Segments of speech with times and speakers, and how they become paragraphs."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from nexus.text.characters import one_line

LONG_PARAGRAPH = 900  # characters; then the next sentence end closes it
MAX_PARAGRAPH = 2000
SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’)\]]*$")  # noqa: RUF001
FEW_SEGMENTS = 8  # too few to tell
WORD_LEVEL = 2.5  # words per segment; below that a file has a segment for each word
SENTENCE_GAP_MS = 1000
MS_PER_WORD = 400  # 150 words a minute
MAX_MS = 10**10


@dataclass(frozen=True, slots=True)
class Segment:
    text: str
    start_ms: int | None = None
    end_ms: int | None = None
    speaker: str | None = None


def tidy(segments: Iterable[Segment]) -> list[Segment]:
    """Sorted, without empty ones, each with an end that is not before its start."""
    kept = []
    for each in segments:
        text, speaker = one_line(each.text), one_line(each.speaker or "").rstrip(":") or None
        if text:
            start = None if each.start_ms is None else min(max(0, each.start_ms), MAX_MS)
            kept.append(replace(each, text=text, speaker=speaker, start_ms=start))
    if any(each.start_ms is None for each in kept):
        return [replace(each, start_ms=None, end_ms=None) for each in kept]
    kept.sort(key=lambda each: each.start_ms or 0)
    return [_with_end(each, following) for each, following in zip(kept, [*kept[1:], None], strict=False)]


def _with_end(each: Segment, following: Segment | None) -> Segment:
    start = each.start_ms or 0
    end = each.end_ms
    if end is None or end < start:
        spoken = start + MS_PER_WORD * len(each.text.split())
        end = min(spoken, following.start_ms or 0) if following and following.start_ms != start else spoken
    return replace(each, end_ms=max(start, min(end, MAX_MS)))


def is_timed(segments: Sequence[Segment]) -> bool:
    return bool(segments) and segments[0].start_ms is not None


def joined_words(segments: list[Segment]) -> list[Segment]:
    """Sentences, if the file has a segment for each word."""
    words = sum(len(each.text.split()) for each in segments)
    if len(segments) < FEW_SEGMENTS or words / len(segments) >= WORD_LEVEL:
        return segments
    return _grouped(segments, pause_ms=SENTENCE_GAP_MS, ends=lambda _, last: bool(SENTENCE_END.search(last)))


def paragraphs(segments: list[Segment], *, pause_ms: int) -> list[Segment]:
    """Starts a paragraph at each change of speaker, at each pause, and when one is too long to quote."""
    if not is_timed(segments):
        return segments

    def ends(length: int, last: str) -> bool:
        return length > MAX_PARAGRAPH or (length > LONG_PARAGRAPH and bool(SENTENCE_END.search(last)))

    return _grouped(segments, pause_ms=pause_ms, ends=ends)


def _grouped(segments: list[Segment], *, pause_ms: int, ends: Callable[[int, str], bool]) -> list[Segment]:
    """``ends`` gets the length of the group so far and its last text."""
    groups: list[list[Segment]] = []
    length = 0
    for each in segments:
        last = groups[-1][-1] if groups else None
        continues = last is not None and last.speaker == each.speaker and _gap(last, each) < pause_ms
        if last is not None and continues and not ends(length, last.text):
            groups[-1].append(each)
            length += 1 + len(each.text)
        else:
            groups.append([each])
            length = len(each.text)
    return [_joined(group) for group in groups]


def _gap(earlier: Segment, later: Segment) -> int:
    return (later.start_ms or 0) - (earlier.end_ms or 0)


def _joined(group: list[Segment]) -> Segment:
    ends = [each.end_ms for each in group if each.end_ms is not None]
    return replace(group[0], text=" ".join(each.text for each in group), end_ms=max(ends) if ends else None)
