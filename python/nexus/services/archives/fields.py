"""Values from an archive: each has the type and the range that its column needs, or its record is refused.

A time is never later than now: a decision from the future would outlast all decisions to come.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from nexus.errors import InvalidRecordError
from nexus.system.epoch import EPOCH
from nexus.text.characters import storable

Convert = Callable[[Any], Any]
Row = dict[str, Any]

MAX_CHARS = 100_000
MAX_URL_CHARS = 16_384
MAX_TEXT_CHARS = 32 << 20
MAX_NAMES = 1000
MAX_INT = 2**31 - 1
MAX_BIGINT = 2**53


def read_row(part: Any, columns: Mapping[str, Convert]) -> Row:
    """Only what is known; a value that is absent is None."""
    if not isinstance(part, dict):
        raise InvalidRecordError("A part of the record is not an object.")
    row = {}
    for name, convert in columns.items():
        value = part.get(name)
        try:
            row[name] = convert(value)
        except (ValueError, TypeError, OverflowError, AttributeError):
            raise InvalidRecordError(f"The value of “{name}” cannot be used.") from None
    return row


def read_rows(parts: Any, columns: Mapping[str, Convert], max_parts: int) -> list[Row]:
    if parts is None:
        return []
    if not isinstance(parts, list) or len(parts) > max_parts:
        raise InvalidRecordError(f"The record has a list with more than {max_parts} parts, or none at all.")
    return [read_row(each, columns) for each in parts]


def read_json(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        raise InvalidRecordError("The line is not valid JSON.") from None
    if not isinstance(found, dict):
        raise InvalidRecordError("The line is not a JSON object.")
    return found


def optional_text(value: Any, max_chars: int = MAX_CHARS) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > max_chars:
        raise ValueError
    return storable(value)


def text_up_to(max_chars: int) -> Convert:
    return lambda value: optional_text(value, max_chars)


def long_text(value: Any) -> str:
    found = optional_text(value, MAX_TEXT_CHARS)
    if found is None:
        raise ValueError
    return found


def required_text(value: Any, max_chars: int = MAX_CHARS) -> str:
    found = optional_text(value, max_chars)
    if not found:
        raise ValueError
    return found


def text_or_empty(value: Any) -> str:
    return optional_text(value) or ""


def url(value: Any) -> str | None:
    """An address that may be shown as a link; any other is dropped."""
    found = optional_text(value)
    is_web = found is not None and found[:8].lower().startswith(("http://", "https://"))
    return found if is_web and found is not None and len(found) <= MAX_URL_CHARS else None


def uuid(value: Any) -> UUID:
    if not isinstance(value, str):
        raise TypeError
    return UUID(value)


def flag(value: Any) -> bool:
    return value is True


def strict_flag(value: Any) -> bool:
    if value is not None and not isinstance(value, bool):
        raise TypeError
    return value is True


def integer(value: Any) -> int | None:
    if value is None:
        return None
    if type(value) is not int or not 0 <= value <= MAX_INT:
        raise ValueError
    return value


def integer_up_to(maximum: int) -> Convert:
    def convert(value: Any) -> int | None:
        found = integer(value)
        if found is not None and found > maximum:
            raise ValueError
        return found

    return convert


def big_integer(value: Any) -> int | None:
    if value is None:
        return None
    if type(value) is not int or not 0 <= value <= MAX_BIGINT:
        raise ValueError
    return value


def count(value: Any) -> int:
    return integer(value) or 0


def positive_integer(value: Any) -> int:
    found = integer(value)
    if not found:
        raise ValueError
    return found


def non_negative_integer(value: Any) -> int:
    found = integer(value)
    if found is None:
        raise ValueError
    return found


def share(value: Any) -> float | None:
    if value is None:
        return None
    if not 0 <= value <= 1:
        raise ValueError
    return float(value)


def optional_past_time(value: Any) -> str | None:
    """A time; one in the future becomes now."""
    return _time(value, timedelta())


def optional_due_time(value: Any) -> str | None:
    """When something is due; within a day at most."""
    return _time(value, timedelta(days=1))


def published(value: Any) -> str | None:
    """When a page says it was published: any time that Python can hold."""
    if value is None:
        return None
    found = datetime.fromisoformat(value)
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).isoformat()


def required_past_time(value: Any) -> str:
    found = optional_past_time(value)
    if found is None:
        raise ValueError
    return found


def day(value: Any) -> str:
    return datetime.strptime(value, "%Y-%m-%d").replace(tzinfo=UTC).date().isoformat()


def sha256(value: Any) -> str | None:
    if value is None:
        return None
    if len(value) != 64 or bytes.fromhex(value).hex() != value:  # noqa: PLR2004 - 32 bytes
        raise ValueError
    found: str = value
    return found


def one_of(*known: str) -> Convert:
    def convert(value: Any) -> str:
        if value not in known:
            raise ValueError
        return str(value)

    return convert


def one_of_or_none(*known: str) -> Convert:
    convert = one_of(*known)
    return lambda value: None if value is None else convert(value)


def names(value: Any, max_names: int = MAX_NAMES, max_chars: int = MAX_CHARS) -> Sequence[str]:
    if value is None:
        return []
    if not isinstance(value, list) or len(value) > max_names:
        raise ValueError
    return [required_text(each, max_chars) for each in value]


def _time(value: Any, ahead: timedelta) -> str | None:
    if value is None:
        return None
    found = datetime.fromisoformat(value)
    if found.tzinfo is None:
        raise ValueError
    return min(max(found, EPOCH), datetime.now(UTC) + ahead).isoformat()
