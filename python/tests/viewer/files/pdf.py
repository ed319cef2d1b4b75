"""The text of a PDF that Chromium wrote: glyphs in compressed streams, with a map to characters."""

import re
import zlib

_OBJECT = re.compile(rb"(?s)(\d+) 0 obj\s*(.*?)\s*endobj")
_STREAM = re.compile(rb"(?s)^(.*?)stream\r?\n(.*)\r?\nendstream$")
_HEX = r"<([0-9A-Fa-f]+)>"


def text_of(document: bytes) -> str:
    """The text of a document of one page, without white space."""
    objects = {int(number): body for number, body in _OBJECT.findall(document)}
    page = next(body for body in objects.values() if re.search(rb"/Type\s*/Page\b", body))
    fonts = {
        name.decode(): _characters(_decoded(objects[_reference(objects[int(number)], b"ToUnicode")]))
        for name, number in re.findall(rb"/(F\d+) (\d+) 0 R", _resources(objects, page))
    }
    words, font = [], {}
    content = _decoded(objects[_reference(page, b"Contents")]).decode("latin-1")
    for name, glyphs in re.findall(rf"/(F\d+) [\d.]+ Tf|{_HEX}(?= ?Tj|[^\[\]]*\] ?TJ)", content):
        if name:
            font = fonts[name]
        words += [font.get(int(glyphs[at : at + 4], 16), "") for at in range(0, len(glyphs), 4)]
    return "".join(words)


def _resources(objects: dict[int, bytes], page: bytes) -> bytes:
    inline = re.search(rb"(?s)/Resources\s*<<.*", page)
    return inline[0] if inline else objects[_reference(page, b"Resources")]


def _reference(body: bytes, key: bytes) -> int:
    found = re.search(rb"/" + key + rb"\s+(\d+) 0 R", body)
    assert found, (key, body[:300])
    return int(found[1])


def _decoded(body: bytes) -> bytes:
    found = _STREAM.match(body)
    assert found, body[:300]
    return zlib.decompress(found[2]) if b"FlateDecode" in found[1] else found[2]


def _characters(cmap: bytes) -> dict[int, str]:
    text = cmap.decode("latin-1")
    known = {}
    for section in re.findall(r"(?s)beginbfchar(.*?)endbfchar", text):
        for glyph, character in re.findall(rf"{_HEX}\s*{_HEX}", section):
            known[int(glyph, 16)] = bytes.fromhex(character).decode("utf-16-be")
    for section in re.findall(r"(?s)beginbfrange(.*?)endbfrange", text):
        for first, last, character in re.findall(rf"{_HEX}\s*{_HEX}\s*{_HEX}", section):
            for step in range(int(last, 16) - int(first, 16) + 1):
                known[int(first, 16) + step] = chr(int(character, 16) + step)
    return known
