"""Pages that came along in files of their own."""

from nexus.errors import UnparsableHtmlError, UnreadableDocumentError
from nexus.text.extraction.charset import decode_bytes
from nexus.text.imports.documents import Document

MAX_PAGE_BYTES = 20 << 20


def read_page_file(document: Document) -> str:
    """The HTML of a page, in the encoding that it declares."""
    if document.size > MAX_PAGE_BYTES:
        raise UnreadableDocumentError(f"{document.name} is larger than {MAX_PAGE_BYTES >> 20} MB: left out.")
    with document.open_bytes() as file:
        content = file.read(MAX_PAGE_BYTES)
    try:
        return decode_bytes(content, "text/html").text
    except UnparsableHtmlError as error:
        raise UnreadableDocumentError(f"{document.name} is not a page: left out.") from error
