"""Rows of an import become library entries: each outcome, and which of a row's fields the entry then has."""

from datetime import UTC, datetime, timedelta

from nexus.services.imports.states import pause, resume
from nexus.services.imports.steps import apply_step, next_active_import
from nexus.services.library.entry_tags import TagChanges
from nexus.text.imports.records import ImportedFeed, ImportedHighlight, ImportProblem, ImportRecord
from tests.imports.importing import CONTEXT, LINK, SAVED, Importing, item, state
from tests.lifecycle_steps import LONG, LifecycleSteps, article

ENTRY = """
    SELECT created_at, archived_at, starred_at, read_at, own_title, note, archived_decided_at, starred_decided_at
    FROM library_media
"""
TAGS = "SELECT array_agg(tags.name ORDER BY name_key) FROM entry_tags JOIN tags ON tags.id = tag_id WHERE is_set"


def test_added_with_all_that_the_row_says(imports: Importing, steps: LifecycleSteps) -> None:
    row = item(
        title="A story", tags=("Later", "Cooking/Bread"), archived=True, starred=True, read=True, progress=0.25,
        note=" Read it twice. ",
    )  # fmt: skip
    assert imports.imported(row) == ["added"]
    entry = steps.row(ENTRY)
    assert entry == (SAVED, SAVED, SAVED, SAVED, None, "Read it twice.", SAVED, SAVED)
    assert steps.row(TAGS) == (["Cooking/Bread", "Later"],)
    queued = steps.row("SELECT status, priority, title, requested_url, created_at FROM items")
    assert queued == ("queued", 1, "A story", LINK, SAVED)
    assert steps.row("SELECT title, processing_status, owner_user_id FROM media") == ("A story", "pending", None)
    assert steps.row("SELECT fraction, share, version, text_device FROM positions") == (0.25, 0.25, None, "import")
    page = steps.claim_one()
    assert steps.succeed(page, article(LINK, LONG, title="The page's own title")) == "won"
    assert steps.row("SELECT title FROM media") == ("The page's own title",)


def test_same_file_again_changes_nothing(imports: Importing, steps: LifecycleSteps) -> None:
    rows = [
        item(tags=("One",), archived=True, note="Mine", highlights=(ImportedHighlight("Some words"),), progress=0.5),
        item("https://example.org/other", saved_at=None),
    ]
    assert imports.imported(*rows) == ["added", "added"]
    before = state(steps.connection)
    assert imports.imported(*rows) == ["unchanged", "unchanged"]
    assert state(steps.connection) == before


def test_rows_about_the_same_link_are_joined(imports: Importing, steps: LifecycleSteps) -> None:
    """The link is twice in one file, in one batch or in several, and written differently."""
    rows = [
        item(tags=("One",), note="First."),
        item("HTTPS://EXAMPLE.org:443/story#top", tags=("Two",), starred=True, saved_at=SAVED - timedelta(days=9)),
        item(tags=("one", "Two")),
        item(note="Second.", archived=True),
    ]
    for limit in (1, 2, 500):
        mine = Importing(imports.database, steps.user())
        assert mine.outcomes(mine.run(rows, limit=limit)) == ["added", "merged", "unchanged", "merged"]
        entry = steps.row(f"{ENTRY} WHERE library_id = :p0", mine.user.default_library_id)
        assert (entry[0], entry[5]) == (SAVED - timedelta(days=9), "First.\n\nSecond.")
        assert entry[1] is not None
        assert entry[2] is not None
    assert steps.row("SELECT count(*) FROM items") == (3,)


def test_newer_export_adds_what_is_new_and_leaves_what_the_user_changed(
    imports: Importing, steps: LifecycleSteps
) -> None:
    assert imports.imported(item(tags=("Old",), archived=True, starred=True, note="From the export.")) == ["added"]
    media_id = steps.row("SELECT media_id FROM library_media")[0]
    imports.change(media_id, TagChanges(remove=["Old"]), archived=False, starred=False, note="My own.")
    newer = item(tags=("Old", "New"), archived=True, starred=True, note="From the export.", progress=0.5)
    assert imports.imported(newer) == ["merged"]
    entry = steps.row(ENTRY)
    assert (entry[1], entry[2], entry[5]) == (None, None, "My own.")
    assert steps.row(TAGS) == (["New"],)
    assert imports.imported(newer) == ["unchanged"]


