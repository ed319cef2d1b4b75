"""Titles as names of files."""

import re

MAX_NAME_CHARS = 100
# What file systems refuse or give a meaning to, and what would change how a name is shown.
_UNFIT = re.compile(r'[\x00-\x1f\x7f-\x9f<>:"/\\|?*\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]+')


def file_name(title: str | None) -> str:
    """Without a suffix."""
    name = " ".join(_UNFIT.sub(" ", title or "").split())
    return name[:MAX_NAME_CHARS].strip(" .") or "document"
