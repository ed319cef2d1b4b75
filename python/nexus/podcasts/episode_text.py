"""Turns a transcript and show notes into text to read and quote. Runs in a ProcessPool."""

from dataclasses import dataclass
from html import escape

from nexus.podcasts.transcripts.segments import Segment, is_timed, paragraphs
from nexus.text.canonical_text import canonicalize
from nexus.text.sanitize import sanitize_html

MAX_EXCERPT_CHARS = 300


@dataclass(frozen=True, slots=True)
class FragmentText:
    html: str
    text: str
    start_ms: int | None = None
    end_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Notes:
    html: str
    text: str


def read_notes(notes: str | None, base_url: str) -> Notes | None:
    """Show notes, sanitized; without markup, lines become paragraphs."""
    if not notes or not notes.strip():
        return None
    if "<" not in notes:
        notes = "".join(f"<p>{escape(line, quote=False)}</p>" for line in notes.splitlines() if line.strip())
    html = sanitize_html(notes, base_url)
    text = canonicalize(html)
    return Notes(html, text) if text else None


def transcript_fragments(segments: list[Segment], *, pause_ms: int) -> list[FragmentText]:
    """One fragment for each paragraph, with its times."""
    fragments = []
    for each in paragraphs(segments, pause_ms=pause_ms):
        speaker = f"<strong>{escape(each.speaker, quote=False)}:</strong> " if each.speaker else ""
        html = sanitize_html(f"<p>{speaker}{escape(each.text, quote=False)}</p>", "")
        text = canonicalize(html)
        if text:
            fragments.append(FragmentText(html, text, each.start_ms, each.end_ms))
    return fragments


def as_text(segments: list[Segment], *, pause_ms: int) -> str:
    return "".join(
        (f"{each.speaker}: " if each.speaker else "") + each.text + "\n\n"
        for each in paragraphs(segments, pause_ms=pause_ms)
    )


def as_vtt(segments: list[Segment]) -> str | None:
    """None without times: every cue needs one."""
    if not is_timed(segments):
        return None
    cues = ["WEBVTT\n"]
    for each in segments:
        voice = f"<v {_escaped(each.speaker)}>" if each.speaker else ""
        cues.append(f"{_clock(each.start_ms)} --> {_clock(each.end_ms)}\n{voice}{_escaped(each.text)}\n")
    return "\n".join(cues)


def _escaped(text: str) -> str:
    # Some parsers end a cue at an arrow.
    return escape(text, quote=False).replace("-->", "--&gt;")


def _clock(milliseconds: int | None) -> str:
    seconds, rest = divmod(milliseconds or 0, 1000)
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{rest:03d}"
