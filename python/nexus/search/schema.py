"""What the index of a library holds of an entry. Nothing of a text is stored: hits are media ids and languages."""

from functools import cache

from tantivy import Filter, Schema, SchemaBuilder, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from nexus.search.pairs import GAP

# Increase it with each change of the fields or of what is written into them: an index of another version is rebuilt.
VERSION = 5
# The tokenizer of fields whose words, joined by spaces, come from tokenizer.py.
WORDS = "words"
# The tokenizer of fields of pairs (pairs.py).
PAIRS = "pairs"
# Each becomes two fields: its words as written, with their positions, and their stems.
TEXT_FIELDS = ("title", "headings", "text", "notes", "highlights")
EXACT = "_exact"
STEMS = "_stems"


@cache
def schema() -> Schema:
    builder = SchemaBuilder()
    builder.add_text_field("media_id", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_integer_field("number", indexed=True, fast=True)  # of the media, to find entries again
    for field in TEXT_FIELDS:
        builder.add_text_field(field + EXACT, tokenizer_name=WORDS, index_option="position")
        builder.add_text_field(field + STEMS, tokenizer_name=WORDS, index_option="freq")
    builder.add_text_field("text_pairs", tokenizer_name=PAIRS, index_option="position")
    builder.add_text_field("source", tokenizer_name=WORDS, index_option="position")  # author and site, as words
    builder.add_text_field("names", tokenizer_name=WORDS, index_option="freq")  # identifiers as they are written
    for field in ("kind", "site", "tag", "lang", "year"):
        is_stored = field == "lang"  # to mark words in the forms of the text's language, which may be a guess
        builder.add_text_field(field, stored=is_stored, fast=True, tokenizer_name="raw", index_option="basic")
    # Which of the equal parts of the library it is in.
    builder.add_text_field("sample", tokenizer_name="raw", index_option="basic")
    for field in ("author", "domain", "state"):  # domain: the site and its parent domains
        builder.add_text_field(field, tokenizer_name="raw", index_option="basic")
    builder.add_integer_field("saved_at", indexed=True, fast=True)  # microseconds since 1970
    builder.add_integer_field("seconds", indexed=True, fast=True)  # of reading; not of what has no text
    return builder.build()


def tokenizers() -> dict[str, TextAnalyzer]:
    """By the names that the fields refer to."""
    return {
        WORDS: TextAnalyzerBuilder(Tokenizer.whitespace()).build(),
        PAIRS: TextAnalyzerBuilder(Tokenizer.whitespace()).filter(Filter.custom_stopword([GAP])).build(),
    }
