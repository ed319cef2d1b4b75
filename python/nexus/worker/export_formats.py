"""The formats of exports that a worker can write."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from nexus.services.exports.formats.bookmarks import Bookmarks
from nexus.services.exports.formats.format import Format
from nexus.services.exports.formats.readwise import ReadwiseTable


@contextmanager
def open_formats() -> Iterator[Mapping[str, Format]]:
    formats: list[Format] = [Bookmarks(), ReadwiseTable()]
    yield {each.name: each for each in formats}
