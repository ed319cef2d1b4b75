"""Fetches a page: the response must be HTML, by its Content-Type or by its first bytes."""

import re
from collections.abc import Iterator
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
# Types that servers send with pages by mistake; the first bytes decide.
DOUBTFUL_TYPES = frozenset(
    {"", "application/octet-stream", "application/xml", "text/plain", "text/xml", "unknown/unknown"}
)

SNIFF_BYTES = 1024
# Files that some servers label as HTML; no page begins like this.
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
MAX_ERROR_PAGE_BYTES = 500_000
MAX_FEED_BYTES = 200_000  # the head of a long show and its first entries
FIRST_REDIRECT = 300


@dataclass(frozen=True)
class FetchedPage:
    body: bytes
    content_type: str | None
    final_url: str
    status: int
    content_length: int


def fetch_html(egress: Egress, url: str, *, limits: Limits | None = None) -> FetchedPage:
    """Raises an EgressError that gives the reason when the link leads to no page."""
    with egress.stream(url, headers={"Accept": ACCEPT}, limits=limits) as response:
        if response.status >= FIRST_REDIRECT:
            raise _status_error(response)
        try:
            body = _html(response)
        except EgressError as error:
            error.http_status = response.status
            raise
        content_type = response.headers.get("content-type")
        return FetchedPage(body, content_type, response.url, response.status, len(body))


def _html(response: Response) -> bytes:
    label = _media_type(response)
    chunks = response.iter_bytes()
    if label in FEED_TYPES:
        raise _feed(b"", chunks)
    if label not in HTML_TYPES | DOUBTFUL_TYPES:
        raise NonHtmlError(f"The link leads to a file ({label[:60]}), not to a page.")
    body = bytearray()
    checked = False
    for chunk in chunks:
        body += chunk
        if not checked and len(body) >= SNIFF_BYTES:
            checked = True
            _check_start(bytes(body), label, chunks)
    if not checked:
        _check_start(bytes(body), label, chunks)
    return bytes(body)


def _media_type(response: Response) -> str:
    return response.headers.get("content-type", "").partition(";")[0].strip().lower()


def _check_start(body: bytes, label: str, more: Iterator[bytes]) -> None:
    start = body[:SNIFF_BYTES]
    if is_feed(_text(start)):
        raise _feed(body, more)
    if start.startswith(BINARY_STARTS):
        raise NonHtmlError("The link leads to a file that is labelled as a page.")
    if label in HTML_TYPES or not start.strip():
        return
    if b"\0" in _text(start) if label == "" else not PAGE_START.match(_text(start)):
        raise NonHtmlError(f"The link leads to something that is not a page ({label or 'without a type'}).")


def _feed(body: bytes, more: Iterator[bytes]) -> NonHtmlError:
    with suppress(EgressError):  # the part that arrived is enough to recognise it
        for chunk in more:
            body += chunk
            if len(body) >= MAX_FEED_BYTES:
                break
    return NonHtmlError(PODCAST_FEED if has_audio(_text(body)) else FEED)


def _text(start: bytes) -> bytes:
    for mark, encoding in BYTE_ORDER_MARKS.items():
        if start.startswith(mark):
            return start.decode(encoding, errors="ignore").lstrip("\ufeff").encode()
    return start


def _status_error(response: Response) -> HttpStatusError:
    try:
        phrase = f" ({HTTPStatus(response.status).phrase})"
    except ValueError:
        phrase = ""
    return HttpStatusError(
        f"The site responded with {response.status}{phrase}.",
        http_status=response.status,
        retry_after=retry_after(response.headers),
        final_url=response.url,
        body=_error_page(response) if _media_type(response) in HTML_TYPES else b"",
        content_type=response.headers.get("content-type"),
    )


def _error_page(response: Response) -> bytes:
    """The part of the body that arrives. It is only used to recognise the kind of refusal."""
    body = bytearray()
    try:
        for chunk in response.iter_bytes():
            body += chunk
            if len(body) >= MAX_ERROR_PAGE_BYTES:
                break
    except EgressError:
        return bytes(body)
    return bytes(body)
