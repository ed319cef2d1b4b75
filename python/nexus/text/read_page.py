"""Reads a page: bytes in; metadata, sanitized HTML, canonical text and verdict out."""

from dataclasses import dataclass

from nexus.text.canonical_text import canonicalize
from nexus.text.extraction.charset import decode_bytes
from nexus.text.extraction.result import Extraction
from nexus.text.page_verdict import Verdict, page_verdict
from nexus.text.sanitize import sanitize_html


@dataclass(frozen=True)
class ReadPage:
    about: Extraction
    html_sanitized: str
    text: str
    verdict: Verdict
    charset: str | None
    """The WHATWG name of the encoding that the bytes were decoded in; None if browsers have none for it."""


def read_page(
    data: bytes, *, content_type: str | None, url: str | None, status: int | None = None, base_url: str | None = None
) -> ReadPage:
    """Run it in a ProcessPool: the bytes are hostile. `base_url` comes from a browser and overrides the page's."""
    # Takes 0.25 s to import, with numpy; only the child processes need it, the server and the worker do not.
    from nexus.text.extract_text import find_main_content  # noqa: PLC0415

    source = decode_bytes(data, content_type)
    found = find_main_content(source.text, url=url, base_url=base_url)
    html = sanitize_html(found.content_html, found.known.base_url or "")
    text = canonicalize(html)
    verdict = page_verdict(source.text, text=text, title=found.known.title or "", url=url or "", status=status)
    return ReadPage(found.with_text(text), html, text, verdict, source.label)
