"""The whole path of a page, as one function a child process can import."""

from nexus.services.canonicalize import canonicalize
from nexus.services.page_verdict import page_verdict
from nexus.services.sanitize_html import sanitize_html

BASE = "https://site.example/"


def read_page(html: str) -> tuple[str, str]:
    text = canonicalize(sanitize_html(html, BASE))
    return text, page_verdict(html, text=text, url=BASE).outcome
