"""Texts from an archive are sanitized again: HTML is accepted only in its own sanitized form. What an older or another
Nexus sanitized differently is sanitized by today's rules. The canonical text is always derived from the HTML."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from nexus.errors import NexusError, ProcessPoolError
from nexus.services.archives.fields import Row
from nexus.services.archives.records import Record, Version
from nexus.text.canonical_text import canonicalize
from nexus.text.process_pool import ProcessPool
from nexus.text.sanitize import sanitize_html

CALL_CHARS = 500_000  # of one call in a child process
CHANGED = "A text was not in the form that this version stores, so it was sanitized again."
UNREADABLE = "A text could not be read: {}"

Text = tuple[str, str]  # HTML and canonical text


def sanitize_texts(texts: Sequence[Text]) -> list[Text]:
    """Runs in a ProcessPool: the HTML is hostile."""
    return [sanitize_text(html) for html, _ in texts]


def sanitize_text(html: str) -> Text:
    clean = sanitize_html(html, "")
    return clean, canonicalize(clean)


def check_texts(pool: ProcessPool, threads: ThreadPoolExecutor, records: Sequence[Record]) -> dict[int, str]:
    """Puts the sanitized texts into the records. Of those whose text cannot be read, why, by their numbers."""
    calls = list(_calls(records))
    refused: dict[int, str] = {}
    for call, outcome in zip(calls, threads.map(lambda call: _sanitize(pool, call), calls), strict=True):
        for (record, version, fragment), sanitized in zip(call, outcome, strict=True):
            if isinstance(sanitized, NexusError):
                refused[record.number] = UNREADABLE.format(sanitized.message)
            elif sanitized != (fragment["html"], fragment["text"]):
                fragment["html"], fragment["text"] = sanitized
                version.is_changed = True
                if CHANGED not in record.problems:
                    record.problems.append(CHANGED)
    return refused


_Call = list[tuple[Record, Version, Row]]


def _calls(records: Sequence[Record]) -> Iterator[_Call]:
    call: _Call = []
    chars = 0
    for record in records:
        for version in record.versions:
            for fragment in version.fragments:
                if call and chars + len(fragment["html"]) > CALL_CHARS:
                    yield call
                    call, chars = [], 0
                call.append((record, version, fragment))
                chars += len(fragment["html"])
    if call:
        yield call


def _sanitize(pool: ProcessPool, call: _Call) -> Sequence[Text | NexusError]:
    texts = [(fragment["html"], fragment["text"]) for _, _, fragment in call]
    try:
        return pool.run(sanitize_texts, texts)
    except NexusError as error:
        if type(error) is ProcessPoolError:  # the pool is closed: we are being stopped
            raise
        if len(call) == 1:
            return [error]
    # One of them cannot be read: each for itself.
    half = len(call) // 2
    return [*_sanitize(pool, call[:half]), *_sanitize(pool, call[half:])]
