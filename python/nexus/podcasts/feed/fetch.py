"""Fetches a feed with a conditional GET, and keeps the last copy."""

import hashlib
import zlib
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from nexus.errors import MaxBytesError
from nexus.podcasts.corpus.files import read_json, write_json
from nexus.podcasts.net.client import NOT_MODIFIED, FeedClient
from nexus.system.atomic_files import PRIVATE, remove_leftovers_of, replace_file
from nexus.web.egress import FetchedResponse

ACCEPT = "application/rss+xml, application/atom+xml, application/xml;q=0.9, text/xml;q=0.8, */*;q=0.5"
PERMANENT = frozenset({301, 308})
GZIP_MAGIC = b"\x1f\x8b"


@dataclass(frozen=True)
class FeedCopy:
    """``url`` is the one to request next time: after permanent redirects, before temporary ones."""

    asked_url: str
    url: str
    body: bytes
    sha256: str
    content_type: str | None
    etag: str | None
    last_modified: str | None


class FeedCache:
    def __init__(self, folder: Path, slug: str) -> None:
        self._body = folder / f"{slug}.feed"
        self._about = folder / f"{slug}.feed.json"

    def load(self, asked_url: str) -> FeedCopy | None:
        """The last copy of this URL; None if the body does not have the recorded hash."""
        about = read_json(self._about)
        if not isinstance(about, dict) or about.get("asked_url") != asked_url:
            return None
        try:
            body = self._body.read_bytes()
        except OSError:
            return None
        if hashlib.sha256(body).hexdigest() != about.get("sha256"):
            return None
        return FeedCopy(body=body, **about)

    def save(self, copy: FeedCopy) -> None:
        """Under the URL of the next request."""
        self._body.parent.mkdir(parents=True, exist_ok=True)
        remove_leftovers_of(self._body)
        remove_leftovers_of(self._about)
        about = asdict(copy) | {"asked_url": copy.url}
        del about["body"]
        replace_file(self._body, copy.body)
        write_json(self._about, about, mode=PRIVATE)


def fetch_feed(client: FeedClient, url: str, cache: FeedCache) -> FeedCopy:
    config = client.config
    last = cache.load(url) if config.rss_conditional_get else None
    headers = {"accept": ACCEPT}
    if last and last.etag:
        headers["if-none-match"] = last.etag
    if last and last.last_modified:
        headers["if-modified-since"] = last.last_modified
    response = client.fetch(url, client.feed_retries, max_bytes=config.max_feed_bytes, headers=headers)
    if response.status == NOT_MODIFIED and last:
        return replace(last, url=_url_for_next_time(url, response))
    body = _unpacked(response.body, config.max_feed_bytes)
    return FeedCopy(
        asked_url=url,
        url=_url_for_next_time(url, response),
        body=body,
        sha256=hashlib.sha256(body).hexdigest(),
        content_type=response.headers.get("content-type"),
        etag=response.headers.get("etag"),
        last_modified=response.headers.get("last-modified"),
    )


def _url_for_next_time(url: str, response: FetchedResponse) -> str:
    urls = [*(hop.url for hop in response.hops), response.url]
    for hop, following in zip(response.hops, urls[1:], strict=True):
        if hop.status not in PERMANENT:
            break
        url = following
    return url


def _unpacked(body: bytes, max_bytes: int) -> bytes:
    """Some hosts send feed.xml.gz without a content-encoding."""
    if not body.startswith(GZIP_MAGIC):
        return body
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        unpacked = unpacker.decompress(body, max_bytes)
    except zlib.error:
        return body
    if unpacker.unconsumed_tail:
        raise MaxBytesError(f"The feed is larger than the limit of {max_bytes:,} bytes.")
    return unpacked
