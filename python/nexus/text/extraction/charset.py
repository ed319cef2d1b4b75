"""Decodes the bytes of a page: by byte order mark, then header, then the page's own declaration, then detection."""

import codecs
import re
from dataclasses import dataclass

from nexus.errors import UnparsableHtmlError

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_HEADER = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_META = re.compile(
    rb"<meta[^>]{0,300}?charset\s*+=\s*+(?:[\"']\s*+)?([\w.:-]+)|<\?xml[^>]{0,100}?encoding\s*+=\s*+[\"']([\w.:-]+)",
    re.I,
)
_META_WINDOW = 4096
_DETECTION_WINDOW = 65_536
# Labels for which the WHATWG encoding standard uses a wider encoding than Python.
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
# utf-7, unicode_escape and the like are not used by pages and have been used to smuggle tags.
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
# Python's names of encodings that have another name in the WHATWG standard (not only in underscores and case).
_LABELS = {
    "ascii": "windows-1252",
    "big5hkscs": "big5",
    "cp866": "ibm866",
    "cp874": "windows-874",
    "cp932": "shift_jis",
    "cp949": "euc-kr",
    "euc_jis_2004": "euc-jp",
    "gb2312": "gbk",
    "iso2022_jp": "iso-2022-jp",
    "mac-cyrillic": "x-mac-cyrillic",
    "mac-roman": "macintosh",
    "utf-16-be": "utf-16be",
    "utf-16-le": "utf-16le",
}
_NO_BROWSER_READS = frozenset({"hz", "johab", "utf-7"})
_SAMPLE = 2048
_MAX_CONTROLS = 0.1


def _refuse_binary(data: bytes) -> None:
    sample = data[:_SAMPLE]
    controls = sum(b < 9 or 13 < b < 32 for b in sample)  # noqa: PLR2004
    if data.startswith(_BINARY) or controls > _MAX_CONTROLS * len(sample):
        raise UnparsableHtmlError("The document is not HTML but binary data.")


def _normalise_label(label: str) -> str | None:
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
    return [name for label in labels if (name := _normalise_label(label))]


def _try(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None


@dataclass(frozen=True, slots=True)
class Decoded:
    text: str
    encoding: str

    @property
    def label(self) -> str | None:
        """The encoding's WHATWG name; None for one that no browser supports."""
        name = codecs.lookup(self.encoding).name
        if name in _NO_BROWSER_READS:
            return None
        if found := re.fullmatch(r"cp(125\d)", name):
            return f"windows-{found[1]}"
        if found := re.fullmatch(r"iso8859-(\d+)", name):
            return f"iso-8859-{found[1]}" if found[1] != "1" else "windows-1252"
        if name in _LABELS:
            return _LABELS[name]
        return None if name.startswith(("cp", "mac")) else name.replace("_", "-")


def decode_html(data: bytes, content_type: str | None) -> str:
    return decode_bytes(data, content_type).text


def decode_bytes(data: bytes, content_type: str | None) -> Decoded:
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return Decoded(data[len(bom) :].decode(encoding, "replace"), encoding)
    for start, encoding in ((b"<\x00", "utf-16-le"), (b"\x00<", "utf-16-be")):
        if data.startswith(start):
            return Decoded(data.decode(encoding, "replace"), encoding)
    _refuse_binary(data)
    # Text that is valid UTF-8 and not plain ASCII is UTF-8 whatever the label says: it is never valid by chance.
    as_utf8 = _try(data, "utf-8")
    declared = _declared(data, content_type)
    if as_utf8 is not None and (not data.isascii() or not declared):
        return Decoded(as_utf8, "utf-8")
    for encoding in declared:
        if encoding != "utf-8" and (text := _try(data, encoding)) is not None:
            return Decoded(text, encoding)
    if as_utf8 is not None:
        return Decoded(as_utf8, "utf-8")
    encoding = _guess(data, declared)
    return Decoded(data.decode(encoding, "replace"), encoding)


def _guess(data: bytes, declared: list[str]) -> str:
    if "utf-8" in declared and _mostly_utf8(data):
        return "utf-8"
    for encoding in declared:
        if encoding != "utf-8" and _exists(encoding):
            return encoding
    from charset_normalizer import from_bytes  # noqa: PLC0415 - most pages name their encoding

    best = from_bytes(data[:_DETECTION_WINDOW]).best()
    return best.encoding if best else "cp1252"


def _exists(encoding: str) -> bool:
    try:
        return codecs.lookup(encoding) is not None
    except LookupError:
        return False


def _mostly_utf8(data: bytes) -> bool:
    """A few broken bytes (a cut at a size limit, a pasted quote) do not change the encoding of a UTF-8 page."""
    broken = data.decode("utf-8", "replace").count("\ufffd")
    high = sum(b >= 0x80 for b in data[:_DETECTION_WINDOW])  # noqa: PLR2004
    return broken * 10 < high
