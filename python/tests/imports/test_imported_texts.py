"""The imported text is used where the page cannot be read; highlights are anchored in the text that is read."""

from collections.abc import Iterator
from typing import Any

import pytest

from nexus.db.session import Database
from nexus.services.media import get_media, list_versions
from nexus.services.receipts import get_receipt
from nexus.text.imports.records import ImportedHighlight
from nexus.text.process_pool import ProcessPool
from nexus.worker.highlight_carrier import HighlightCarrier
from nexus.worker.imported_text_reader import ImportedTextReader
from tests.imports.importing import LINK, SAVED, Importing, item
from tests.lifecycle_steps import LONG, LifecycleSteps, article
from tests.processes import WAIT_SECONDS

WORDS = "The keeper counted the ships that passed, and wrote each of them down in a ledger. "
HTML = f"<h1>Ledger</h1><p>{WORDS * 20}</p><script>alert(1)</script><img src='/a.png'>"
MARKED = (ImportedHighlight("the ships that passed", note="N", color="blue", tags=("Sea",), created_at=SAVED),)


@pytest.fixture(scope="module")
def texts() -> Iterator[ProcessPool]:
    with ProcessPool(workers=1, clock_seconds=WAIT_SECONDS) as pool:
        yield pool


@pytest.fixture
def reader(database: Database, texts: ProcessPool) -> ImportedTextReader:
    return ImportedTextReader(database, texts)


def carry(database: Database) -> None:
    carrier = HighlightCarrier(database)
    while carrier.step():
        pass


def highlight(steps: LifecycleSteps) -> Any:
    return steps.row("SELECT state, quote, note, color, created_at, version, start_offset FROM highlights")


def test_used_when_the_page_is_gone(imports: Importing, steps: LifecycleSteps, reader: ImportedTextReader) -> None:
    row = item(html=HTML, title="Ledger", author="Ann", tags=("Sea",), progress=0.5, highlights=MARKED)
    (added,) = imports.rows(imports.run([row]))
    assert reader.step() is False, "the page may still be read"
    steps.fail(steps.claim_one())
    reader.step()
    assert steps.state(added.item_id) == ("succeeded", "ready_for_reading")
    with imports.database.transaction() as session:
        receipt = get_receipt(session, imports.user, added.item_id)
        assert receipt.status_detail == "The text that came with the import was used."
        media = get_media(session, imports.user, added.media_id)
        owner = steps.row("SELECT owner_user_id, requested_url FROM media WHERE id = :p0", media.id)
        assert (*owner, media.canonical_url) == (imports.user.user_id, LINK, None)
        assert (media.title, media.byline) == ("Ledger", "Ann")
        assert [version.origin for version in list_versions(session, imports.user, media.id)[1]] == ["imported"]
    html = steps.row("SELECT html_sanitized FROM fragments")[0]
    assert "script" not in html
    assert "/media/image?url=https%3A%2F%2Fexample.org%2Fa.png" in html
    carry(imports.database)
    assert highlight(steps)[:6] == ("attached", "the ships that passed", "N", "blue", SAVED, 1)
    assert steps.row("SELECT name FROM highlight_tags JOIN tags ON tags.id = tag_id") == ("Sea",)
    assert steps.row("SELECT fraction FROM positions WHERE media_id = :p0", media.id) == (0.5,)
    assert steps.row("SELECT content, content_due, media_id FROM import_rows") == (None, False, media.id)


def test_dropped_when_the_page_is_read(imports: Importing, steps: LifecycleSteps, reader: ImportedTextReader) -> None:
    imports.run([item(html=HTML, highlights=MARKED)])
    assert steps.row("SELECT content IS NOT NULL FROM import_rows") == (True,)
    assert highlight(steps)[:2] == ("orphaned", "the ships that passed")
    steps.succeed(steps.claim_one(), article(LINK, LONG + WORDS))
    assert steps.row("SELECT content, content_due FROM import_rows") == (None, False)
    assert reader.step() is False
    carry(imports.database)
    assert highlight(steps)[0] == "attached"


def test_words_that_the_page_does_not_have_keep_their_quote(imports: Importing, steps: LifecycleSteps) -> None:
    imports.run([item(highlights=MARKED)])
    steps.succeed(steps.claim_one(), article(LINK, LONG))
    carry(imports.database)
    assert highlight(steps)[:3] == ("orphaned", "the ships that passed", "N")
    twice = item(highlights=(*MARKED, ImportedHighlight("worth  keeping. Words")))
    assert imports.imported(twice) == ["merged"]
    carry(imports.database)
    assert steps.row("SELECT count(*), count(*) FILTER (WHERE state = 'attached') FROM highlights") == (2, 1)
    assert imports.imported(twice) == ["unchanged"]


