"""Our extraction and those it is compared with: a page in, its main text out."""

import re
from collections.abc import Callable

import trafilatura
from readability import Document

from bench.corpus import Sample
from nexus.text.canonical_text import canonicalize
from nexus.text.read_page import read_page

Extractor = Callable[[Sample], str]
_CAPTION = re.compile(r"<figcaption>.*?</figcaption>", re.DOTALL)


def _bytes(sample: Sample) -> bytes:
    return sample.html.encode("utf-8", "replace")


def shipped(sample: Sample) -> str:
    """The whole static path: charset, blocks, model, structure, sanitizing, text, verdict."""
    return read_page(_bytes(sample), content_type="text/html; charset=utf-8", url=sample.url or None).text


def shipped_without_captions(sample: Sample) -> str:
    """The same, less the captions of pictures: the reader shows them, but most gold texts have none."""
    html = read_page(_bytes(sample), content_type="text/html; charset=utf-8", url=sample.url or None).html_sanitized
    return canonicalize(_CAPTION.sub("", html))


def trafilatura_default(sample: Sample) -> str:
    return trafilatura.extract(_bytes(sample), url=sample.url or None, include_comments=False) or ""


def trafilatura_precision(sample: Sample) -> str:
    found = trafilatura.extract(_bytes(sample), url=sample.url or None, include_comments=False, favor_precision=True)
    return found or ""


def readability_lxml(sample: Sample) -> str:
    """It gives HTML, which becomes text as ours does."""
    return canonicalize(Document(sample.html).summary(html_partial=True))


EXTRACTORS: dict[str, Extractor] = {
    "shipped": shipped,
    "shipped_without_captions": shipped_without_captions,
    "trafilatura": trafilatura_default,
    "trafilatura_precision": trafilatura_precision,
    "readability_lxml": readability_lxml,
}
