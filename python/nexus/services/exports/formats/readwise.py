"""The highlights of the chosen texts, as Readwise's import wants them."""

from collections.abc import Iterator
from typing import BinaryIO

from nexus.errors import NotFoundError
from nexus.services.exports.formats.chosen import ChosenEntries
from nexus.services.exports.formats.format import ExportProgress, FormatName
from nexus.services.highlights.files import as_readwise
from nexus.services.highlights.listing import ListedHighlight, MarkedMedia
from nexus.services.highlights.of_text import list_of_text
from nexus.services.library.entries import Entry


class ReadwiseTable:
    name: FormatName = "readwise-csv"

    def filename(self, chosen: ChosenEntries) -> str:
        return f"{chosen.base_name}-highlights.csv"

    def write(self, sink: BinaryIO, chosen: ChosenEntries, progress: ExportProgress) -> None:
        for row in as_readwise(self._highlights(chosen, progress)):
            sink.write(row)

    def _highlights(self, chosen: ChosenEntries, progress: ExportProgress) -> Iterator[ListedHighlight]:
        for entry in chosen.entries():
            yield from highlights_of(chosen, entry)
            progress.advance()


def highlights_of(chosen: ChosenEntries, entry: Entry) -> list[ListedHighlight]:
    """In the order of the text; none of an entry that left the library a moment ago."""
    if not entry.highlight_count:
        return []
    media = MarkedMedia(
        entry.kind, entry.title, entry.byline, entry.site_name, entry.canonical_url or entry.requested_url
    )
    try:
        with chosen.database.transaction() as session:
            _, found = list_of_text(session, chosen.user, entry.media_id)
    except NotFoundError:
        return []
    return [ListedHighlight(**vars(each), media=media) for each in found]
