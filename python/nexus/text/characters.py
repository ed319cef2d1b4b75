"""Characters that cannot be stored or written as XML, and text that was decoded with the wrong encoding."""

import re

# What XML 1.0 cannot hold, even as a reference, for a character class. The form feed is white space in HTML.
FORBIDDEN_BUT_FORM_FEED = "\x00-\x08\x0b\x0e-\x1f\ud800-\udfff\ufffe\uffff"
FORBIDDEN_IN_XML = re.compile(f"[{FORBIDDEN_BUT_FORM_FEED}\x0c]")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
# What UTF-8 is most often taken for.
_TAKEN_FOR = ("cp1252", "cp1251")
_UNREADABLE = re.compile("\ufffd")
_MAX_SHARE = 0.5
# What has no place in a line of text: C0, DEL, C1, the separators of lines and paragraphs, halves of surrogate pairs.
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")
# Those of them that separate no words. Canonical text leaves them out, too, so that a title has the words of its text.
_NO_SPACES = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]+")
_SURROGATE = re.compile("[\ud800-\udfff]")


def storable(text: str) -> str:
    """What PostgreSQL can hold of it: neither NUL nor half of a surrogate pair."""
    return without_surrogates(text.replace("\0", ""))


def without_surrogates(text: str) -> str:
    """What UTF-8 can hold of it."""
    return _SURROGATE.sub("\ufffd", text)


def one_line(text: str) -> str:
    """Its words with one space between them, without anything that has no place in a line."""
    return " ".join(_NO_SPACES.sub("", text).split())


def storable_start(text: str | None, max_chars: int) -> str | None:
    return None if text is None else storable(text)[:max_chars]


def is_garbled(text: str) -> bool:
    """Most of what is not ASCII is UTF-8 decoded as another encoding, or could not be decoded at all."""
    runs = _NOT_ASCII.findall(text)
    chars = sum(map(len, runs))
    if len(_UNREADABLE.findall(text)) > _MAX_SHARE * chars:
        return True
    return any(sum(len(run) for run in runs if _is_utf8_read_as(it, run)) > _MAX_SHARE * chars for it in _TAKEN_FOR)


def _is_utf8_read_as(encoding: str, run: str) -> bool:
    try:
        b"".join(_byte(encoding, char) for char in run).decode("utf-8")
    except UnicodeError:
        return False
    return True


def _byte(encoding: str, char: str) -> bytes:
    # Browsers read bytes that an encoding leaves open as control characters.
    return char.encode("latin-1") if "\x80" <= char <= "\x9f" else char.encode(encoding)
