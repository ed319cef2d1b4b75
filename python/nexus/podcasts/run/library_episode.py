"""An episode's files as facts for the library."""

from nexus.podcasts.corpus.episode_files import Document, load_segments
from nexus.podcasts.corpus.layout import FeedFolder
from nexus.podcasts.episode_text import MAX_EXCERPT_CHARS, transcript_fragments
from nexus.podcasts.library import EpisodeFacts, parse_datetime
from nexus.podcasts.run.episode import EpisodeResult
from nexus.services.lifecycle.episodes import EpisodeFragment, EpisodeMedia
from nexus.text.originals.original_file import OriginalFacts, keep_original
from nexus.text.process_pool import ProcessPool
from nexus.text.reading_time import count_words


def episode_facts(
    pool: ProcessPool, folder: FeedFolder, result: EpisodeResult, *, pause_ms: int, max_original: int = 0
) -> EpisodeFacts:
    """The transcript in paragraphs with their times, followed by the show notes."""
    document = result.document
    segments = result.segments or load_segments(folder, document)
    paragraphs = pool.run(transcript_fragments, segments, pause_ms=pause_ms)
    fragments = [EpisodeFragment(each.html, each.text, each.start_ms, each.end_ms) for each in paragraphs]
    words = sum(count_words(each.canonical_text) for each in fragments)
    notes = document["show_notes"]
    if notes:
        fragments.append(EpisodeFragment(notes["html"], notes["text"]))
    episode = document["episode"]
    return EpisodeFacts(
        guid=episode["guid"],
        guid_source=episode["guid_source"],
        aliases=tuple(episode["aliases"]),
        duration_ms=episode["duration_ms"],
        chapters=document["chapters"],
        transcript_source=document["transcript"]["source"],
        media=_media(document, words, fragments[0].canonical_text),
        fragments=fragments,
        original=pool.run(keep_original, *_original(folder, result, pause_ms), max_original),
    )


def _original(folder: FeedFolder, result: EpisodeResult, pause_ms: int) -> tuple[bytes, OriginalFacts]:
    """The publisher's file as it came; else the segments of the corpus, all there is of a transcript made from audio or
    of one that was fetched by an earlier run."""
    notes = result.document["show_notes"]
    notes_html = notes["html"] if notes else None
    if received := result.received:
        facts = OriginalFacts(
            "transcript", received.url, None, received.content_type,
            format=received.format, declared=received.declared, pause_ms=pause_ms, notes_html=notes_html,
        )  # fmt: skip
        return received.body, facts
    facts = OriginalFacts(
        "transcript", content_type="application/json",
        format="json", declared="json", pause_ms=pause_ms, notes_html=notes_html,
    )  # fmt: skip
    return (folder.path / result.document["transcript"]["files"]["segments"]["path"]).read_bytes(), facts


def _media(document: Document, words: int, opening: str) -> EpisodeMedia:
    episode, feed, notes = document["episode"], document["feed"], document["show_notes"]
    speakers = document["transcript"]["speakers"]
    return EpisodeMedia(
        title=episode["title"],
        byline=episode["author"] or ", ".join(speakers[:4]) or None,
        site_name=feed["title"],
        lang=document["transcript"]["language"] or feed["lang"],
        published_at=parse_datetime(episode["published_at"]),
        excerpt=_excerpt(notes["text"] if notes else opening),
        word_count=words,
        lead_image_url=episode["image_url"] or feed["image_url"],
        audio_url=episode["audio_url"],
        link=episode["link"],
    )


def _excerpt(text: str) -> str:
    line = text.replace("\n", " ")
    return line if len(line) <= MAX_EXCERPT_CHARS else line[:MAX_EXCERPT_CHARS].rsplit(" ", 1)[0] + "…"
