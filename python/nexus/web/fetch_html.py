"""Fetches a page: what the link leads to must be HTML, by its label or by its first bytes."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus

from nexus.errors import EgressError, HttpStatusError, NonHtmlError
from nexus.errors.attempts import FEED, PODCAST_FEED
from nexus.text.feeds import FEED_TYPES, has_audio, is_feed
from nexus.web.egress import Egress, Limits, Response
from nexus.web.egress.politeness import retry_after

ACCEPT = "text/html, application/xhtml+xml;q=0.9, */*;q=0.1"
HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
# Labels that servers put on pages by mistake; their first bytes decide.
DOUBTFUL_TYPES = frozenset(
    {"", "application/octet-stream", "application/xml", "text/plain", "text/xml", "unknown/unknown"}
)
HEADERS_THAT_MATTER = ("content-language", "content-type", "etag", "last-modified", "link", "x-robots-tag")

SNIFFED = 1024
# Files that come labelled as HTML all the same; no page begins like this.
BINARY_STARTS = (
    b"%PDF-", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"PK\x03\x04", b"\x1f\x8b", b"RIFF", b"OggS", b"fLaC",
    b"ID3\x02", b"ID3\x03", b"ID3\x04", b"Rar!\x1a\x07", b"7z\xbc\xaf", b"\x7fELF", b"wOFF", b"BZh", b"\xfd7zXZ",
    b"\x00\x00\x00\x18ftyp", b"\x00\x00\x00\x20ftyp",
)  # fmt: skip
# After an XML declaration, if there is one.
PAGE_START = re.compile(
    rb"\s*(?:<\?xml[^>]*\?>\s*)?<(?:!--|(?:!doctype html|html|head|body|title|meta|script|style|link|div|p|h1|table"
    rb"|article|main|br|a|b|iframe|font)[\s/>])",
    re.IGNORECASE,
)
BYTE_ORDER_MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be", b"\xef\xbb\xbf": "utf-8-sig"}
ERROR_PAGE_BYTES = 500_000
FEED_BYTES = 200_000  # the head of a long show and its first entries
REDIRECT = 300


@dataclass(frozen=True)
class FetchedPage:
    body: bytes
    content_type: str | None
    final_url: str
    status: int
    headers: Mapping[str, str]
    content_length: int


def fetch_html(egress: Egress, url: str, *, limits: Limits | None = None) -> FetchedPage:
    """The page behind a link; anything else is an error with its reason."""
    with egress.stream(url, headers={"Accept": ACCEPT}, limits=limits) as answer:
        if answer.status >= REDIRECT:
            raise _failure(answer)
        try:
            body = _html(answer)
        except EgressError as error:
            error.http_status = answer.status
            raise
        content_type = answer.headers.get("content-type")
        headers = {name: answer.headers[name] for name in HEADERS_THAT_MATTER if name in answer.headers}
        return FetchedPage(body, content_type, answer.url, answer.status, headers, len(body))


def _html(answer: Response) -> bytes:
    label = _media_type(answer)
    pieces = answer.iter_bytes()
    if label in FEED_TYPES:
        raise _feed(b"", pieces)
    if label not in HTML_TYPES | DOUBTFUL_TYPES:
        raise NonHtmlError(f"The link leads to a file ({label[:60]}), not to a page.")
    body = bytearray()
    looked = False
    for piece in pieces:
        body += piece
        if not looked and len(body) >= SNIFFED:
            looked = True
            _look(bytes(body), label, pieces)
    if not looked:
        _look(bytes(body), label, pieces)
    return bytes(body)


def _media_type(answer: Response) -> str:
    return answer.headers.get("content-type", "").partition(";")[0].strip().lower()


def _look(body: bytes, label: str, more: Iterator[bytes]) -> None:
    start = body[:SNIFFED]
    if is_feed(_text(start)):
        raise _feed(body, more)
    if start.startswith(BINARY_STARTS):
        raise NonHtmlError("The link leads to a file that is labelled as a page.")
    if label in HTML_TYPES or not start.strip():
        return
    if b"\0" in _text(start) if label == "" else not PAGE_START.match(_text(start)):
        raise NonHtmlError(f"The link leads to something that is no page ({label or 'without a type'}).")


def _feed(body: bytes, more: Iterator[bytes]) -> NonHtmlError:
    with suppress(EgressError):  # what came until then is enough to say what it is
        for piece in more:
            body += piece
            if len(body) >= FEED_BYTES:
                break
    return NonHtmlError(PODCAST_FEED if has_audio(_text(body)) else FEED)


def _text(start: bytes) -> bytes:
    for mark, encoding in BYTE_ORDER_MARKS.items():
        if start.startswith(mark):
            return start.decode(encoding, errors="ignore").lstrip("\ufeff").encode()
    return start


def _failure(answer: Response) -> HttpStatusError:
    try:
        phrase = f" ({HTTPStatus(answer.status).phrase})"
    except ValueError:
        phrase = ""
    return HttpStatusError(
        f"The site answered with {answer.status}{phrase}.",
        http_status=answer.status,
        retry_after=retry_after(answer.headers),
        final_url=answer.url,
        body=_error_page(answer) if _media_type(answer) in HTML_TYPES else b"",
        content_type=answer.headers.get("content-type"),
    )


def _error_page(answer: Response) -> bytes:
    """As much as comes: it only helps to say what kind of refusal this is."""
    body = bytearray()
    try:
        for piece in answer.iter_bytes():
            body += piece
            if len(body) >= ERROR_PAGE_BYTES:
                break
    except EgressError:
        return bytes(body)
    return bytes(body)
