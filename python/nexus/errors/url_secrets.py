"""Hides secrets in URLs from logs and messages. Imports little, because job runners use it too."""

import re

_NAMED = r"[\w.\[\]-]{0,40}(?:token|secret|passw|api[_-]?key|signature|credential|auth|session|jwt)[\w.\[\]-]{0,40}"
_SHORT = r"key|sig|sid|pwd|pass|hmac|code|policy|key-pair-id"
# Also percent-encoded, where a URL is part of another one.
_PARAMETER = rf"((?:[?&;#]|%3f|%26)(?:{_NAMED}|{_SHORT})(?:=|%3d))[^&#\s\"'<>\\)\]]+"
_USER_INFO = r"(\b[a-z][a-z0-9+.-]{0,20}://)[^/\s@\"'<>]{1,500}@"
_TEXT = [re.compile(pattern, re.I) for pattern in (_PARAMETER, _USER_INFO)]
_BYTES = [re.compile(pattern.encode(), re.I) for pattern in (_PARAMETER, _USER_INFO)]


def hide_url_secrets(text: str) -> str:
    """``?token=…`` and the like, and a user name and password before the host."""
    parameter, user_info = _TEXT
    return user_info.sub(r"\1[hidden]@", parameter.sub(r"\1[hidden]", text))


def hide_url_secrets_in_bytes(data: bytes) -> bytes:
    parameter, user_info = _BYTES
    return user_info.sub(rb"\1[hidden]@", parameter.sub(rb"\1[hidden]", data))
