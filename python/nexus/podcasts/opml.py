"""OPML, the subscription list that podcast programs import and export."""

from collections.abc import Iterable
from xml.sax.saxutils import quoteattr

import ada_url
from lxml import etree

from nexus.errors import FeedsSpecError
from nexus.podcasts.entry_rules import is_clean_url
from nexus.podcasts.feeds_spec import FeedsSpec, from_entries

MAX_BYTES = 20_000_000


def read_opml(data: bytes, *, name: str) -> FeedsSpec:
    """Every outline with an xmlUrl, at any depth; entities and external files are never resolved."""
    if len(data) > MAX_BYTES:
        raise FeedsSpecError(f"{name} is larger than {MAX_BYTES:,} bytes.")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=False)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise FeedsSpecError(
            f"{name}, line {error.lineno}: this is not OPML: {error.msg}.", line=error.lineno
        ) from None
    if etree.QName(root).localname.lower() != "opml":
        raise FeedsSpecError(f"{name} is not OPML: its root is <{etree.QName(root).localname}>.")
    urls = []
    for outline in root.iter("outline", "OUTLINE"):
        attributes = {str(key).lower(): str(value) for key, value in outline.attrib.items()}
        url = attributes.get("xmlurl", "").strip()
        if url:
            urls.append(_clean(f"https://{url[7:]}" if url.startswith("feed://") else url))
    return from_entries(urls, name=name)


def _clean(url: str) -> str:
    """Normalized as browsers do: other programs allow spaces, the feeds spec does not."""
    try:
        return url if is_clean_url(url) else ada_url.URL(url).href
    except ValueError:
        return url  # the feeds spec reports it


def write_opml(feeds: Iterable[tuple[str, str | None]]) -> str:
    """``feeds`` are pairs of URL and title."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<opml version="2.0">']
    lines += ["  <head><title>Nexus podcasts</title></head>", "  <body>"]
    for url, title in feeds:
        text = quoteattr(title or url)
        lines.append(f'    <outline type="rss" text={text} title={text} xmlUrl={quoteattr(url)}/>')
    return "\n".join([*lines, "  </body>", "</opml>", ""])