def test_joined_with_what_was_saved_by_hand(imports: Importing, steps: LifecycleSteps) -> None:
    """The entry stays in the inbox: the user put it there later than they archived it elsewhere."""
    saved = steps.save(imports.user)
    media_id = steps.media_of(saved)
    imports.change(media_id, TagChanges(add=["Hand"]), note="By hand.")
    assert imports.imported(item(tags=("Import",), archived=True, starred=True, note="By import.")) == ["merged"]
    entry = steps.row(ENTRY)
    assert (entry[0], entry[1], entry[2], entry[5]) == (SAVED, None, SAVED, "By hand.\n\nBy import.")
    assert steps.row(TAGS) == (["Hand", "Import"],)
    assert steps.row("SELECT count(*), max(priority) FROM items") == (1, 0)
    assert imports.imported(item(archived=True, tags=("Import",))) == ["unchanged"]


def test_found_behind_a_merge_and_by_the_pages_own_url(imports: Importing, steps: LifecycleSteps) -> None:
    short = "https://sho.rt/1"
    assert imports.imported(item(short)) == ["added"]
    steps.succeed(steps.claim_one(), article(LINK))
    other = steps.user()
    steps.save(other, LINK)
    assert imports.imported(item(short, tags=("A",)), item(LINK, tags=("B",))) == ["merged", "merged"]
    assert steps.row("SELECT count(*) FROM items WHERE user_id = :p0", imports.user.user_id) == (1,)
    assert steps.row(TAGS) == (["A", "B"],)
    second = "https://sho.rt/2"
    assert imports.imported(item(second)) == ["added"]
    claims = steps.claim(limit=5)
    (mine,) = [claim for claim in claims if claim.user_id == imports.user.user_id]
    assert steps.succeed(mine, article(LINK)) == "merged"
    assert imports.imported(item(second)) == ["unchanged"]


def test_removed_since_is_not_added_again_until_the_import_is_forgotten(
    imports: Importing, steps: LifecycleSteps
) -> None:
    first = imports.run([item()])
    steps.remove(imports.user, imports.rows(first)[0].item_id)
    again = imports.run([item(tags=("New",))])
    (row,) = imports.rows(again)
    assert (row.outcome, row.code) == ("unchanged", "removed_before")
    steps.connection.execute("DELETE FROM imports")
    steps.connection.commit()
    assert imports.imported(item()) == ["added"]


def test_users_have_nothing_to_do_with_each_other(imports: Importing, steps: LifecycleSteps) -> None:
    other = Importing(imports.database, steps.user())
    row = item(tags=("Mine",), highlights=(ImportedHighlight("Words"),), title="T")
    assert imports.imported(row) == ["added"]
    assert other.imported(row) == ["added"]
    first = other.add([row])
    assert imports.apply(first).rows == 0, "another user's import"
    assert steps.row("SELECT count(DISTINCT library_id), count(*) FROM library_media") == (2, 2)
    assert steps.row("SELECT count(*) FROM tags") == (2,)


def test_refused_rows_say_why(imports: Importing, steps: LifecycleSteps) -> None:
    rows: list[ImportRecord] = [
        item("ftp://example.org/file"),
        item("http://10.0.0.1/"),
        item("http://user:secret@example.org/"),
        item(None, title="Nothing"),
        ImportedFeed("feeds.opml", 3, "https://example.org/feed"),
        ImportProblem("a.csv", 9, "bad_row", "This row has too few columns."),
        item(is_feed_item=True),
    ]
    found = imports.rows(imports.run(rows))
    assert [(row.outcome, row.code) for row in found] == [
        ("failed", "invalid_url"),
        ("failed", "blocked_address"),
        ("failed", "invalid_url"),
        ("failed", "no_link"),
        ("failed", "feed_not_added"),
        ("failed", "bad_row"),
        ("unchanged", "feed_item"),
    ]
    assert all(row.message.endswith((".", "ftp:")) for row in found), [row.message for row in found]
    assert steps.row("SELECT count(*) FROM items") == (0,)
    assert imports.imported(item(is_feed_item=True), include_feed_items=True) == ["added"]


