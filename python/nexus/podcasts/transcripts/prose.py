"""Transcripts in HTML and in plain text."""

import re

from selectolax.lexbor import LexborHTMLParser

from nexus.podcasts.transcripts.clock import clock_ms
from nexus.podcasts.transcripts.segments import Segment
from nexus.text.canonical_text import canonicalize
from nexus.text.sanitize import sanitize_html

# [00:01:02] Ada: words, in many variants; a single "Note:" is not a speaker.
STAMP = re.compile(r"^\s*[\[(]?((?:\d{1,3}:)?\d{1,2}:\d{2}(?:[.,]\d{1,3})?)[\])]?\s*[-–]?\s*")  # noqa: RUF001
SPEAKER = re.compile(r"^\s*([^\W\d_][\w.'-]*(?: [^\W_][\w.'-]*){0,3})\s*(?:[\[(][\d:.,]+[\])])?:\s+(?=\S)")
MIN_TURNS = 2
CONTAINERS = frozenset({"cite", "time", "p", "li", "div", "body"})


def parse_html_transcript(text: str) -> list[Segment]:
    """With <cite> and <time> as the podcast namespace describes; of any other page the main text."""
    tree = LexborHTMLParser(text)
    if tree.body is None or tree.css_first("cite, time") is None:
        return _main_text(text)
    turns = _Turns()
    containers: dict[int, tuple[str, int]] = {}  # by element; filled from the top, since walking up takes depth² time
    for node in tree.body.traverse(include_text=True):
        above = containers.get(node.parent.mem_id if node.parent else 0, ("body", 0))
        if not node.is_text_node:
            containers[node.mem_id] = (node.tag, node.mem_id) if node.tag in CONTAINERS else above
        elif node.text_content:
            turns.add(node.text_content, *above)
    return turns.segments


class _Turns:
    def __init__(self) -> None:
        self._turns: list[tuple[list[str], int | None, str | None]] = []  # texts, start, speaker
        self._speaker: str | None = None
        self._start: int | None = None
        self._block: int | None = None

    @property
    def segments(self) -> list[Segment]:
        return [Segment("".join(texts), start, None, speaker) for texts, start, speaker in self._turns]

    def add(self, text: str, tag: str, block: int) -> None:
        """``tag`` and ``block`` are the element that holds the text."""
        if not text.strip() and block != self._block:
            return
        if tag == "cite":
            self._speaker, self._block = text, None
        elif tag == "time":
            self._start, self._block = clock_ms(text), None
        elif block == self._block:
            self._turns[-1][0].append(text)
        else:
            self._turns.append(([text], self._start, self._speaker))
            self._block = block


def _main_text(text: str) -> list[Segment]:
    # Takes 0.25 s to import; only the child process needs it, the command does not.
    from nexus.text.extract_text import extract_text  # noqa: PLC0415

    page = extract_text(text.encode("utf-8", "replace"), content_type="text/html; charset=utf-8", url=None)
    return parse_plain(canonicalize(sanitize_html(page.content_html, "")).replace("\n", "\n\n"))


def parse_plain(text: str) -> list[Segment]:
    """A segment for each paragraph; names and times in front of them count if the text uses them regularly."""
    blocks = re.split(r"\n\s*\n", text.replace("\r\n", "\n").replace("\r", "\n"))
    if len(blocks) <= 2:  # noqa: PLR2004 - no empty lines: each line is a paragraph
        blocks = text.splitlines()
    segments = [_from_block(block) for block in blocks if block.strip()]
    speakers = [each.speaker for each in segments if each.speaker]
    if len(speakers) < MIN_TURNS or len(set(speakers)) > max(MIN_TURNS, len(speakers) // 2 + 1):
        return [Segment(block) for block in blocks if block.strip()]
    return segments


def _from_block(block: str) -> Segment:
    start: int | None = None
    speaker: str | None = None
    for _ in range(2):  # the time may come before or after the name
        if start is None and (found := STAMP.match(block)):
            start = clock_ms(found[1])
            block = block[found.end() :]
        if speaker is None and (found := SPEAKER.match(block)):
            speaker = found[1]
            block = block[found.end() :]
    return Segment(block, start, None, speaker)
