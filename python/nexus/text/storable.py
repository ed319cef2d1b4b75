"""What PostgreSQL can hold of a text: neither NUL nor half of a surrogate pair."""

import re

_SURROGATE = re.compile("[\ud800-\udfff]")


def storable(text: str) -> str:
    return _SURROGATE.sub("\ufffd", text.replace("\0", ""))


def storable_start(text: str | None, max_chars: int) -> str | None:
    return None if text is None else storable(text)[:max_chars]
