"""The headers of a file that a browser saves and never shows."""

import re
from urllib.parse import quote

MAX_NAME_CHARS = 100
# What file systems refuse or give a meaning to, and what would change how a name is shown.
_UNFIT = re.compile(r'[\x00-\x1f\x7f-\x9f<>:"/\\|?*\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]+')


def attachment_headers(title: str | None, suffix: str) -> dict[str, str]:
    """`suffix` with its dot. Whatever a browser did with the file all the same, it would be of no origin."""
    name = file_name(title) + suffix
    plain = name.encode("ascii", "replace").decode().replace("?", "_")
    return {
        "Content-Disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}",
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "X-Content-Type-Options": "nosniff",
    }


def file_name(title: str | None) -> str:
    """A title as the name of a file, without a suffix."""
    name = " ".join(_UNFIT.sub(" ", title or "").split())
    return name[:MAX_NAME_CHARS].strip(" .") or "document"
