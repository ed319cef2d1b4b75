"""Finds entries that are similar to a text: those with the words that distinguish it from others."""

import math
from collections import Counter
from itertools import islice

from tantivy import Occur, Query, Searcher

from nexus.search.languages import is_stop_word, language_of, stemmer
from nexus.search.schema import STEMS, schema
from nexus.search.tokenizer import words_in

# The beginning of a text is enough to know its subject.
MAX_CHARS = 50_000
MAX_WORDS = 25
MIN_WORD_CHARS = 3
# A word that a third of all entries have does not distinguish any.
MAX_SHARE = 0.3
# For a word in more entries than this, the count may include entries that were removed or written again.
MAX_COUNTED = 100
# One of the entries with a word is the text itself.
MIN_ENTRIES = 2
_FIELD = "text" + STEMS


def related_query(text: str, lang: str | None, searcher: Searcher) -> Query | None:
    """None: it has no word in common with other entries."""
    language = language_of(lang)
    stem = stemmer(language)
    words = (word for word in words_in(text[:MAX_CHARS]) if len(word) >= MIN_WORD_CHARS and not word.isdigit())
    frequencies = Counter(stem(word) for word in words if not is_stop_word(word, (language or "en",)))
    likely = sorted(
        frequencies, key=lambda word: -_weight(frequencies[word], searcher.doc_freq(_FIELD, word), searcher)
    )
    # Exact counts take longer, so only the first words with a weight are counted.
    counted = ((word, _weight(frequencies[word], _entries(word, searcher), searcher)) for word in likely)
    significant = list(islice(((word, weight) for word, weight in counted if weight), MAX_WORDS))
    if not significant:
        return None
    return Query.boolean_query([(Occur.Should, Query.boost_query(_term(word), weight)) for word, weight in significant])


def _term(word: str) -> Query:
    return Query.term_query(schema(), _FIELD, word)


def _entries(word: str, searcher: Searcher) -> int:
    """Counted exactly where there are few: an entry that was written again is in the engine's files twice until it
    merges them."""
    written = searcher.doc_freq(_FIELD, word)
    if not MIN_ENTRIES <= written <= MAX_COUNTED:
        return written
    return int(searcher.search(_term(word), 1, count=True).count)  # type: ignore[attr-defined] # missing in the engine's stub


def _weight(frequency: int, entries: int, searcher: Searcher) -> float:
    if entries < MIN_ENTRIES or entries > max(MIN_ENTRIES, MAX_SHARE * searcher.num_docs):
        return 0.0
    return (1 + math.log(frequency)) * math.log(1 + searcher.num_docs / entries)