def test_used_at_once_where_nothing_is_fetched(
    imports: Importing, steps: LifecycleSteps, reader: ImportedTextReader
) -> None:
    rows = imports.rows(
        imports.run([item(text="# Plain\n\n" + WORDS), item(None, title="Letter", html=HTML)], fetch=False)
    )
    reader.step()
    assert [steps.state(row.item_id) for row in rows] == [("succeeded", "ready_for_reading")] * 2
    kinds = steps.connection.execute("SELECT kind, title, owner_user_id FROM media ORDER BY kind").fetchall()
    assert kinds == [("pasted_text", "Letter", imports.user.user_id), ("web_article", None, imports.user.user_id)]
    content = "SELECT canonical_text FROM item_content WHERE item_id = :p0"
    assert "ledger" in steps.row(content, rows[1].item_id)[0], "as the items API shows it"


def test_texts_without_a_link_are_each_their_own(
    imports: Importing, steps: LifecycleSteps, reader: ImportedTextReader
) -> None:
    letters = [item(None, title="Letter", text=f"Dear {name}, I am well.") for name in ("Ann", "Bob", "Ann")]
    assert imports.imported(*letters) == ["added", "added", "unchanged"]
    reader.step()
    assert steps.row("SELECT count(*) FROM media WHERE kind = 'pasted_text' AND current_version = 1") == (2,)
    assert imports.imported(*letters) == ["unchanged"] * 3
    assert steps.claim() == [], "there is nothing to fetch"


def test_highlights_without_a_link(imports: Importing, steps: LifecycleSteps, reader: ImportedTextReader) -> None:
    """They belong to the text with that title and author; where there is none, a new one is made of them."""
    saved = steps.save(imports.user)
    steps.succeed(steps.claim_one(), article(words=LONG + WORDS, title="The Ledger", byline="Ann Keeper"))
    there = item(None, title="The ledger", author="Keeper", highlights=MARKED)
    other = item(None, title="The Ledger", author="Zoe", highlights=(ImportedHighlight("Another book entirely."),))
    rows = imports.rows(imports.run([there, other]))
    assert [row.outcome for row in rows] == ["merged", "added"]
    assert rows[0].media_id == steps.media_of(saved)
    reader.step()
    carry(imports.database)
    assert steps.row("SELECT count(*) FROM highlights WHERE state = 'attached'") == (2,)
    made = steps.row(
        "SELECT canonical_text, title FROM fragments JOIN media ON media.id = media_id WHERE kind = 'pasted_text'"
    )
    assert ("Another book entirely." in made[0], made[1]) == (True, "The Ledger")
    assert imports.imported(there, other) == ["unchanged"] * 2


def test_content_fills_what_failed_before(
    imports: Importing, steps: LifecycleSteps, reader: ImportedTextReader
) -> None:
    saved = steps.save(imports.user)
    steps.fail(steps.claim_one())
    assert imports.imported(item(html=HTML)) == ["merged"]
    reader.step()
    assert steps.state(saved) == ("succeeded", "ready_for_reading")


def test_unreadable_content_stays_with_its_row(
    imports: Importing, steps: LifecycleSteps, reader: ImportedTextReader
) -> None:
    (row,) = imports.rows(imports.run([item(html="<script>nothing</script>")]))
    steps.fail(steps.claim_one())
    reader.step()
    assert reader.step() is False
    assert steps.state(row.item_id) == ("needs_user_text", "failed")
    assert "could not be read" in steps.row("SELECT status_detail FROM items")[0]
    assert steps.row("SELECT content, content_due FROM import_rows") == ("<script>nothing</script>", False)
    steps.retry(imports.user, row.media_id)
    steps.fail(steps.claim_one())
    assert steps.row("SELECT content_due FROM import_rows") == (True,), "it is tried again"


def test_a_paste_or_a_removal_comes_first(
    imports: Importing, steps: LifecycleSteps, reader: ImportedTextReader
) -> None:
    rows = imports.rows(imports.run([item(html=HTML), item("https://example.org/2", html=HTML)]))
    for claim in steps.claim(limit=2):
        steps.fail(claim)
    steps.paste(imports.user, rows[0].item_id)
    steps.remove(imports.user, rows[1].item_id)
    assert reader.step() is False
    assert steps.text_of(rows[0].item_id).strip() == LONG.strip()
    assert steps.row("SELECT content FROM import_rows WHERE number = 0") == (None,)
