"""Reads an original again and compares the text with the one that is there. Run it in a ProcessPool."""

from dataclasses import dataclass, replace
from typing import Any

from nexus.podcasts.episode_text import FragmentText
from nexus.podcasts.reread_transcript import reread_transcript
from nexus.text.originals.original_file import OriginalFacts
from nexus.text.reading_time import count_words
from nexus.text.readings.compare import Change, Reading, compare
from nexus.text.readings.process_page import ProcessedPage, process_page


@dataclass(frozen=True)
class RereadText:
    """The page, or the fragments of a transcript; neither where nothing is to be added."""

    change: Change
    words: int
    word_count: int = 0  # as the media says: without the show notes of an episode
    detail: str | None = None
    page: ProcessedPage | None = None
    fragments: tuple[FragmentText, ...] = ()


def reread_original(data: bytes, facts: OriginalFacts, old: Reading, *, min_chars: int) -> RereadText:
    """What today's reader takes for a wall or a shell is worse than any text."""
    if facts.how == "transcript":
        fragments, word_count = reread_transcript(data, facts)
        text = "\n".join(each.text for each in fragments)
        found = RereadText("same", count_words(text), word_count, fragments=tuple(fragments))
        return _without_what_stays(found, compare(Reading(text, old.title), old, min_chars=min_chars))
    about: dict[str, Any] = {
        "content_type": facts.content_type, "url": facts.url, "status": facts.status, "base_url": facts.base_url,
    }  # fmt: skip
    page = process_page(data, **about)
    found = RereadText("same", page.word_count, page.word_count, page=page)
    if page.verdict.outcome != "ok" or not page.text:
        detail = f"{page.verdict.reason}: {page.verdict.evidence}" if page.verdict.reason else "It holds no text."
        return replace(found, change="worse", detail=detail, page=None)
    reading = Reading(page.text, page.about.title)
    return _without_what_stays(found, compare(reading, old, min_chars=min_chars))


def _without_what_stays(found: RereadText, change: Change) -> RereadText:
    if change in ("better", "different"):
        return replace(found, change=change)
    return replace(found, change=change, page=None, fragments=())
