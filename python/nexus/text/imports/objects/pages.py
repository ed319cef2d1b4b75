"""Files that belong to an entry. One that cannot be read is a problem of its own, and the entry arrives without it."""

from collections.abc import Callable, Iterator

from nexus.errors import UnreadableDocumentError
from nexus.text.imports.documents import Document
from nexus.text.imports.page_file import read_page_file
from nexus.text.imports.records import ImportProblem


class Pages:
    def __init__(self) -> None:
        self._problems: list[ImportProblem] = []

    def html(self, page: Document | None) -> str | None:
        return self._read(page, read_page_file)

    def text(self, page: Document | None, max_chars: int) -> str | None:
        return self._read(page, lambda document: document.read_text(max_chars))

    def problems(self) -> Iterator[ImportProblem]:
        """Those since it was last asked."""
        found, self._problems = self._problems, []
        yield from found

    def _read(self, page: Document | None, read: Callable[[Document], str]) -> str | None:
        if page is None:
            return None
        try:
            return read(page)
        except UnreadableDocumentError as error:
            self._problems.append(ImportProblem(page.name, 1, error.code, error.message))
            return None
