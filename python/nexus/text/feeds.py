"""Whether bytes are a feed, and one with audio. Only for messages; nexus.podcasts parses feeds."""

import re

# Feeds are sent with these types, as XML, or as HTML.
FEED_TYPES = frozenset({"application/rss+xml", "application/atom+xml", "application/feed+json"})
ATOM_NAMESPACES = (b"http://www.w3.org/2005/Atom", b"http://purl.org/atom/")
RSS_1_NAMESPACE = b"http://purl.org/rss/1.0/"

# Each pattern has at most one way to match: on hostile bytes, backtracking would block the worker.
_ROOT_NAME = re.compile(rb"<(rss|feed|rdf:rdf)[\s>]", re.IGNORECASE)
_DOCTYPE = re.compile(rb"<!doctype\s", re.IGNORECASE)
_NOT_SPACE = re.compile(rb"\S")
_MAY_NAME_AUDIO = re.compile(rb"<(?:enclosure|media:content|link)\s([^<>]*+)", re.IGNORECASE)
_AUDIO_TYPE = re.compile(rb"type\s*+=\s*+[\"']audio/", re.IGNORECASE)


def is_feed(start: bytes) -> bool:
    """By the first bytes of a response, decoded to something like UTF-8."""
    root = _ROOT_NAME.match(start, _end_of_prologue(start))
    if not root:
        return False
    name = root[1].lower()
    if name == b"feed":
        return any(namespace in start for namespace in ATOM_NAMESPACES)
    return name == b"rss" or RSS_1_NAMESPACE in start


def has_audio(data: bytes) -> bool:
    return any(_AUDIO_TYPE.search(tag[1]) for tag in _MAY_NAME_AUDIO.finditer(data))


def _end_of_prologue(start: bytes) -> int:
    """After the XML declaration, style sheets, comments and document type, if any. Reads each byte once."""
    position = 0
    while (found := _NOT_SPACE.search(start, position)) is not None:
        position = found.start()
        part_end = _end_of_prologue_part(start, position)
        if part_end is None:
            return position
        position = part_end
    return len(start)


def _end_of_prologue_part(start: bytes, position: int) -> int | None:
    """None: no such part starts here, or it does not end."""
    if start.startswith(b"<?", position):
        return _behind(start, b"?>", position + 2)
    if start.startswith(b"<!--", position):
        return _behind(start, b"-->", position + 4)
    if _DOCTYPE.match(start, position):
        end = _behind(start, b">", position)
        # Feeds have no document type with declarations of its own.
        return None if end is None or b"[" in start[position:end] else end
    return None


def _behind(start: bytes, mark: bytes, position: int) -> int | None:
    found = start.find(mark, position)
    return None if found < 0 else found + len(mark)
