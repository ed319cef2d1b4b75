"""Reads a transcript again from its original. Run it in a TextPool: the bytes are untrusted."""

from typing import cast

from nexus.podcasts.episode_text import FragmentText, read_notes, transcript_fragments
from nexus.podcasts.transcripts.formats import Format
from nexus.podcasts.transcripts.read import read_transcript
from nexus.text.originals.original_file import OriginalFacts

DEFAULT_PAUSE_MS = 1500


def reread_transcript(data: bytes, facts: OriginalFacts) -> list[FragmentText]:
    """As when it was first read: the transcript in paragraphs, followed by the show notes."""
    declared = cast("Format | None", facts.declared)
    _, segments = read_transcript(data, content_type=facts.content_type, declared=declared)
    fragments = transcript_fragments(segments, pause_ms=facts.pause_ms or DEFAULT_PAUSE_MS)
    notes = read_notes(facts.notes_html, "")
    return [*fragments, FragmentText(notes.html, notes.text)] if notes else fragments
