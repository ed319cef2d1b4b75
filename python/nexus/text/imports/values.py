"""What cells and fields of exports mean: times, links, titles, tags. The same rules for every program."""

import math
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from html import unescape
from html.entities import html5
from typing import Any

import ada_url

from nexus.system.epoch import EPOCH
from nexus.text.characters import one_line
from nexus.text.imports.documents import Document
from nexus.text.imports.records import ImportedItem, ImportProblem
from nexus.text.quotes.colors import HighlightColor

COLORS: dict[str, HighlightColor] = {
    "yellow": "yellow", "orange": "yellow", "green": "green", "teal": "green", "blue": "blue", "purple": "blue",
    "violet": "blue", "pink": "pink", "red": "pink",
}  # fmt: skip

MAX_TITLE_CHARS = 1000
MAX_TAG_CHARS = 100
MAX_FOLDERS_OPEN = 1000  # deeper ones are counted, not kept
MAX_URL_CHARS = 1 << 16
MAX_NUMBER_CHARS = 30

CHROME_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
# A time before is a program's zero, one after is a number that means something else.
EARLIEST, LATEST = datetime(1980, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)
NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]*)?")
OFFSET = re.compile(r"\s*(?:UTC|GMT|Z|([+-])([0-9]{2}):?([0-9]{2}))$", re.IGNORECASE)
FORMS = (
    "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S.%f", "%Y-%m-%d %H:%M:%S.%f", "%Y-%m-%d",
    "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M", "%Y-%m-%d %I:%M %p", "%d/%b/%Y:%H:%M:%S", "%Y/%m/%d %H:%M:%S", "%Y/%m/%d",
    "%B %d, %Y", "%b %d, %Y", "%d %b %Y", "%a, %d %b %Y %H:%M:%S", "%b %d %Y %H:%M:%S",
)  # fmt: skip
FRACTION = re.compile(r"(\.[0-9]{6})[0-9]+")

SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):")
# What else a link has is percent-encoded.
ASCII_CONTROLS = re.compile(r"[\x00-\x1f\x7f]+")
ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")
NO_TITLES = frozenset({"", "problem loading page", "untitled", "no title", "null", "none"})
TRUE, FALSE = frozenset({"1", "true", "yes", "y", "t", "on"}), frozenset({"0", "false", "no", "n", "f", "off", ""})


