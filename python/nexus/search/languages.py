"""Stems and stop words by language. A text whose language is unknown has neither."""

from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache, lru_cache

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from nexus.search.stop_words import ENGLISH
from nexus.search.tokenizer import fold, words_in

NO_LANGUAGE = ""
# By ISO 639-1, in the names of the engine's stemmers.
STEMMERS = {
    "ar": "arabic",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
}
_ALIASES = {"nb": "no", "nn": "no"}
# The engine has lists of stop words for these. Its English one has only 33 short words, so we have our own.
_STOP_WORDS = frozenset(("da", "de", "es", "fi", "fr", "hu", "it", "nl", "no", "pt", "ru", "sv"))
_CACHED_STEMS = 100_000
# A language is guessed from the beginning of a text. A third to a half of the words of running text are stop words, not
# all of which are in our lists. The best language must have MIN_RATIO times as many as the second.
MAX_GUESSED_CHARS = 3000
MIN_GUESSED_WORDS = 8
MIN_SHARE = 0.2
MIN_RATIO = 1.3


def language_of(tag: str | None) -> str:
    """From a language tag such as "en-US" to a language that has stems."""
    primary = (tag or "").replace("_", "-").partition("-")[0].lower()
    primary = _ALIASES.get(primary, primary)
    return primary if primary in STEMMERS else NO_LANGUAGE


@cache
def stemmer(language: str) -> Callable[[str], str]:
    """From a word as written to its folded stem."""
    if language == NO_LANGUAGE:
        return fold
    analyzer = _analyzer(Filter.stemmer(STEMMERS[language]))

    @lru_cache(maxsize=_CACHED_STEMS)
    def stem(word: str) -> str:
        # Before folding: the stemmers know accented letters.
        found = analyzer.analyze(word.lower())
        return (fold(found[0]) if len(found) == 1 else "") or fold(word)

    return stem


def stems_in(word: str, languages: Iterable[str]) -> tuple[str, ...]:
    """The word itself and its stem in each of the languages, each once."""
    return tuple(dict.fromkeys([fold(word), *(stemmer(language)(word) for language in languages)]))


@cache
def _stop_words(language: str) -> Callable[[str], bool]:
    if language == "en":
        return ENGLISH.__contains__
    if language not in _STOP_WORDS:
        return lambda _: False
    analyzer = _analyzer(Filter.stopword(STEMMERS[language]))
    return lambda word: not analyzer.analyze(word)


def is_stop_word(word: str, languages: Iterable[str]) -> bool:
    return any(_stop_words(language)(word.lower()) for language in languages)


def guess_language(text: str) -> str | None:
    """The language of a text that does not name one: by its stop words, if it has enough; None if two are possible."""
    frequencies = Counter(word.lower() for word in words_in(text[:MAX_GUESSED_CHARS]))
    total = frequencies.total()
    if total < MIN_GUESSED_WORDS:
        return None
    found: Counter[str] = Counter()
    for word, count in frequencies.items():
        for language in _languages_with_stop_word(word):
            found[language] += count
    best, other = [*found.most_common(2), ("", 0), ("", 0)][:2]
    is_clear = best[1] >= MIN_SHARE * total and best[1] >= MIN_RATIO * other[1]
    return best[0] if is_clear else None


@lru_cache(maxsize=_CACHED_STEMS)
def _languages_with_stop_word(word: str) -> tuple[str, ...]:
    """The languages in which it is a stop word."""
    return tuple(language for language in ("en", *sorted(_STOP_WORDS)) if _stop_words(language)(word))


def _analyzer(word_filter: Filter) -> TextAnalyzer:
    return TextAnalyzerBuilder(Tokenizer.raw()).filter(word_filter).build()
