"""A real worker is killed while it carries highlights over to another version: the next one goes on, none is lost."""

from tests.lifecycle_steps import LifecycleSteps, article
from tests.processes import Nexus, eventually

SETTINGS = {"NEXUS_ENV": "test", "WORKER_POLL_SECONDS": "0.3"}
URL = "https://example.org/long"
HIGHLIGHTS = 250  # three batches
WORDS = [f"Sentence number {number} says something of its own." for number in range(HIGHLIGHTS)]
MARK = """
    INSERT INTO highlights (library_id, media_id, version, carried_version, start_fragment, start_offset, end_fragment,
                            end_offset, quote, prefix, suffix, color, state)
    SELECT library_id, media_id, 1, 1, 0, at, 0, at + char_length(sentence), sentence, '', '', 'yellow', 'attached'
    FROM library_media, unnest(%s::text[], %s::integer[]) AS given(sentence, at)
"""
WAITS = """
    SELECT count(*) FROM pg_stat_activity
    WHERE wait_event_type = 'Lock' AND datname = current_database() AND query LIKE '%FROM highlights%'
"""


def versions(steps: LifecycleSteps) -> dict[int, int]:
    """How many highlights are attached to which version."""
    count = "SELECT version, count(*) FROM highlights WHERE state = 'attached' GROUP BY version"
    with steps.session() as session:
        return {row[0]: row[1] for row in session.connection().exec_driver_sql(count)}


def test_the_next_worker_goes_on(nexus_on_copy: Nexus, steps: LifecycleSteps) -> None:
    text = " ".join(WORDS)
    steps.save(steps.user(), url=URL)
    steps.succeed(steps.claim_one(), article(URL, text))
    steps.connection.execute(MARK, [WORDS, [text.index(sentence) for sentence in WORDS]])
    steps.connection.commit()
    steps.save(steps.user(), url=URL)
    assert steps.succeed(steps.claim_one(), article(URL, f"A new beginning. {text}")) == "new_version"
    # One of the last batch is held, so that the worker cannot be done before it is killed.
    steps.connection.execute("SELECT FROM highlights ORDER BY library_id DESC, id DESC LIMIT 1 FOR UPDATE")
    killed = nexus_on_copy.start("worker", **SETTINGS)
    eventually(lambda: steps.row(WAITS) == (1,), "the worker carries nothing over")
    killed.kill()
    killed.wait()
    steps.connection.rollback()
    assert versions(steps) == {1: 50, 2: 200}, "whole batches, and the rest as it was"
    nexus_on_copy.start("worker", **SETTINGS)
    eventually(lambda: versions(steps) == {2: HIGHLIGHTS}, "the rest was lost with its worker")
    eventually(lambda: steps.row("SELECT count(*) FROM highlights_waiting") == (0,), "it is never done")
