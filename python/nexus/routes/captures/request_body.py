"""The body of a capture: JSON or multipart/form-data, plain or compressed with gzip."""

import zlib
from collections.abc import Iterator
from typing import Any

from fastapi.exceptions import RequestValidationError
from multipart import MultipartError, PushMultipartParser, parse_options_header
from pydantic import ValidationError
from starlette.datastructures import Headers

from nexus.errors import BodyTooLargeError, MalformedRequestError, UnsupportedBodyError
from nexus.schemas.captures.captures import NewCapture as GivenCapture
from nexus.services.captures.new_capture import NewCapture

GZIP = 16 + zlib.MAX_WBITS
JSON = "application/json"
FORM = "multipart/form-data"
REPEATED = frozenset({"tags"})
MAX_PARTS = 200

_FIELDS = GivenCapture.model_json_schema()
_FORM_FIELDS = {
    "description": "The same as fields or files; `tags` is repeated. A file part is UTF-8.",
    "type": "object",
    "required": _FIELDS["required"],
    "properties": {name: {"type": "array" if name in REPEATED else "string"} for name in _FIELDS["properties"]},
}
DESCRIBED_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "`Content-Encoding: gzip` is accepted; at most NEXUS_CAPTURE_MAX_BYTES when decompressed.",
        "content": {JSON: {"schema": _FIELDS}, FORM: {"schema": _FORM_FIELDS}},
    }
}


def read_body(raw: bytes, headers: Headers, limit: int) -> NewCapture:
    body = _decompressed(raw, headers.get("content-encoding", "identity").strip().lower(), limit)
    kind, options = parse_options_header(headers.get("content-type", JSON))
    try:
        if kind == JSON:
            given = GivenCapture.model_validate_json(body)
        elif kind == FORM:
            given = GivenCapture.model_validate(_fields(body, options.get("boundary")))
        else:
            raise UnsupportedBodyError(f"Send the page as {JSON} or {FORM}.")
    except ValidationError as error:
        problems = error.errors(include_input=False, include_url=False, include_context=False)
        raise RequestValidationError([{**each, "loc": ("body", *each["loc"])} for each in problems]) from None
    values = given.model_dump()
    return NewCapture(**values | {"html": given.html.encode("utf-8", "replace")})


def _decompressed(raw: bytes, encoding: str, limit: int) -> bytes:
    """Stops at the limit, so that a small body does not become a huge one."""
    if encoding in ("identity", ""):
        body = raw
    elif encoding in ("gzip", "x-gzip"):
        body = _gunzip(raw, limit)
    else:
        raise UnsupportedBodyError("Compress the page with gzip, or not at all.")
    if len(body) > limit:
        raise BodyTooLargeError(f"The page is larger than the {limit} bytes this server takes.")
    return body


def _gunzip(raw: bytes, limit: int) -> bytes:
    decoder = zlib.decompressobj(GZIP)
    try:
        body = decoder.decompress(raw, limit + 1)
    except zlib.error:
        raise MalformedRequestError("The body is not what its Content-Encoding says (gzip).") from None
    if len(body) <= limit and (not decoder.eof or decoder.unused_data):
        raise MalformedRequestError("The compressed body ends too early, or goes on after its end.")
    return body


def _fields(body: bytes, boundary: str | None) -> dict[str, Any]:
    if not boundary:
        raise MalformedRequestError("The Content-Type of a form names its boundary.")
    fields: dict[str, Any] = {}
    try:
        for name, value in _parts(body, boundary):
            text = value.decode("utf-8", "replace")
            if name in REPEATED:
                fields.setdefault(name, []).append(text)
            else:
                fields[name] = text
    except MultipartError as error:
        raise MalformedRequestError(f"The form cannot be read: {error}.") from None
    return fields


def _parts(body: bytes, boundary: str) -> Iterator[tuple[str, bytes]]:
    """As http/uploads/multipart_form.py, for a form that is small enough to be in memory."""
    name, value = "", bytearray()
    with PushMultipartParser(boundary, max_segment_count=MAX_PARTS) as parser:
        for event in parser.parse(body):
            if event is None:
                yield name, bytes(value)
            elif isinstance(event, bytes | bytearray):
                value += event
            else:
                name, value = event.name, bytearray()
