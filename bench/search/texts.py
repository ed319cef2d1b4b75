"""Made-up texts: some words are in every text and some in hardly any, as in real ones."""

import random
from functools import cache
from uuid import UUID, uuid4

import psycopg

VOCABULARY = 50_000
WORDS = 1000
LINE_WORDS = 100
# Texts are put together from these: picking each word of 200 000 texts would take longer than indexing them.
LINES = 16_000
_SYLLABLES = [consonant + vowel for consonant in "bcdfghjklmnpqrstvwxy" for vowel in "aeiou"]


def word(number: int) -> str:
    """A word of no language: one to three syllables after a z, of letters alone, so that it can be misspelt."""
    number, last = divmod(number, len(_SYLLABLES))
    begin = word(number - 1) if number else "z"
    return begin + _SYLLABLES[last]


def some_text(chance: random.Random) -> str:
    return "\n".join(chance.choices(_lines(), k=WORDS // LINE_WORDS))


@cache
def _lines() -> list[str]:
    """Zipf: the n-th word of the vocabulary comes about 1/n as often as the first."""
    chance = random.Random(0)
    return [" ".join(NAMES[int(VOCABULARY ** chance.random()) - 1] for _ in range(LINE_WORDS)) for _ in range(LINES)]


NAMES = [word(number) for number in range(VOCABULARY)]


def fill(connection: psycopg.Connection, library: UUID, texts: list[str]) -> None:
    """Writes rows directly; the triggers of the schema log them for the index."""
    ids = [uuid4() for _ in texts]
    with connection.transaction(), connection.cursor() as cursor:
        columns = "id, kind, title, word_count, processing_status, processing_completed_at, current_version"
        with cursor.copy(f"COPY media ({columns}) FROM STDIN") as copy:
            for media, text in zip(ids, texts, strict=True):
                copy.write_row((media, "podcast_episode", text[:40], WORDS, "ready_for_reading", "now", 1))
        with cursor.copy("COPY media_versions (media_id, version, origin) FROM STDIN") as copy:
            for media in ids:
                copy.write_row((media, 1, "fetched"))
        with cursor.copy("COPY fragments (media_id, version, idx, html_sanitized, canonical_text) FROM STDIN") as copy:
            for media, text in zip(ids, texts, strict=True):
                copy.write_row((media, 1, 0, "", text))
        with cursor.copy("COPY library_media (library_id, media_id) FROM STDIN") as copy:
            for media in ids:
                copy.write_row((library, media))