def test_what_cannot_be_held_is_left_out_with_a_sentence(imports: Importing, steps: LifecycleSteps) -> None:
    row = item(tags=("x" * 200, "a//b", "Good"), note="n" * 100_001, highlights=(ImportedHighlight("q" * 60_000),))
    (found,) = imports.rows(imports.run([row]))
    assert (found.outcome, found.code) == ("added", "left_out")
    assert found.message.count("was left out") == 2
    assert steps.row(TAGS) == (["Good"],)
    assert steps.row("SELECT char_length(note) FROM library_media") == (100_000,)
    assert steps.row("SELECT char_length(quote) FROM highlights") == (50_000,)


def test_hostile_values(imports: Importing, steps: LifecycleSteps) -> None:
    row = item(
        title="\x01 Title \n", note=" \n", tags=("\x01", " "), saved_at=datetime(2999, 1, 1, tzinfo=UTC),
        progress=75, highlights=(ImportedHighlight(" "), ImportedHighlight("Words", note=" ", tags=("c\u2028d",))),
    )  # fmt: skip
    old = item("https://example.org/old", saved_at=datetime(1, 1, 1), title="https://example.org/old")  # noqa: DTZ001
    assert imports.imported(row, old) == ["added", "added"]
    assert steps.row("SELECT max(created_at) <= now(), min(created_at) = 'epoch' FROM library_media") == (True, True)
    assert steps.row("SELECT count(*) FROM media WHERE title IS NULL") == (1,), "a link is no title"


def test_too_many_tags_cost_no_row(imports: Importing, steps: LifecycleSteps) -> None:
    rows = [item(f"https://example.org/{n}", tags=tuple(f"t{n}-{m}" for m in range(120))) for n in range(12)]
    found = imports.rows(imports.run(rows))
    assert {row.outcome for row in found} == {"added"}
    assert steps.row("SELECT count(*) FROM tags") == (1000,)
    most = "SELECT max(n) FROM (SELECT count(*) AS n FROM entry_tags GROUP BY media_id) AS of_entry"
    assert steps.row(most) == (100,)
    assert found[-1].code == "left_out"


def test_pages_are_not_fetched_where_the_user_said_so(imports: Importing, steps: LifecycleSteps) -> None:
    (row,) = imports.rows(imports.run([item(title="T")], fetch=False))
    assert (row.outcome, steps.state(row.item_id)) == ("added", ("needs_user_text", "failed"))
    assert steps.claim() == []
    steps.retry(imports.user, row.media_id)
    assert len(steps.claim()) == 1


def test_entries_without_times_are_in_the_order_of_the_file(imports: Importing, steps: LifecycleSteps) -> None:
    rows = [item(f"https://example.org/{n}", saved_at=None) for n in range(3)]
    imports.run(rows, limit=2)
    listed = steps.connection.execute(
        "SELECT requested_url FROM library_media AS entry JOIN media ON id = media_id ORDER BY entry.created_at DESC"
    ).fetchall()
    assert [url for (url,) in listed] == [row.url for row in rows]
    assert [steps.claim_one().url for _ in rows] == [row.url for row in rows]


def test_import_that_was_paused_after_it_was_chosen_is_left_alone(imports: Importing, steps: LifecycleSteps) -> None:
    """A worker chooses an import in one transaction and applies its rows in the next."""
    import_id = imports.add([item()])
    with imports.database.transaction() as session:
        assert next_active_import(session) is not None
        pause(session, imports.user, import_id)
    with imports.database.transaction() as session:
        assert apply_step(session, CONTEXT, import_id, 500, may_notify=True) is None
    assert imports.outcomes(import_id) == [None]
    assert steps.row("SELECT count(*) FROM library_media") == (0,)
    with imports.database.transaction() as session:
        resume(session, imports.user, import_id)
        assert apply_step(session, CONTEXT, import_id, 500, may_notify=True) == 1
    assert imports.outcomes(import_id) == ["added"]
