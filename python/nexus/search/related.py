"""What is like a text: entries with the words that tell it from others."""

import math
from collections import Counter

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
_FIELD = "text" + STEMS


def related_query(text: str, lang: str | None, searcher: Searcher) -> Query | None:
    """None: it has no word in common with other entries."""
    language = language_of(lang)
    stem = stemmer(language)
    words = (word for word in words_in(text[:MAX_CHARS]) if len(word) >= MIN_WORD_CHARS and not word.isdigit())
    said = Counter(stem(word) for word in words if not is_stop_word(word, (language or "en",)))
    weights = {word: _weight(word, count, searcher) for word, count in said.items()}
    telling = sorted((word for word in weights if weights[word]), key=lambda word: -weights[word])[:MAX_WORDS]
    if not telling:
        return None
    return Query.boolean_query([(Occur.Should, Query.boost_query(_term(word), weights[word])) for word in telling])


def _term(word: str) -> Query:
    return Query.term_query(schema(), _FIELD, word)


def _weight(word: str, count: int, searcher: Searcher) -> float:
    entries = searcher.doc_freq(_FIELD, word)
    # One entry is the text itself.
    if entries < 2 or entries > max(2, MAX_SHARE * searcher.num_docs):  # noqa: PLR2004
        return 0.0
    return (1 + math.log(count)) * math.log(1 + searcher.num_docs / entries)
