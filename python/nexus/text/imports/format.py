"""A format: how the export of one program is recognised, and what is read from it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from nexus.errors import UnreadableDocumentError
from nexus.text.imports.documents import Document, UploadedFiles
from nexus.text.imports.records import ImportProblem, ImportRecord

Read = Callable[[UploadedFiles, list[Document]], Iterator[ImportRecord]]
ReadDocument = Callable[[Document], Iterator[ImportRecord]]


def _no_documents(_export: UploadedFiles) -> list[Document]:
    return []


def _not_this(_document: Document) -> bool:
    return False


@dataclass(frozen=True)
class Format:
    """`source` is its name on the wire, `label` the one that people know.

    Files that belong together are recognised by `matches`, which gets those that no format before it claimed and
    answers all it claims: also those it reads nothing from, so that they are not reported as unknown. A file that
    stands for itself is recognised by `recognises`, from `document.beginning`. One format may have both.
    `read` gets the whole export and what was claimed, and yields records in order, one at a time.
    """

    source: str
    label: str
    read: Read
    matches: Callable[[UploadedFiles], list[Document]] = _no_documents
    recognises: Callable[[Document], bool] = _not_this


def one_by_one(read_document: ReadDocument) -> Read:
    """For `read`, where no file needs another. A file that is damaged does not stop the next."""

    def read(_export: UploadedFiles, documents: list[Document]) -> Iterator[ImportRecord]:
        for document in documents:
            yield from guarded(document, read_document(document))

    return read


def guarded(document: Document, records: Iterable[ImportRecord]) -> Iterator[ImportRecord]:
    """The records, and a problem at the place from which the file cannot be read."""
    last = 0
    try:
        for record in records:
            last = record.line
            yield record
    except UnreadableDocumentError as error:
        yield ImportProblem(document.name, last + 1, error.code, error.message)
