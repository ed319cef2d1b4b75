"""Converts a pasted text to sanitized HTML and canonical text, from Markdown or as paragraphs."""

import re
from dataclasses import dataclass
from html import escape

from nexus.errors import BlankTextError
from nexus.text.canonical_text import canonicalize
from nexus.text.characters import storable
from nexus.text.pasted_markdown import is_markdown, markdown_html
from nexus.text.reading_time import count_words
from nexus.text.sanitize import sanitize_html

_MAX_TITLE_CHARS = 120
# "Dr. Who" ends no sentence: nothing shorter than this does.
_FIRST_SENTENCE = re.compile(r".{15,119}?(?:[.!?](?=\s)|[\u3002\uff01\uff1f])")
_MAX_EXCERPT_CHARS = 300


@dataclass(frozen=True)
class PastedText:
    html_sanitized: str
    canonical_text: str
    title: str
    excerpt: str | None  # what follows the title
    word_count: int
    source: str  # word for word, as far as it can be stored


def read_paste(pasted: str) -> PastedText:
    """Safe outside the process pool: every character is escaped before HTML is parsed."""
    text = storable(pasted)
    lines = "\n".join(text.splitlines())
    html = sanitize_html(markdown_html(lines) if is_markdown(lines) else _paragraphs(text), "")
    canonical = canonicalize(html)
    if not canonical:
        raise BlankTextError("The pasted text is blank; paste what the page says.")
    title = _title(canonical.partition("\n")[0])
    return PastedText(
        html_sanitized=html,
        canonical_text=canonical,
        title=title,
        excerpt=_cut(" ".join(canonical.removeprefix(title).split()), _MAX_EXCERPT_CHARS) or None,
        word_count=count_words(canonical),
        source=text,
    )


def _paragraphs(text: str) -> str:
    """A blank line ends a paragraph, a single line end is a line break."""
    paragraphs: list[list[str]] = [[]]
    for line in text.splitlines():
        if line.strip():
            paragraphs[-1].append(escape(line.strip(), quote=False))
        elif paragraphs[-1]:
            paragraphs.append([])
    return "".join(f"<p>{'<br>'.join(lines)}</p>" for lines in paragraphs if lines)


def _title(line: str) -> str:
    """The first line; of one that is a whole paragraph, the first sentence."""
    sentence = _FIRST_SENTENCE.match(line[: _MAX_TITLE_CHARS + 1])
    return sentence.group() if sentence and len(line) > _MAX_TITLE_CHARS else _cut(line, _MAX_TITLE_CHARS)


def _cut(text: str, limit: int) -> str:
    """Cut at a word where there is one, with an ellipsis."""
    if len(text) <= limit:
        return text
    kept = text[: limit - 1]
    return (kept[: kept.rfind(" ")] if " " in kept else kept).rstrip() + "…"
