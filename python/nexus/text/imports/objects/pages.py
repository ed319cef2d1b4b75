"""Files that belong to an entry. One that cannot be read is a problem of its own, and the entry arrives without it."""

from collections.abc import Iterator

from nexus.errors import UnreadableDocumentError
from nexus.text.imports.documents import Document
from nexus.text.imports.objects.fields import MAX_CONTENT_CHARS
from nexus.text.imports.records import ImportProblem


class Pages:
    def __init__(self) -> None:
        self._problems: list[ImportProblem] = []

    def text(self, page: Document | None, max_chars: int = MAX_CONTENT_CHARS) -> str | None:
        if page is None:
            return None
        try:
            return page.read_text(max_chars)
        except UnreadableDocumentError as error:
            self._problems.append(ImportProblem(page.name, 1, error.code, error.message))
            return None

    def problems(self) -> Iterator[ImportProblem]:
        """Those since it was last asked."""
        found, self._problems = self._problems, []
        yield from found
