"""OPML, the list of subscriptions every podcast program reads and writes."""

from collections.abc import Iterable
from xml.sax.saxutils import quoteattr

import ada_url
from lxml import etree

from nexus.errors import FeedsSpecError
from nexus.podcasts.entry_rules import is_clean_address
from nexus.podcasts.feeds_spec import FeedsSpec, from_entries

MAX_CHARACTERS = 20_000_000


def read_opml(data: bytes, *, name: str) -> FeedsSpec:
    """Every outline with an xmlUrl, however deep; entities and outside files are never followed."""
    if len(data) > MAX_CHARACTERS:
        raise FeedsSpecError(f"{name} is larger than {MAX_CHARACTERS:,} bytes.")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=False)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise FeedsSpecError(
            f"{name}, line {error.lineno}: this is not OPML: {error.msg}.", line=error.lineno
        ) from None
    if etree.QName(root).localname.lower() != "opml":
        raise FeedsSpecError(f"{name} is not OPML: its root is <{etree.QName(root).localname}>.")
    addresses = []
    for outline in root.iter("outline", "OUTLINE"):
        named = {str(key).lower(): str(value) for key, value in outline.attrib.items()}
        address = named.get("xmlurl", "").strip()
        if address:
            addresses.append(_clean(f"https://{address[7:]}" if address.startswith("feed://") else address))
    return from_entries(addresses, name=name)


def _clean(address: str) -> str:
    """As browsers write it: other programs let spaces through, which the feeds spec does not."""
    try:
        return address if is_clean_address(address) else ada_url.URL(address).href
    except ValueError:
        return address  # which the feeds spec names


def write_opml(feeds: Iterable[tuple[str, str | None]]) -> str:
    """Addresses, with titles where they are known."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<opml version="2.0">']
    lines += ["  <head><title>Nexus podcasts</title></head>", "  <body>"]
    for url, title in feeds:
        text = quoteattr(title or url)
        lines.append(f'    <outline type="rss" text={text} title={text} xmlUrl={quoteattr(url)}/>')
    return "\n".join([*lines, "  </body>", "</opml>", ""])
