"""Reads a date that somebody wrote: for machines, or in words."""

import re
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

_FIRST_YEAR, _LAST_YEAR = 1900, 2100
_MAX_CHARS = 80
# By their first letters, in the languages that write "5 March 2024" or "March 5, 2024" in some form.
_MONTHS = (
    "jan gen ene янв sty led", "feb fév fev фев lut úno", "mar mär mrz maa мар bře", "apr avr abr апр kwi dub",
    "may mai maj mei mag май мая kvě", "jun juin giu июн cze čer", "jul juil lug июл lip",
    "aug aoû aou ago авг sie srp",
    "sep set сен wrz zář", "oct okt ott out окт paź říj", "nov ноя lis", "dec dez déc dic дек gru pro",
)  # fmt: skip
_MONTH_OF = {start: number for number, starts in enumerate(_MONTHS, start=1) for start in starts.split()}
_LETTERS = r"[^\W\d_]{3,12}"
_WRITTEN = (
    re.compile(
        rf"\b(?P<d>\d{{1,2}})(?:\.|st|nd|rd|th|er|º)?,?\s(?:de\s|of\s)?(?P<m>{_LETTERS})\.?,?\s(?:de\s|del\s)?(?P<y>\d{{4}})\b"
    ),
    re.compile(rf"\b(?P<m>{_LETTERS})\.?\s(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?\s(?P<y>\d{{4}})\b"),
    re.compile(r"\b(?P<y>\d{4})\s?[年년]\s?(?P<m>\d{1,2})\s?[月월]\s?(?P<d>\d{1,2})\s?[日일]?(?!\w)"),
    re.compile(r"\b(?P<y>(?:19|20)\d{2})(?P<s>[-/.])(?P<m>\d{1,2})(?P=s)(?P<d>\d{1,2})\b"),
    re.compile(r"\b(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>(?:19|20)\d{2})\b"),
)
_COMPACT = re.compile(r"^(\d{4})(\d{2})(\d{2})$")
_SLASHED = re.compile(r"\b(\d{1,2})/(\d{1,2})/((?:19|20)\d{2})\b")
_IN_PATH = re.compile(r"/((?:19|20)\d{2})[/-](0?[1-9]|1[0-2])[/-](0?[1-9]|[12]\d|3[01])(?=[/_.-]|$)")
_FRACTION = re.compile(r"(\.\d{6})\d+")
_MAX_MONTH = 12
_MAX_OFFSET, _MINUTE = timedelta(hours=15), timedelta(minutes=1)


def parse_date(value: str) -> datetime | None:
    """Aware; UTC where the page gives no zone."""
    text = value.strip()[:_MAX_CHARS]
    moment: datetime | None = None
    try:
        moment = datetime.fromisoformat(_FRACTION.sub(r"\1", text))
    except ValueError:
        try:
            moment = parsedate_to_datetime(text)
        except (ValueError, IndexError, OverflowError):
            moment = written_date(text)
    if moment is None or not _FIRST_YEAR < moment.year < _LAST_YEAR:
        return None
    offset = moment.utcoffset()
    if offset is None:
        return moment.replace(tzinfo=UTC)
    # No place has such a zone, and PostgreSQL refuses it.
    return moment.astimezone(UTC) if abs(offset) > _MAX_OFFSET or offset % _MINUTE else moment


def written_date(text: str) -> datetime | None:
    """The first date in a short text; none where day and month could be either way around (03/05/2024)."""
    compact = _COMPACT.match(text)
    if compact:
        return _day(*map(int, compact.groups()))
    for pattern in _WRITTEN:
        found = pattern.search(text)
        month = _month(found["m"]) if found else 0
        if found and month and (day := _day(int(found["y"]), month, int(found["d"]))):
            return day
    slashed = _SLASHED.search(text)
    if slashed:
        first, second, year = map(int, slashed.groups())
        if first > _MAX_MONTH or first == second:
            return _day(year, second, first)
        if second > _MAX_MONTH:
            return _day(year, first, second)
    return None


def date_in_path(path: str) -> datetime | None:
    """From an address like /2024/03/05/."""
    found = _IN_PATH.search(path)
    return _day(*map(int, found.groups())) if found else None


def _month(text: str) -> int:
    if text.isdecimal():  # not "²", which `int` refuses
        return int(text)
    word = text.casefold()
    return _MONTH_OF.get(word[:4]) or _MONTH_OF.get(word[:3]) or 0


def _day(year: int, month: int, day: int) -> datetime | None:
    try:
        found = datetime(year, month, day, tzinfo=UTC)
    except ValueError:
        return None
    return found if _FIRST_YEAR < year < _LAST_YEAR else None