def read_time(value: Any) -> datetime | None:
    """Seconds, milliseconds, microseconds or Chrome's count, told apart by size; or a written time, UTC if it does
    not say. None for 0, garbage and what cannot be the time of a save."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return _from_number(float(value))
    text = str(value).strip()[:64]
    if len(text) <= MAX_NUMBER_CHARS and NUMBER.fullmatch(text):
        return _from_number(float(text))
    return _from_text(text)


def _from_number(number: float) -> datetime | None:
    if not math.isfinite(number) or number <= 0:
        return None
    start, seconds = EPOCH, number
    if number >= 1e16:  # noqa: PLR2004
        start, seconds = CHROME_EPOCH, number / 1e6
    elif number >= 1e14:  # noqa: PLR2004
        seconds = number / 1e6
    elif number >= 1e11:  # noqa: PLR2004
        seconds = number / 1e3
    try:
        return _plausible(start + timedelta(seconds=seconds))
    except OverflowError:
        return None


def _from_text(text: str) -> datetime | None:
    if len(text) < len("2024-1-1"):
        return None
    try:
        return _plausible(_with_zone(datetime.fromisoformat(text)))
    except (ValueError, OverflowError):
        pass
    offset = timedelta()
    if zone := OFFSET.search(text):
        text = text[: zone.start()]
        if zone[1]:
            offset = timedelta(hours=int(zone[2]), minutes=int(zone[3])) * (1 if zone[1] == "+" else -1)
    text = FRACTION.sub(r"\1", text)
    for form in FORMS:
        try:
            return _plausible(datetime.strptime(text, form).replace(tzinfo=UTC) - offset)
        except (ValueError, OverflowError):
            continue
    return None


def _with_zone(time: datetime) -> datetime:
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)


def _plausible(time: datetime) -> datetime | None:
    return time if EARLIEST <= time < LATEST else None


def read_flag(value: Any) -> bool | None:
    """None: the export does not say."""
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower() if value is not None else None
    if word in TRUE:
        return True
    return False if word in FALSE else None


def read_progress(value: Any) -> float | None:
    """A fraction; what is above 1 is a percentage."""
    try:
        number = float(str(value)[:MAX_NUMBER_CHARS].strip().removesuffix("%"))
    except ValueError:
        return None
    if not math.isfinite(number) or number < 0 or isinstance(value, bool):
        return None
    return min(1.0, number if number <= 1 else number / 100)


def read_text(value: Any) -> str | None:
    """A note or a quote, with its line breaks."""
    text = str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
    return decode_entities(text).replace("\xa0", " ").replace("\r\n", "\n").strip() or None


def read_color(value: Any) -> HighlightColor | None:
    """The nearest of ours."""
    return COLORS.get(value.strip().lower()) if isinstance(value, str) else None


def joined_notes(*notes: Any) -> str | None:
    return "\n\n".join(dict.fromkeys(note for note in map(read_text, notes) if note)) or None


def read_title(value: Any, url: str | None = None) -> str | None:
    if not isinstance(value, str) or not value:
        return None
    title = one_line(decode_entities(value[: 10 * MAX_TITLE_CHARS]))[:MAX_TITLE_CHARS]
    return None if title.lower() in NO_TITLES or title == url else title


def decode_entities(text: str) -> str:
    """`Cat&#39;s`, as some programs write it outside of HTML, too; a lone `&` stays."""
    return ENTITY.sub(_character, text) if "&" in text else text


def _character(entity: re.Match[str]) -> str:
    # `unescape` alone would make `¬hing;` of `&nothing;`.
    is_known = entity[0][1] == "#" or entity[0][1:] in html5
    return unescape(entity[0]) if is_known else entity[0]


def read_tags(values: Iterable[Any]) -> tuple[str, ...]:
    """Each once, as a tag of ours may be named: one line, nested by "/", at most 100 characters."""
    names = [_tag(value) for value in values if isinstance(value, str)]
    return tuple(dict.fromkeys(name for name in names if name))


def split_tags(text: Any, separator: str) -> tuple[str, ...]:
    return read_tags(text.split(separator)) if isinstance(text, str) and text else ()


def folder_tags(*parts: str) -> tuple[str, ...]:
    """One tag for a folder in its folders."""
    return read_tags(["/".join(parts)])


def _tag(value: str) -> str:
    if value.isalnum() and len(value) <= MAX_TAG_CHARS:
        return value
    parts = (one_line(part) for part in value[: 10 * MAX_TAG_CHARS].split("/"))
    return "/".join(part for part in parts if part)[:MAX_TAG_CHARS].strip("/ ")


def read_link(value: Any) -> str:
    """The http or https link as it is written, or "" where it is none. `link_problem` says why."""
    link = ASCII_CONTROLS.sub("", value).strip() if isinstance(value, str) else ""
    return link if link_problem(link) is None else ""


def link_problem(link: str) -> tuple[str, str] | None:
    """A code and a sentence; None if it is a link to a page."""
    if not link:
        return "no_link", "There is no link."
    if len(link) > MAX_URL_CHARS:
        return "invalid_link", "The link is too long."
    if scheme := SCHEME.match(link):
        if scheme[1].lower() not in ("http", "https"):
            return "unsupported_link", f"Only http and https links can be imported, not {scheme[1].lower()[:30]}:"
    elif not ada_url.check_url(link):
        return "relative_link", "The link does not say which site it is on."
    if not ada_url.check_url(link):
        return "invalid_link", "This is not a web address."
    return None


def item_or_problem(document: Document, line: int, *, url: Any, title: Any = None, **said: Any) -> (
    ImportedItem | ImportProblem
):  # fmt: skip
    """An item with the cleaned link and title, and what else the export said; a problem where it has no link and no
    content of its own."""
    link = ASCII_CONTROLS.sub("", url).strip() if isinstance(url, str) else ""
    refused = link_problem(link)
    if refused is None:
        return ImportedItem(document.name, line, url=link, title=read_title(title, link), **said)
    if not link and (said.get("html") or said.get("text")):
        return ImportedItem(document.name, line, title=read_title(title), **said)
    code, message = refused
    return ImportProblem(document.name, line, code, message, url=link[:2000] or None, title=read_title(title))
