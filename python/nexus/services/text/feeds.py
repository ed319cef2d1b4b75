"""Is it a feed, and one with audio? Enough to say so; the podcasts' parser reads them."""

import re

# Feeds are labelled with these, or as XML, or as pages.
FEED_TYPES = frozenset({"application/rss+xml", "application/atom+xml", "application/feed+json"})
ATOM_NAMESPACES = (b"http://www.w3.org/2005/Atom", b"http://purl.org/atom/")
RSS_1_NAMESPACE = b"http://purl.org/rss/1.0/"

# After the XML declaration, style sheets, comments and a document type, if there are any.
_ROOT = re.compile(
    rb"\s*(?:(?:<\?[^>]{0,500}\?>|<!--.{0,1000}?-->|<!doctype\s[^>\[]{0,500}>)\s*){0,20}<(rss|feed|rdf:rdf)[\s>]",
    re.IGNORECASE | re.DOTALL,
)
_AUDIO = re.compile(rb"<(?:enclosure|media:content|link)\s[^>]{0,2000}?type\s*=\s*[\"']audio/", re.IGNORECASE)


def is_feed(start: bytes) -> bool:
    """By the first bytes of an answer, decoded to something like UTF-8."""
    root = _ROOT.match(start)
    if not root:
        return False
    name = root[1].lower()
    if name == b"feed":
        return any(namespace in start for namespace in ATOM_NAMESPACES)
    return name == b"rss" or RSS_1_NAMESPACE in start


def has_audio(data: bytes) -> bool:
    return _AUDIO.search(data) is not None
