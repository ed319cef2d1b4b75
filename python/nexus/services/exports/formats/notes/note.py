"""An entry as a note: front matter, the user's note, the text, the highlights as callouts."""

import re
from collections.abc import Iterator, Sequence

from nexus.services.exports.formats.notes.front_matter import front_matter, obsidian_tags
from nexus.services.highlights.files import escaped
from nexus.services.highlights.records import Highlight
from nexus.services.library.entries import Entry
from nexus.text.markdown_url import escape_url

NO_TEXT = {
    "queued": "The text of this page is not there yet.",
    "processing": "The text of this page is not there yet.",
}
FAILED = "The text of this page could not be read."
HASH = re.compile(r"(?<![\w\\])#(?=\w)")  # a word behind it is a tag


def write_note(entry: Entry, text: str | None, highlights: Sequence[Highlight]) -> str:
    """`text`: as Markdown; None: there is none."""
    title = _plain(" ".join(entry.title.split()))
    parts = [front_matter(entry), f"# {title}"]
    if entry.note:
        parts.append("\n".join(["> [!note]", *_quote(entry.note)]))
    if url := entry.canonical_url or entry.requested_url:
        parts.append(f"[{title}]({escape_url(url)})")
    if text is None:
        parts.append(NO_TEXT.get(entry.status, FAILED) if entry.requested_url else "There is no text.")
    elif text:
        parts.append(text)
    if highlights:
        parts.append("## Highlights")
        parts += [part for highlight in highlights for part in _callout(highlight)]
    return "\n\n".join(parts) + "\n"


def _callout(highlight: Highlight) -> Iterator[str]:
    """With an id of its own, so that other notes can link to it: [[note#^hl-…]]."""
    state = ", not in the current text" if highlight.state == "orphaned" else ""
    lines = [f"> [!quote] {highlight.created_at:%Y-%m-%d} ({highlight.color}{state})", *_quote(highlight.quote)]
    if highlight.note:
        lines += [">", "> > [!note]", *(f"> {line}" for line in _quote(highlight.note))]
    if tags := obsidian_tags(highlight.tags):
        lines += [">", "> " + " ".join(f"#{tag}" for tag in tags)]
    yield "\n".join(lines)
    yield f"^hl-{highlight.id.hex[:12]}"


def _quote(words: str) -> list[str]:
    return [f"> {_plain(line)}".rstrip() for line in words.splitlines()]


def _plain(line: str) -> str:
    return HASH.sub(r"\\#", escaped(line))
