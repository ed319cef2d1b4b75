"""What somebody pasted, as a page: the same kind of fragment that an article becomes."""

from dataclasses import dataclass
from html import escape

from nexus.services.canonicalize import canonicalize
from nexus.services.sanitize_html import sanitize_html

TITLE_CHARS = 120
EXCERPT_CHARS = 300


@dataclass(frozen=True)
class PastedPage:
    html_sanitized: str
    canonical_text: str  # empty when nothing of it can be seen
    title: str
    excerpt: str
    word_count: int


def paste_as_page(text: str) -> PastedPage:
    """A blank line ends a paragraph, a line break stays one; nothing in it is markup."""
    paragraphs: list[list[str]] = [[]]
    for line in text.splitlines():
        if line.strip():
            paragraphs[-1].append(escape(line.strip(), quote=False))
        elif paragraphs[-1]:
            paragraphs.append([])
    html = sanitize_html("".join(f"<p>{'<br>'.join(lines)}</p>" for lines in paragraphs if lines), "")
    canonical = canonicalize(html)
    return PastedPage(
        html_sanitized=html,
        canonical_text=canonical,
        title=_cut(canonical.split("\n", 1)[0], TITLE_CHARS),
        excerpt=_cut(canonical.replace("\n", " "), EXCERPT_CHARS),
        word_count=len(canonical.split()),
    )


def _cut(text: str, length: int) -> str:
    if len(text) <= length:
        return text
    return text[: length - 1].rsplit(" ", 1)[0] + "…"
