"""Bytes of a page to text: byte order mark, then header, then what the page says, then detection."""

import codecs
import re

from charset_normalizer import from_bytes

from nexus.errors import UnparsableHtmlError

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_HEADER = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_META = re.compile(
    rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([\w.:-]+)|<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([\w.:-]+)",
    re.I,
)
_META_WINDOW = 4096
_DETECTION_WINDOW = 65_536
# What the WHATWG encoding standard makes of labels that Python reads more narrowly.
_WHATWG = {
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "us-ascii": "cp1252",
    "ascii": "cp1252",
    "iso-8859-9": "cp1254",
    "iso-8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "x-gbk": "gb18030",
    "x-sjis": "cp932",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "ks_c_5601-1987": "cp949",
    "euc-kr": "cp949",
    "utf-16": "utf-16-le",
    "utf8": "utf-8",
}
# utf-7, unicode_escape and the like are no page encodings and have been used to smuggle tags.
_ALLOWED = re.compile(r"(?:utf-(?:8|16)|iso-8859-|iso-2022-jp|windows-|cp\d|gb18030|big5|euc|koi8|mac|hz)")
_BINARY = (
    b"%PDF-",
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"\x7fELF",
    b"\x00\x00\x00\x1cftyp",
)
_SAMPLE = 2048
_MOST_CONTROLS = 0.1


def _refuse_binary(data: bytes) -> None:
    sample = data[:_SAMPLE]
    controls = sum(b < 9 or 13 < b < 32 for b in sample)  # noqa: PLR2004
    if data.startswith(_BINARY) or controls > _MOST_CONTROLS * len(sample):
        raise UnparsableHtmlError("The document is not HTML but binary data.")


def _known(label: str) -> str | None:
    name = label.strip().lower()
    name = _WHATWG.get(name, name)
    return name if _ALLOWED.match(name) else None


def _declared(data: bytes, content_type: str | None) -> list[str]:
    labels = []
    if found := _HEADER.search(content_type or ""):
        labels.append(found[1])
    if meta := _META.search(data[:_META_WINDOW]):
        label = (meta[1] or meta[2]).decode("ascii", "replace")
        # A page whose tag could be read as ASCII is not UTF-16, whatever the tag says.
        labels.append("utf-8" if label.lower().startswith("utf-16") else label)
    return [name for label in labels if (name := _known(label))]


def _try(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None


def decode_html(data: bytes, content_type: str | None) -> str:
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return data[len(bom) :].decode(encoding, "replace")
    for start, encoding in ((b"<\x00", "utf-16-le"), (b"\x00<", "utf-16-be")):
        if data.startswith(start):
            return data.decode(encoding, "replace")
    _refuse_binary(data)
    # Text that is valid UTF-8 and not plain ASCII is UTF-8 whatever the label says: by chance it never is.
    as_utf8 = _try(data, "utf-8")
    declared = _declared(data, content_type)
    if as_utf8 is not None and (not data.isascii() or not declared):
        return as_utf8
    for encoding in declared:
        if encoding != "utf-8" and (text := _try(data, encoding)) is not None:
            return text
    if as_utf8 is not None:
        return as_utf8
    return _guess(data, declared)


def _guess(data: bytes, declared: list[str]) -> str:
    if "utf-8" in declared and _mostly_utf8(data):
        return data.decode("utf-8", "replace")
    for encoding in declared:
        if encoding != "utf-8":
            return data.decode(encoding, "replace")
    best = from_bytes(data[:_DETECTION_WINDOW]).best()
    return data.decode(best.encoding if best else "cp1252", "replace")


def _mostly_utf8(data: bytes) -> bool:
    """A few broken bytes (a cut at a size limit, a pasted quote) do not make a UTF-8 page something else."""
    broken = data.decode("utf-8", "replace").count("\ufffd")
    high = sum(b >= 0x80 for b in data[:_DETECTION_WINDOW])  # noqa: PLR2004
    return broken * 10 < high
