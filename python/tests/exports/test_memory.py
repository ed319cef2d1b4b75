"""A large library is exported page by page: its size costs little memory."""

import tracemalloc

from tests.api.saving import ALICE, library_of
from tests.exports.exporting import Exports
from tests.lifecycle_steps import LifecycleSteps

ENTRIES = 1000
# What is kept of each entry: its name, and its place in the ZIP. bench.exports measures 20 000 with texts: 41 MB.
BYTES_PER_ENTRY = 3000
BYTES_AT_ANY_SIZE = 6_000_000
FILL = """
    WITH new_media AS (
        INSERT INTO media (kind, title) SELECT 'web_article', 'Title ' || n FROM generate_series(1, %(entries)s) AS n
        RETURNING id
    ), entries AS (
        INSERT INTO library_media (library_id, media_id, note)
        SELECT %(library)s, id, repeat('note ', 3000) FROM new_media
    )
    INSERT INTO items (user_id, media_id, status, source_type, requested_url)
    SELECT %(user)s, id, 'queued', 'url', 'https://example.org/' || id FROM new_media
"""


def test_memory_does_not_grow_with_what_entries_hold(exports: Exports, steps: LifecycleSteps) -> None:
    """The entries have fifteen megabytes of notes."""
    library = library_of(exports.http, ALICE)
    steps.connection.execute(FILL, {"entries": ENTRIES, "library": library, "user": ALICE})
    steps.connection.commit()
    made = exports.ask("markdown")
    tracemalloc.start()
    try:
        exports.work()
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    found = exports.get(made)
    assert (found["status"], found["done"], found["total"]) == ("finished", ENTRIES, ENTRIES)
    assert most < BYTES_AT_ANY_SIZE + ENTRIES * BYTES_PER_ENTRY
