"""What somebody pasted, as a page: paragraphs to read and quote like any other."""

from dataclasses import dataclass
from html import escape

from nexus.errors import BlankTextError
from nexus.services.canonicalize import canonicalize
from nexus.services.sanitize_html import sanitize_html
from nexus.services.text.words import count_words

_TITLE_CHARS = 120
_EXCERPT_CHARS = 300


@dataclass(frozen=True)
class PastedText:
    html_sanitized: str
    canonical_text: str
    title: str
    excerpt: str
    word_count: int


def storable(text: str) -> str:
    """Word for word but for NUL, which PostgreSQL cannot hold and no person typed."""
    return text.replace("\0", "")


def read_paste(text: str) -> PastedText:
    """Safe in the caller's own process: every character is escaped before a parser sees it."""
    html = sanitize_html(_paragraphs(text), "")
    canonical = canonicalize(html)
    if not canonical:
        raise BlankTextError("The pasted text is blank; paste what the page says.")
    return PastedText(
        html_sanitized=html,
        canonical_text=canonical,
        title=_cut(canonical.partition("\n")[0], _TITLE_CHARS),
        excerpt=_cut(canonical.replace("\n", " ").replace("\t", " "), _EXCERPT_CHARS),
        word_count=count_words(canonical),
    )


def _paragraphs(text: str) -> str:
    """A blank line ends a paragraph, a single line end is a line break, as people mean it when they paste."""
    paragraphs: list[list[str]] = [[]]
    for line in text.splitlines():
        if line.strip():
            paragraphs[-1].append(escape(line.strip(), quote=False))
        elif paragraphs[-1]:
            paragraphs.append([])
    return "".join(f"<p>{'<br>'.join(lines)}</p>" for lines in paragraphs if lines)


def _cut(text: str, limit: int) -> str:
    """Whole words where there are any, and a sign that more follows."""
    if len(text) <= limit:
        return text
    kept = text[: limit - 1]
    return (kept[: kept.rfind(" ")] if " " in kept else kept).rstrip() + "…"
