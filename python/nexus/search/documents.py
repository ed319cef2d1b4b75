"""What is indexed of an entry, and how it becomes a document of the engine."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from tantivy import Document

from nexus.search.filters import microseconds, with_parents
from nexus.search.languages import guess_language, language_of, stemmer
from nexus.search.names import names_in
from nexus.search.pairs import pairs_in
from nexus.search.schema import EXACT, STEMS
from nexus.search.tokenizer import fold, words_in

# About a thousand pages; the text after that is not searched.
MAX_TEXT_CHARS = 5_000_000
SAMPLES = 32  # parts of equal size, by the random end of an id
MAX_NUMBER = 2**63  # the end of an id is random, so no two entries of a library have the same


@dataclass(frozen=True)
class EntryText:
    media_id: UUID
    kind: str
    saved_at: datetime
    title: str = ""
    text: str = ""
    headings: str = ""
    notes: str = ""
    highlights: str = ""
    lang: str | None = None
    site: str | None = None
    author: str | None = None
    tags: Sequence[str] = ()
    states: Sequence[str] = ()
    seconds: int | None = None


def document_of(entry: EntryText) -> Document:
    tag = entry.lang or guess_language(entry.text)
    language = language_of(tag)
    document = Document(media_id=str(entry.media_id), kind=entry.kind, saved_at=microseconds(entry.saved_at))
    document.add_integer("number", entry.media_id.int % MAX_NUMBER)
    document.add_text("sample", str(entry.media_id.int % SAMPLES))
    fields = {
        "title": entry.title,
        "headings": entry.headings,
        # The title is part of the text, so that it is found where only the text is searched.
        "text": f"{entry.title}\n{entry.text[:MAX_TEXT_CHARS]}",
        "notes": entry.notes,
        "highlights": entry.highlights,
    }
    for field, text in fields.items():
        if text:
            words = words_in(text)
            folded = list(filter(None, map(fold, words)))
            exact = " ".join(folded)
            document.add_text(field + EXACT, exact)
            document.add_text(field + STEMS, _joined(map(stemmer(language), words)) if language else exact)
            if field == "text":
                document.add_text("text_pairs", " ".join(pairs_in(folded)))
    document.add_text("names", " ".join(names_in("\n".join(fields.values()))))
    if tag:
        document.add_text("lang", tag.partition("-")[0].lower())
    _add_facts(document, entry)
    return document


def domains_of(site: str) -> list[str]:
    """The site and its parent domains without the top-level one: news.example.org, example.org."""
    labels = site.split(".")
    return [".".join(labels[start:]) for start in range(max(1, len(labels) - 1))] if site else []


def _joined(words: Iterable[str]) -> str:
    return " ".join(filter(None, words))


def _add_facts(document: Document, entry: EntryText) -> None:
    site = (entry.site or "").lower().removeprefix("www.")
    author_words = [folded for word in words_in(entry.author or "") if (folded := fold(word))]
    source = [*map(fold, words_in(site)), *author_words]
    document.add_text("source", " ".join(source))
    for word in dict.fromkeys(author_words):
        document.add_text("author", word)
    if site:
        document.add_text("site", site)
    for domain in domains_of(site):
        document.add_text("domain", domain)
    document.add_text("year", str(entry.saved_at.year))
    for path in dict.fromkeys(path for tag in entry.tags for path in with_parents(tag)):
        document.add_text("tag", path)
    for state in entry.states:
        document.add_text("state", state)
    if entry.seconds is not None:
        document.add_integer("seconds", entry.seconds)
