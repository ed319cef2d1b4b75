"""Reads a date that somebody wrote: for machines, or in words."""

import re
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

_FIRST_YEAR, _LAST_YEAR = 1900, 2100
_MAX_CHARS = 80
# Whole names, in the forms that stand in a date, and the English abbreviations.
_NAMES = (
    "january jan januar jänner januari janvier enero gennaio janeiro января январь stycznia styczeń ledna leden",
    "february feb februar februari février febrero febbraio fevereiro февраля февраль lutego luty února únor",
    "march mar märz maart mars marts marzo março марта март marca marzec března březen",
    "april apr avril abril aprile апреля апрель kwietnia kwiecień dubna duben",
    "may mai maj mei mayo maggio maio мая май maja května květen",
    "june jun juni juin junio giugno junho июня июнь czerwca czerwiec června červen",
    "july jul juli juillet julio luglio julho июля июль lipca lipiec července červenec",
    "august aug augustus augusti août aout agosto августа август sierpnia sierpień srpna srpen",
    "september sep sept septembre septiembre setiembre settembre setembro сентября сентябрь września wrzesień září",
    "october oct oktober octobre octubre ottobre outubro октября октябрь października październik října říjen",
    "november nov novembre noviembre novembro ноября ноябрь listopada listopad listopadu",
    "december dec dezember décembre diciembre dicembre dezembro desember декабря декабрь grudnia grudzień prosince"
    " prosinec",
)
# Abbreviations of languages that write the day first; some are English words, so they count only behind a day.
_SHORT = (
    "janv ene gen янв sty", "fév févr fev febr фев lut", "mär mrz mrt мар", "avr abr апр kwi", "mag", "giu июн cze",
    "juil lug июл lip", "aoû ago авг sie", "set сен сент wrz", "okt ott out окт paź", "ноя нояб lis",
    "dez déc dic des дек gru",
)  # fmt: skip


def _numbers(months: tuple[str, ...]) -> dict[str, int]:
    return {word: number for number, names in enumerate(months, start=1) for word in names.split()}


_MONTH_OF = _numbers(_NAMES)
_SHORT_MONTH_OF = _numbers(_SHORT)
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
    found = find_date(text)
    return found[0] if found else None


def find_date(text: str) -> tuple[datetime, str] | None:
    """The first date, and the text without it."""
    compact = _COMPACT.match(text)
    if compact:
        return _date_and_rest(_day(*map(int, compact.groups())), compact)
    for pattern in _WRITTEN:
        found = pattern.search(text)
        month = _month(found) if found else 0
        if found and month and (day := _day(int(found["y"]), month, int(found["d"]))):
            return _date_and_rest(day, found)
    slashed = _SLASHED.search(text)
    if slashed:
        first, second, year = map(int, slashed.groups())
        if first > _MAX_MONTH or first == second:
            return _date_and_rest(_day(year, second, first), slashed)
        if second > _MAX_MONTH:
            return _date_and_rest(_day(year, first, second), slashed)
    return None


def _date_and_rest(day: datetime | None, match: re.Match[str]) -> tuple[datetime, str] | None:
    return (day, f"{match.string[: match.start()]} {match.string[match.end() :]}") if day else None


def date_in_path(path: str) -> datetime | None:
    """From an address like /2024/03/05/."""
    found = _IN_PATH.search(path)
    return _day(*map(int, found.groups())) if found else None


def _month(found: re.Match[str]) -> int:
    word = found["m"].casefold()
    if word.isdecimal():  # not "²", which `int` refuses
        return int(word)
    is_day_first = found.start("d") < found.start("m")
    return _MONTH_OF.get(word) or (_SHORT_MONTH_OF.get(word, 0) if is_day_first else 0)


def _day(year: int, month: int, day: int) -> datetime | None:
    try:
        found = datetime(year, month, day, tzinfo=UTC)
    except ValueError:
        return None
    return found if _FIRST_YEAR < year < _LAST_YEAR else None
