"""Receives a form with files (multipart/form-data) in chunks: the files go to disk, the fields stay in memory."""

import asyncio
from collections.abc import AsyncIterator
from typing import Protocol

from multipart import MultipartError, ParserLimitReached, PushMultipartParser, parse_options_header
from starlette.requests import ClientDisconnect

from nexus.errors import InvalidUploadError, UploadInterruptedError
from nexus.http.uploads import MAX_FILES
from nexus.text.characters import CONTROLS

MAX_FIELDS = 10
MAX_FIELD_BYTES = 1_000
MAX_NAME_CHARS = 400
CHUNK_BYTES = 1 << 20  # parsed and written at once, in a thread


class FileTarget(Protocol):
    def begin(self, name: str) -> None: ...
    def write(self, chunk: bytes) -> None: ...
    def end(self) -> None: ...


class MultipartForm:
    """`file_field`: the field whose files are wanted; other fields may be those of `fields`, and are short texts."""

    def __init__(self, content_type: str | None, target: FileTarget, *, file_field: str, fields: set[str]) -> None:
        kind, options = parse_options_header(content_type or "")
        if kind != "multipart/form-data" or not options.get("boundary"):
            raise InvalidUploadError(f"Send the files as multipart/form-data, each in a field named '{file_field}'.")
        self.values: dict[str, str] = {}
        self.file_count = 0
        self._target = target
        self._file_field = file_field
        self._fields = fields
        self._field: tuple[str, bytearray] | None = None
        self._is_skipped = False
        try:
            self._parser = PushMultipartParser(options["boundary"], max_segment_count=MAX_FILES + MAX_FIELDS)
        except MultipartError as error:
            raise _malformed(error) from error

    async def receive(self, stream: AsyncIterator[bytes]) -> None:
        waiting = bytearray()
        try:
            async for chunk in stream:
                waiting += chunk
                if len(waiting) >= CHUNK_BYTES:
                    portion, waiting = bytes(waiting), bytearray()
                    await asyncio.to_thread(self._parse, portion)
        except ClientDisconnect:
            raise UploadInterruptedError("The upload was interrupted. Nothing was kept.") from None
        await asyncio.to_thread(self._finish, bytes(waiting))
        if not self.file_count:
            raise InvalidUploadError(
                f"There is no file in the upload: send each in a field named '{self._file_field}'."
            )

    def _finish(self, rest: bytes) -> None:
        if rest:
            self._parse(rest)
        try:
            self._parser.close()
        except MultipartError as error:
            raise _malformed(error) from error

    def _parse(self, portion: bytes) -> None:
        try:
            for event in self._parser.parse(portion):
                if event is None:
                    self._end_part()
                elif isinstance(event, bytes | bytearray):
                    self._take(bytes(event))
                else:
                    self._begin_part(event.name, event.filename)
        except ParserLimitReached as error:
            raise InvalidUploadError(
                f"The upload has more than {MAX_FILES} files, or a file's name is too long. Put them into a ZIP."
            ) from error
        except MultipartError as error:
            raise _malformed(error) from error

    def _begin_part(self, name: str, filename: str | None) -> None:
        # Browsers send a part without a name for a file input in which nothing was chosen.
        self._is_skipped = filename == ""
        if self._is_skipped:
            return
        if filename is not None and name == self._file_field:
            self.file_count += 1
            self._target.begin(CONTROLS.sub(" ", filename).strip()[-MAX_NAME_CHARS:] or f"file {self.file_count}")
        elif filename is None and name in self._fields:
            self._field = (name, bytearray())
        else:
            known = ", ".join(sorted({self._file_field, *self._fields}))
            raise InvalidUploadError(f"The form has a field that this server does not know; it takes {known}.")

    def _take(self, chunk: bytes) -> None:
        if self._field is not None:
            name, value = self._field
            value += chunk
            if len(value) > MAX_FIELD_BYTES:
                raise InvalidUploadError(f"The field '{name}' is too long.")
        elif not self._is_skipped:
            self._target.write(chunk)

    def _end_part(self) -> None:
        if self._field is not None:
            name, value = self._field
            self.values[name] = value.decode("utf-8", "replace").strip()
            self._field = None
        elif not self._is_skipped:
            self._target.end()


def _malformed(error: MultipartError) -> InvalidUploadError:
    return InvalidUploadError(f"The form cannot be read ({error}). Nothing was kept.")
