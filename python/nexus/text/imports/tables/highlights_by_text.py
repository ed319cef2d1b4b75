"""Highlights that name no page but a title and an author: joined with the saves that have these, else items without a
link and a text."""

from dataclasses import dataclass, field
from datetime import datetime

from nexus.text.imports.records import ImportedHighlight, ImportedItem

# They are kept until the saves have been read.
MAX_CHARS = 100_000_000

Key = tuple[str, str]


@dataclass
class MarkedText:
    """A text with its highlights."""

    file: str
    line: int
    title: str | None
    author: str | None
    url: str | None = None
    tags: tuple[str, ...] = ()
    highlights: list[ImportedHighlight] = field(default_factory=list)

    def item(self) -> ImportedItem:
        return ImportedItem(
            self.file, self.line, self.url, self.title, self._first_time(), self.tags, author=self.author,
            highlights=tuple(self.highlights),
        )  # fmt: skip

    def _first_time(self) -> datetime | None:
        return min((each.created_at for each in self.highlights if each.created_at), default=None)


class HighlightsByText:
    def __init__(self) -> None:
        self._texts: dict[Key, MarkedText] = {}
        self._titles: dict[str, set[Key]] = {}
        self._chars = 0

    @property
    def is_full(self) -> bool:
        return self._chars > MAX_CHARS

    def add(self, marked: MarkedText, highlight: ImportedHighlight) -> None:
        """`marked` counts for the first highlight of its text."""
        key = (marked.url, "") if marked.url else (_folded(marked.title), _folded(marked.author))
        self._texts.setdefault(key, marked).highlights.append(highlight)
        if not marked.url:
            self._titles.setdefault(key[0], set()).add(key)
        self._chars += len(highlight.quote) + len(highlight.note or "") + 500

    def take(self, title: str | None, author: str | None) -> tuple[ImportedHighlight, ...]:
        """Those of this text, which are no longer left then. Where either side names no author, the title must do."""
        keys = self._titles.get(_folded(title), set()) if title else set()
        wanted = _folded(author)
        found = [key for key in keys if wanted == key[1]] or [key for key in keys if not wanted or not key[1]]
        if len(found) != 1:
            return ()
        keys.remove(found[0])
        return tuple(self._texts.pop(found[0]).highlights)

    def take_rest(self) -> list[ImportedItem]:
        rest = [marked.item() for marked in self._texts.values()]
        self._texts, self._titles, self._chars = {}, {}, 0
        return rest


def _folded(text: str | None) -> str:
    return " ".join((text or "").lower().split())
