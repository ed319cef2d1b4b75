"""Which addresses are copies of one picture, of other sizes or from other servers."""

import re

from nexus.text.picture_source import is_picture_url

_SIZE = re.compile(
    r"[0-9]{2,4}x[0-9]{2,4}|[0-9]{2,4}(?:w|px)|[swh][0-9]{2,4}(?:-[a-z0-9]{1,5}){0,6}"
    r"|(?:[whcqf]|ar|dpr|width|height|quality|format|fit|crop|resize|size|max|scale)[_=:-][a-z0-9.:]{1,16}"
    r"|large|medium|small|thumb|thumbs|thumbnail|thumbnails|original|preview|full|max|resize",
    re.IGNORECASE,
)
_SIZE_IN_NAME = re.compile(r"(?<![a-z0-9])[0-9]{2,4}x[0-9]{2,4}(?![a-z0-9])", re.IGNORECASE)
_MIN_SIZE = 16
_UNIQUE_CHARS = 12
_UNIQUE_DIGITS = 5  # more than a year


def picture_key(url: str) -> str:
    """The same for copies. "large.jpg" and "original.jpg" are in the folder of every picture, so that the folders count
    too, but not those that are a size. A script that scales pictures ("resize?image=…") has no name of its own."""
    if not is_picture_url(url):
        return url
    path = re.split("[?#]", url, maxsplit=1)[0]
    # Some servers have the address of the picture at the end of their own.
    path = path.rpartition("//")[2].partition("/")[2] if "//" in path else path.lstrip("/")
    folders, _, name = path.rpartition("/")
    if _is_unique(name.rpartition(".")[0]):
        return name
    return "/".join((*(folder for folder in folders.split("/") if not _is_size(folder)), name))


def _is_unique(name: str) -> bool:
    """A number of a camera or an agency, a hash."""
    rest = _SIZE_IN_NAME.sub("", name)
    digits = sum(char.isdigit() for char in rest)
    return len(rest) >= _UNIQUE_CHARS and digits >= _UNIQUE_DIGITS and any(char.isalpha() for char in rest)


def _is_size(folder: str) -> bool:
    if folder.isascii() and folder.isdigit():
        # Widths are round numbers; others are the number of a picture.
        return len(folder) <= 4 and int(folder) >= _MIN_SIZE and not (int(folder) % 10 and int(folder) % 16)  # noqa: PLR2004
    return all(_SIZE.fullmatch(part) for part in folder.split(","))
