"""Word counts and reading times."""

import re

# Han and kana are written without spaces: one character counts as one word, as in word processors.
_CHARACTER = re.compile("[\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
# Between two spaces and without a letter or digit: a dash, a bullet.
_NO_WORD = re.compile(r"(?<!\S)(?:[^\w\s]|_)+(?!\S)")
_WORDS_PER_MINUTE = 230
_CHARS_PER_MINUTE = 500


def count_words(text: str) -> int:
    """The count that people are shown."""
    spaced, characters = _CHARACTER.subn(" ", text)
    return characters + len(spaced.split()) - len(_NO_WORD.findall(spaced))


def reading_minutes(word_count: int, lang: str | None) -> int:
    """Rounded up, so that no text takes 0 minutes."""
    per_minute = _CHARS_PER_MINUTE if (lang or "")[:2].lower() in {"zh", "ja"} else _WORDS_PER_MINUTE
    return -(-word_count // per_minute)
