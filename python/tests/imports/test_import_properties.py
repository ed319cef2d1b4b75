"""For any rows: importing twice is as once, an undone import leaves nothing, two workers apply no row twice."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import Connection

from nexus.db.session import Database
from nexus.services.imports import states
from nexus.services.imports.rows.apply_rows import apply_rows
from nexus.text.imports.records import ImportedHighlight, ImportedItem
from tests.imports.importing import CONTEXT, SAVED, Importing, item, state
from tests.lifecycle_steps import LifecycleSteps

LINKS = [f"https://example.org/{number}" for number in range(3)]
TAGS = ["One", "Two/Three", "two/three", "x" * 101]
NOTES = ["First.", "Second.", "Second. And more."]
QUOTES = ["Some words.", "Some  words.", "Other words."]

highlights = st.builds(
    ImportedHighlight, st.sampled_from(QUOTES), note=st.sampled_from([None, "N"]), tags=st.sampled_from([(), ("One",)])
)
rows = st.builds(
    lambda days, **values: item(saved_at=SAVED - timedelta(days=days) if days is not None else None, **values),
    days=st.none() | st.integers(0, 3),
    url=st.sampled_from(LINKS),
    title=st.sampled_from([None, "A title", "Another"]),
    tags=st.lists(st.sampled_from(TAGS), max_size=2).map(tuple),
    archived=st.none() | st.booleans(),
    starred=st.none() | st.booleans(),
    read=st.none() | st.booleans(),
    progress=st.sampled_from([None, 0.0, 0.3, 1.0]),
    note=st.sampled_from([None, *NOTES]),
    highlights=st.lists(highlights, max_size=2).map(tuple),
)
imports_of_rows = st.lists(rows, min_size=1, max_size=6)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])  # each has a user of its own
@given(exported=imports_of_rows, more=imports_of_rows, limit=st.sampled_from([1, 2, 500]), by_hand=st.booleans())
def test_twice_is_once_and_undone_is_never(
    database: Database,
    connection: Connection,
    exported: list[ImportedItem],
    more: list[ImportedItem],
    limit: int,
    by_hand: bool,
) -> None:
    steps = LifecycleSteps(database, connection)
    imports = Importing(database, steps.user())
    if by_hand:
        steps.save(imports.user, LINKS[0])
    before = state(connection)
    first = imports.run(exported, limit=limit)
    once = state(connection)
    second = imports.run(exported, limit=500)
    assert (set(imports.outcomes(second)), state(connection)) == ({"unchanged"}, once)
    overlapping = imports.run([*exported, *more], limit=limit)
    assert imports.outcomes(overlapping)[: len(exported)] == ["unchanged"] * len(exported)
    imports.undo(overlapping, limit=limit)
    assert state(connection) == once
    imports.undo(first, limit=limit)
    assert state(connection) == before


def test_two_workers_apply_no_row_twice(database: Database, steps: LifecycleSteps) -> None:
    imports = Importing(database, steps.user())
    import_id = imports.add([item(f"https://example.org/{number}") for number in range(5)])
    with database.transaction() as session:
        assert apply_rows(session, imports.user, CONTEXT, import_id, 2).rows == 2
        assert imports.apply(import_id, 5).rows == 0, "the first is at it"
    assert imports.apply(import_id, 5).rows == 3
    assert steps.row("SELECT count(*), count(DISTINCT requested_url) FROM items") == (5, 5)


def test_what_was_not_committed_was_not_done(database: Database, steps: LifecycleSteps) -> None:
    """Fails as a killed worker does: rows and their effects are one transaction."""
    imports = Importing(database, steps.user())
    import_id = imports.add([item(highlights=(ImportedHighlight("Words"),), tags=("A",))])
    before = state(steps.connection)

    def die() -> Any:
        with database.transaction() as session:
            apply_rows(session, imports.user, CONTEXT, import_id, 5)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        die()
    assert state(steps.connection) == before
    assert imports.apply(import_id).outcomes == {"added": 1}


def test_not_while_it_is_paused(database: Database, steps: LifecycleSteps) -> None:
    imports = Importing(database, steps.user())
    import_id = imports.add([item()])
    with database.transaction() as session:
        states.pause(session, imports.user, import_id)
    assert imports.apply(import_id).rows == 0
