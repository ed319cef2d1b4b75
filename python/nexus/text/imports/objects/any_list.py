"""A list of objects with links, of any program: its fields are read as the columns of any table are."""

from typing import Any

from nexus.text.imports.documents import Document
from nexus.text.imports.objects.fields import Fields, array_format, tags_of
from nexus.text.imports.records import ImportRecord
from nexus.text.imports.tables.csv_rows import Row
from nexus.text.imports.tables.generic import read_row


def _item(document: Document, number: int, fields: Fields) -> ImportRecord:
    return read_row(document, Row(number, {name.lower(): _cell(value) for name, value in fields.items()}))


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return "|".join(tags_of(value)) + "|"  # not a comma, which a tag may contain
    return "" if value is None or isinstance(value, dict) else str(value)


ANY_LIST = array_format("json", "list of links (JSON)", _item)
