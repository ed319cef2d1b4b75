"""What is like a text: entries with the words that tell it from others."""

import math
from collections import Counter
from itertools import islice

from tantivy import Occur, Query, Searcher

from nexus.search.languages import is_stop_word, language_of, stemmer
from nexus.search.schema import STEMS, schema
from nexus.search.tokenizer import words_in

# The beginning of a text says what it is about.
MAX_CHARS = 50_000
MAX_WORDS = 25
MIN_WORD_CHARS = 3
# A word that every third entry has tells nothing.
MAX_SHARE = 0.3
# For a word in more entries than these, entries that were removed or written again may be counted, too.
MAX_COUNTED = 100
# One of them is the text itself.
MIN_ENTRIES = 2
_FIELD = "text" + STEMS


def related_query(text: str, lang: str | None, searcher: Searcher) -> Query | None:
    """None: it has no word in common with other entries."""
    language = language_of(lang)
    stem = stemmer(language)
    words = (word for word in words_in(text[:MAX_CHARS]) if len(word) >= MIN_WORD_CHARS and not word.isdigit())
    said = Counter(stem(word) for word in words if not is_stop_word(word, (language or "en",)))
    likely = sorted(said, key=lambda word: -_weight(said[word], searcher.doc_freq(_FIELD, word), searcher))
    # Counting takes longer; the first of them are enough.
    counted = ((word, _weight(said[word], _entries(word, searcher), searcher)) for word in likely)
    telling = list(islice(((word, weight) for word, weight in counted if weight), MAX_WORDS))
    if not telling:
        return None
    return Query.boolean_query([(Occur.Should, Query.boost_query(_term(word), weight)) for word, weight in telling])


def _term(word: str) -> Query:
    return Query.term_query(schema(), _FIELD, word)


def _entries(word: str, searcher: Searcher) -> int:
    """An entry that was written again is in the engine's files twice until it tidies them up."""
    written = searcher.doc_freq(_FIELD, word)
    if not MIN_ENTRIES <= written <= MAX_COUNTED:
        return written
    return int(searcher.search(_term(word), 1, count=True).count)  # type: ignore[attr-defined] # missing in the engine's stub


def _weight(said: int, entries: int, searcher: Searcher) -> float:
    if entries < MIN_ENTRIES or entries > max(MIN_ENTRIES, MAX_SHARE * searcher.num_docs):
        return 0.0
    return (1 + math.log(said)) * math.log(1 + searcher.num_docs / entries)
