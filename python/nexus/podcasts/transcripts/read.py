"""Reads a transcript into segments. Run it in a ProcessPool: the bytes are untrusted."""

import codecs
import re

from nexus.errors import UnreadableTranscriptError
from nexus.podcasts.transcripts.captions import parse_captions
from nexus.podcasts.transcripts.formats import Format, detect_format
from nexus.podcasts.transcripts.json_segments import parse_json
from nexus.podcasts.transcripts.prose import parse_html_transcript, parse_plain
from nexus.podcasts.transcripts.segments import Segment, joined_words, tidy

BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
CHARSET = re.compile(r"charset=[\"']?([\w.:-]+)", re.I)
TIMED: frozenset[Format] = frozenset({"vtt", "srt", "json"})


def read_transcript(data: bytes, *, content_type: str | None, declared: Format | None) -> tuple[Format, list[Segment]]:
    text = _decoded(data, content_type)
    kind = detect_format(text, declared)
    if kind == "html" and declared in TIMED:
        raise UnreadableTranscriptError(
            "The site sent a web page instead of the transcript, which may have been removed."
        )
    parse = {
        "vtt": parse_captions, "srt": parse_captions, "json": parse_json,
        "html": parse_html_transcript, "plain": parse_plain,
    }[kind]  # fmt: skip
    if kind == "plain" and declared in ("vtt", "srt"):
        raise UnreadableTranscriptError("The transcript has no cue with a readable time.")
    segments = joined_words(tidy(parse(text)))
    if not segments:
        raise UnreadableTranscriptError("The transcript is empty.")
    return kind, segments


def _decoded(data: bytes, content_type: str | None) -> str:
    """As UTF-8, else in the declared charset, else in that of old programs."""
    for mark, encoding in BOMS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    declared = CHARSET.search(content_type or "")
    for encoding in ("utf-8", declared[1] if declared else "cp1252"):
        try:
            return data.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            continue
    return data.decode("latin-1")
