"""The key under which an index has a text that may be longer than an index row."""

import hashlib


def text_key(value: str) -> bytes:
    """The same bytes as the schema's function `text_key`."""
    return hashlib.sha256(value.encode()).digest()
