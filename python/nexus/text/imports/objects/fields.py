"""Reads the fields of an entry, whether a program wrote them as documented or somebody wrote something else."""

from collections.abc import Callable, Iterator
from typing import Any

from nexus.text.characters import one_line
from nexus.text.imports.documents import Document
from nexus.text.imports.format import Format, one_by_one
from nexus.text.imports.objects.events import EACH, entries, json_events
from nexus.text.imports.objects.recognise import kind_of
from nexus.text.imports.records import ImportProblem, ImportRecord
from nexus.text.imports.values import read_progress, read_tags, read_title

MAX_CONTENT_CHARS = 20_000_000
MAX_NAME_CHARS = 500

Fields = dict[str, Any]
MakeItem = Callable[[Document, int, Fields], ImportRecord]


def as_dict(value: Any) -> Fields:
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def as_string(value: Any) -> str | None:
    """A string of one line: the name of a person, a site or a language."""
    return one_line(value[: 10 * MAX_NAME_CHARS])[:MAX_NAME_CHARS] or None if isinstance(value, str) else None


def content(value: Any) -> str | None:
    """Text or HTML of a page."""
    return value if isinstance(value, str) and len(value) <= MAX_CONTENT_CHARS and value.strip() else None


def tags_of(value: Any) -> tuple[str, ...]:
    """The tags in a list of names, or of objects with a name."""
    return read_tags(map(_name, as_list(value)))


def _name(tag: Any) -> Any:
    return next((tag[key] for key in ("label", "name", "title") if key in tag), None) if isinstance(tag, dict) else tag


def people(value: Any) -> str | None:
    names = [as_string(name) for name in (value if isinstance(value, list) else [value])]
    return as_string(", ".join(name for name in names if name))


def language(value: Any) -> str | None:
    """`fr_FR` as `fr-FR`."""
    name = as_string(value)
    return name.replace("_", "-") if name else None


def percent(value: Any) -> float | None:
    """From 0 to 100, so that 1 is a hundredth."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return read_progress(value / 100)


def no_entry(document: Document, number: int) -> ImportProblem:
    return ImportProblem(document.name, number, "invalid_entry", "This entry has no fields that could be read.")


def records_at(document: Document, make: MakeItem, *path: str) -> Iterator[ImportRecord]:
    for number, entry in enumerate(entries(json_events(document), *path), 1):
        if isinstance(entry.value, dict):
            yield make(document, number, entry.value)
            yield from too_long(document, number, entry.value)
        else:
            yield no_entry(document, number)


def too_long(document: Document, number: int, fields: Fields) -> Iterator[ImportProblem]:
    """Says that the content of an entry was left out, which may be one level down."""
    inside = [each for value in fields.values() for each in (value.values() if isinstance(value, dict) else [value])]
    if any(isinstance(each, str) and len(each) > MAX_CONTENT_CHARS for each in inside):
        message = f"The text of this entry is longer than {MAX_CONTENT_CHARS:,} characters: left out."
        yield ImportProblem(document.name, number, "too_large", message, title=read_title(fields.get("title")))


def array_format(source: str, label: str, make: MakeItem, path: tuple[str, ...] = (EACH,)) -> Format:
    """A file that is recognised by its keys and has all its entries in one array."""
    return Format(
        source,
        label,
        one_by_one(lambda document: records_at(document, make, *path)),
        recognises=lambda document: kind_of(document) == source,
    )
