"""Tells names from other words after "By": "By Christmas, everything had changed"."""

import re

from nexus.text.html_tree import word_set

_MAX_WORDS = 5  # of one person
_AND = re.compile(r",\s?|\s(?:and|und|et|y|e|en|i|with|mit|&)\s")
# Not the full stop of "Jr." or of an initial.
_SENTENCE_END = re.compile(r"[!?…:。！？：]|[^\W_]{4}\.(?:\s|[\"'”’)]*$)")
# Words of a name that are written without a capital.
_PARTICLES = word_set(
    "von van vom zu zur de der den des del della di da do dos das du la le el al bin ibn ben bint ter ten af av"
)
_ELISION = re.compile(r"^(?:d|l|dell|o)['’]", re.IGNORECASE)
_WEEKDAYS = word_set(
    "monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag"
    " sonnabend sonntag lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes"
    " sábado domingo maandag dinsdag woensdag donderdag vrijdag zaterdag zondag"
)
_MONTHS = word_set(
    "january february march july september october november december januar februar märz mai juni juli oktober dezember"
    " janvier février mars avril juin juillet août septembre octobre novembre décembre enero febrero marzo abril mayo"
    " junio julio agosto septiembre octubre noviembre diciembre januari februari maart mei augustus"
)
# Also given names: "April Smith", but not "April" alone.
_MONTHS_AND_NAMES = word_set("april may june august")
_MAX_NAME_OF_MONTH = 3
_TIMES = word_set(
    "christmas easter new midnight noon dawn dusk morning evening night nightfall today tomorrow now then spring summer"
    " autumn winter weihnachten ostern heute morgen gestern noël pâques navidad"
)


def is_written_like_names(text: str) -> bool:
    """Each of a few words, with capitals, and no day or month."""
    if not text or _SENTENCE_END.search(text):
        return False
    return all(_is_one_name(part.split()) for part in _AND.split(text) if part.strip())


def _is_one_name(found: list[str]) -> bool:
    if not 0 < len(found) <= _MAX_WORDS:
        return False
    first = found[0].casefold()
    if first in _WEEKDAYS or first in _MONTHS or first in _TIMES:
        return False
    if first in _MONTHS_AND_NAMES and not 1 < len(found) <= _MAX_NAME_OF_MONTH:
        return False
    others = [word for word in found if word not in _PARTICLES]
    return bool(others) and all(_has_capital(word) for word in others)


def _has_capital(word: str) -> bool:
    return _ELISION.sub("", word.lstrip("\"'“”‘’("))[:1].isupper()
