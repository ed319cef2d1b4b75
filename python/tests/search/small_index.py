"""A small index in a folder, filled by name."""

from collections.abc import Iterable, Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

from nexus.search.documents import EntryText
from nexus.search.index import LibraryIndex, Sort
from nexus.search.query import read_query

NAMESPACE = UUID(int=20)
FIRST = datetime(2024, 1, 1, tzinfo=UTC)


def id_of(name: str) -> UUID:
    return uuid5(NAMESPACE, name)


class SmallIndex:
    def __init__(self, folder: Path) -> None:
        self.index = LibraryIndex(folder)
        self.names: dict[UUID, str] = {}

    def add(self, name: str, text: str = "", **facts: Any) -> None:
        self.add_all([(name, text, facts)])

    def add_all(self, texts: Iterable[tuple[str, str, dict[str, Any]]]) -> None:
        with closing(self.index.open_batch()) as batch:
            for name, text, facts in texts:
                self.names.setdefault(id_of(name), name)
                saved_at = FIRST + timedelta(days=len(self.names))
                given = {"kind": "web_article", "saved_at": saved_at, "lang": "en", "title": "", **facts}
                batch.put(EntryText(media_id=id_of(name), text=text, **given))
            batch.write()

    def remove(self, name: str) -> None:
        with closing(self.index.open_batch()) as batch:
            batch.remove(id_of(name))
            batch.write()

    def corrected(self, typed: str) -> Mapping[str, str]:
        return self.index.snapshot().prepare(read_query(typed)).corrected

    def search(self, typed: str, sort: Sort = "relevance") -> list[str]:
        snapshot = self.index.snapshot()
        found = snapshot.hits(snapshot.prepare(read_query(typed)), sort=sort, limit=50)
        return [self.names[one.media_id] for one in found]
