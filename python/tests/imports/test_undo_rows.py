"""Undoing an import removes what it added, keeps what the user changed since, and restores merged entries."""

from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

import pytest

from nexus.services import lifecycle
from nexus.services.highlights.changes import delete_highlight
from nexus.services.imports.rows.retry_rows import retry_failed_rows
from nexus.services.library.entry_tags import TagChanges
from nexus.services.library.positions import TextPosition, put_position
from nexus.text.imports.records import ImportedFeed, ImportedHighlight
from tests.imports.importing import LINK, SAVED, Importing, item, state
from tests.lifecycle_steps import LONG, LifecycleSteps, article

Touch = Callable[[Importing, UUID], None]
MARKED = (ImportedHighlight("worth keeping", tags=("Sea",)),)


def test_removes_what_it_added_and_leaves_what_was_there(imports: Importing, steps: LifecycleSteps) -> None:
    steps.save(imports.user, "https://example.org/mine")
    other = Importing(imports.database, steps.user())
    other.run([item(tags=("Theirs",))])
    before = state(steps.connection)
    rows = [
        item(tags=("A", "B"), archived=True, note="N", progress=0.4, highlights=MARKED, title="T"),
        item("https://example.org/mine", tags=("A",), starred=True, read=True, note="M", progress=0.1, title="Mine"),
        item(tags=("C",), progress=0.9, saved_at=SAVED - timedelta(days=3), note="Second", starred=True),
        item("ftp://nowhere"),
    ]
    for limit in (500, 1):
        done = imports.run(rows, limit=limit)
        assert state(steps.connection) != before
        imports.undo(done, limit=limit)
        assert state(steps.connection) == before
        assert [row.code for row in imports.rows(done)] == ["undone", "undone", "undone", "invalid_url"]
    assert imports.imported(*rows) == ["added", "merged", "merged", "failed"], "as if it had never been"


def test_pages_that_were_read_meanwhile_go_too(imports: Importing, steps: LifecycleSteps) -> None:
    done = imports.run([item(), item("https://example.org/2"), item("https://example.org/3", text="Words " * 9)])
    claims = steps.claim(limit=3)
    steps.succeed(claims[0], article(LINK))
    other = steps.save(steps.user(), LINK)
    steps.succeed(next(each for each in steps.claim(limit=2) if each.item_id == other), article(LINK))
    imports.undo(done)
    assert steps.row("SELECT count(*) FROM items WHERE user_id = :p0", imports.user.user_id) == (0,)
    assert steps.row("SELECT count(*) FROM library_media") == (1,), "others keep the page"
    assert steps.succeed(claims[1], article("https://example.org/2")) == "lost_lease"


def touch_tag(imports: Importing, media_id: UUID) -> None:
    imports.change(media_id, TagChanges(add=["Own"]))


def touch_removed_tag(imports: Importing, media_id: UUID) -> None:
    imports.change(media_id, TagChanges(remove=["A"]))


def touch_state(imports: Importing, media_id: UUID) -> None:
    imports.change(media_id, starred=True)


def touch_title(imports: Importing, media_id: UUID) -> None:
    imports.change(media_id, title="My own")


def touch_read(imports: Importing, media_id: UUID) -> None:
    imports.change(media_id, read=True)


def touch_position(imports: Importing, media_id: UUID) -> None:
    with imports.database.transaction() as session:
        position = TextPosition(0, 3, 0.1)
        put_position(session, imports.user, media_id, position=position, audio_ms=None, client_time=None, device=None)


def touch_highlight(imports: Importing, media_id: UUID) -> None:
    with imports.database.transaction() as session:
        (made,) = session.connection().exec_driver_sql("SELECT id FROM highlights").one()
        delete_highlight(session, imports.user, made)


@pytest.mark.parametrize(
    "touch",
    [touch_tag, touch_removed_tag, touch_state, touch_title, touch_read, touch_position, touch_highlight],
    ids=lambda touch: touch.__name__,
)
def test_what_the_user_touched_since_stays(imports: Importing, steps: LifecycleSteps, touch: Touch) -> None:
    done = imports.run([item(tags=("A",), highlights=MARKED), item("https://example.org/2")])
    for claim in steps.claim(limit=2):
        steps.succeed(claim, article(claim.url, LONG))
    (media_id,) = steps.row("SELECT media_id FROM import_rows WHERE number = 0")
    touch(imports, media_id)
    imports.undo(done)
    assert [row.code for row in imports.rows(done)] == ["kept", "undone"]
    assert steps.row("SELECT media_id FROM library_media") == (media_id,)


def test_saved_again_by_hand_stays(imports: Importing, steps: LifecycleSteps) -> None:
    done = imports.run([item(), item("https://example.org/2")])
    for claim in steps.claim(limit=2):
        steps.fail(claim)
    steps.save(imports.user, LINK)
    steps.paste(imports.user, imports.rows(done)[1].item_id)
    imports.undo(done)
    assert [row.code for row in imports.rows(done)] == ["kept", "kept"]


def test_of_what_was_joined_each_part_that_changed_since_stays(imports: Importing, steps: LifecycleSteps) -> None:
    saved = steps.save(imports.user)
    media_id = steps.media_of(saved)
    done = imports.run([item(tags=("A", "B"), starred=True, note="From the import")])
    imports.change(media_id, TagChanges(remove=["A"]), note="Changed by hand")
    imports.undo(done)
    assert steps.row("SELECT starred_at, note FROM library_media") == (None, "Changed by hand")
    assert steps.row("SELECT count(*) FROM entry_tags WHERE is_set") == (0,)
    assert steps.row("SELECT array_agg(name) FROM tags") == (["A"],), "which remembers that it was taken away"


def test_can_be_imported_again_afterwards_and_by_nobody_else(imports: Importing, steps: LifecycleSteps) -> None:
    done = imports.run([item(tags=("A",))])
    again = imports.run([item(tags=("A",))])
    assert imports.outcomes(again) == ["unchanged"]
    other = Importing(imports.database, steps.user())
    imports.begin_undo(done)
    assert other.undo_batch(done, 10).rows == 0
    assert imports.undo_batch(done, 10).rows == 1
    assert imports.imported(item(tags=("A",))) == ["added"]
    assert steps.row("SELECT count(*) FROM entry_tags") == (1,)


def test_failed_rows_and_pages_are_tried_again(imports: Importing, steps: LifecycleSteps) -> None:
    done = imports.run([item("http://10.0.0.1/"), ImportedFeed("f", 1, "https://example.org/feed"), item()])
    steps.fail(steps.claim_one())
    other = steps.user()
    with imports.database.transaction() as session:
        assert retry_failed_rows(session, other, done) == 0
        assert lifecycle.retry_imported(session, other, done, 10) == 0
        assert retry_failed_rows(session, imports.user, done) == 1
        assert lifecycle.retry_imported(session, imports.user, done, 10) == 1
    assert imports.outcomes(done) == [None, "failed", "added"]
    assert steps.claim_one().priority == 1
