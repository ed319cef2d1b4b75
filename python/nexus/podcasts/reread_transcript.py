"""Reads a transcript again from its original. Run it in a ProcessPool: the bytes are untrusted."""

from typing import cast

from nexus.podcasts.episode_text import FragmentText, read_notes, transcript_fragments
from nexus.podcasts.transcripts.formats import Format
from nexus.podcasts.transcripts.read import read_transcript
from nexus.text.originals.original_file import OriginalFacts
from nexus.text.reading_time import count_words

DEFAULT_PAUSE_MS = 1500


def reread_transcript(data: bytes, facts: OriginalFacts) -> tuple[list[FragmentText], int]:
    """As when it was first read: the transcript in paragraphs, then the show notes; and the words of the former."""
    declared = cast("Format | None", facts.declared)
    _, segments = read_transcript(data, content_type=facts.content_type, declared=declared)
    fragments = transcript_fragments(segments, pause_ms=facts.pause_ms or DEFAULT_PAUSE_MS)
    notes = read_notes(facts.notes_html, "")
    words = sum(count_words(each.text) for each in fragments)
    return ([*fragments, FragmentText(notes.html, notes.text)] if notes else fragments), words
