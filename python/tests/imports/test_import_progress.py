"""Rates and times left, from what workers note in the import's row."""

from nexus.db.models import Import
from nexus.services.imports.progress import FETCH_STATES, Rate, note_sample, rate_of

NOTHING = dict.fromkeys(FETCH_STATES, 0)


def import_of(**values: object) -> Import:
    base = {"status": "running", "total": 1000, "added": 0, "merged": 0, "unchanged": 0, "failed": 0, "samples": []}
    return Import(**(base | values))


def test_the_rate_is_that_of_the_last_minute() -> None:
    found = import_of()
    for second in range(201):
        found.added = second if second < 100 else 100 + 4 * (second - 100)
        note_sample(found, found.added, now=float(second))
    assert len(found.samples) <= 14, "they grow for ever"
    assert rate_of(found, NOTHING, now=200.0) == Rate(4.0, (1000 - found.added) // 4)


def test_nothing_is_said_where_nothing_is_known() -> None:
    found = import_of()
    assert rate_of(found, NOTHING, now=10.0) == Rate(None, None)
    note_sample(found, 0, now=10.0)
    assert rate_of(found, NOTHING, now=10.0) == Rate(0.0, None)
    assert rate_of(found, NOTHING, now=500.0) == Rate(None, None), "its worker has stopped"
    for status in ("previewed", "paused", "undoing", "undone", "finished"):
        found.status = status
        assert rate_of(found, NOTHING, now=10.0) == Rate(None, None)


def test_afterwards_it_is_that_of_the_pages() -> None:
    found = import_of(status="finished", added=1000)
    for second in range(0, 61, 5):
        note_sample(found, 2 * second, now=float(second))
    fetching = NOTHING | {"queued": 500, "processing": 10, "succeeded": 100, "failed": 20}
    assert rate_of(found, fetching, now=60.0) == Rate(2.0, 255)
