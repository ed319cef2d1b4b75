"""The front matter of a note: facts about an entry as YAML that Obsidian shows as properties."""

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from nexus.services.library.entries import Entry

# What YAML does not take as it is, though JSON does; line separators would become spaces.
UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
IN_A_TAG = frozenset("_-/")
# Letters, digits and marks are in most tags; symbols are emoji, too.
SYMBOLS = frozenset({"So", "Sk", "Mn", "Mc", "Me"})
STATUS = {"queued": "waiting", "processing": "waiting", "needs_user_text": "without text", "failed": "without text"}


def front_matter(entry: Entry) -> str:
    """Lower-case keys; what there is none of is left out."""
    return "\n".join(["---", *_lines(entry), "---"])


def _lines(entry: Entry) -> Iterator[str]:
    yield f"title: {quoted(' '.join(entry.title.split()))}"
    for name, value in (("url", entry.canonical_url or entry.requested_url), ("site", entry.site_name or entry.site)):
        if value:
            yield f"{name}: {quoted(value)}"
    if authors := authors_of(entry.byline):
        yield from ("author:", *(f"  - {quoted(author)}" for author in authors))
    yield f"saved: {moment(entry.created_at)}"
    if entry.published_at is not None:
        yield f"published: {moment(entry.published_at)}"
    if tags := obsidian_tags(entry.tags):
        yield from ("tags:", *(f"  - {quoted(tag)}" for tag in tags))
    yield f"status: {STATUS.get(entry.status) or ('read' if entry.read_at else 'unread')}"
    yield f"starred: {_boolean(entry.starred_at)}"
    yield f"archived: {_boolean(entry.archived_at)}"
    if entry.note:
        yield f"note: {quoted(entry.note)}"
    yield f"kind: {entry.kind}"
    yield f"id: {entry.media_id}"


def quoted(words: str) -> str:
    """A JSON string is a YAML string, but for what YAML has no plain form of."""
    return UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(words, ensure_ascii=False))


def moment(at: datetime) -> str:
    """Without a zone, which Obsidian does not know: in UTC."""
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%S}"


def _boolean(at: datetime | None) -> str:
    return "true" if at is not None else "false"


def authors_of(byline: str | None) -> list[str]:
    """Joined by semicolons where one has a comma. "Doe, Jane" is one name, "A Doe, B Roe" are two."""
    parts = [part.strip() for part in (byline or "").split(";" if ";" in (byline or "") else ",")]
    named = [part for part in parts if part]
    if byline and ";" not in byline and not all(" " in part for part in named):
        return [byline.strip()]
    return named


def obsidian_tags(names: Sequence[str]) -> list[str]:
    """Without spaces and punctuation, and never of digits alone; each once, whatever its case."""
    found: dict[str, str] = {}
    for name in names:
        tag = "/".join(filter(None, (_part(part) for part in name.split("/"))))
        if tag and all(letter.isdigit() or letter == "/" for letter in tag):
            tag = f"_{tag}"
        if tag:
            found.setdefault(tag.casefold(), tag)
    return list(found.values())


def _part(name: str) -> str:
    kept = "".join(letter if _is_in_a_tag(letter) else "-" for letter in name.strip())
    return re.sub("-{2,}", "-", kept).strip("-")


def _is_in_a_tag(letter: str) -> bool:
    return letter.isalnum() or letter in IN_A_TAG or unicodedata.category(letter) in SYMBOLS
