"""The highlights of the chosen texts, as Readwise's import wants them."""

from collections.abc import Iterator, Sequence
from typing import BinaryIO

from nexus.services.exports.formats.chosen_entries import ChosenEntries
from nexus.services.exports.formats.format import ExportProgress
from nexus.services.exports.formats.format_name import FormatName
from nexus.services.highlights.files import as_readwise, readwise_head
from nexus.services.highlights.listing import ListedHighlight, MarkedMedia
from nexus.services.highlights.text_highlights import list_of_texts
from nexus.services.library.entries import Entry


class ReadwiseTable:
    name: FormatName = "readwise-csv"

    def filename(self, chosen: ChosenEntries) -> str:
        return f"{chosen.base_name}-highlights.csv"

    def write(self, sink: BinaryIO, chosen: ChosenEntries, progress: ExportProgress) -> None:
        if progress.resume_point is None:
            sink.write(readwise_head())
        for page in chosen.pages(progress.resume_point.cursor if progress.resume_point else None):
            for row in as_readwise(highlights_of(chosen, page)):
                sink.write(row)
            progress.advance(len(page))
            if page and progress.is_checkpoint_due():
                progress.checkpoint(chosen.cursor_of(page[-1]), {})


def highlights_of(chosen: ChosenEntries, entries: Sequence[Entry]) -> Iterator[ListedHighlight]:
    """In the order of the entries and of their texts; none of an entry that left the library a moment ago."""
    marked = {entry.media_id: entry for entry in entries if entry.highlight_count}
    if not marked:
        return
    with chosen.database.transaction() as session:
        found = list_of_texts(session, chosen.user, list(marked))
    for media_id, entry in marked.items():
        url = entry.canonical_url or entry.requested_url
        media = MarkedMedia(entry.kind, entry.title, entry.byline, entry.site_name, url)
        for each in found.get(media_id, ()):
            yield ListedHighlight(**vars(each), media=media)
