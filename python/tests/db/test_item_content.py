"""What the database derives from an item: the API's ``content``, never stored twice, and when it was changed."""

from typing import Any
from uuid import UUID

from psycopg import Connection

from tests import factories as make


def content(db: Connection, item: UUID) -> tuple[Any, ...]:
    row = db.execute(
        "SELECT user_pasted_text, extracted_text, canonical_text FROM item_content WHERE item_id = %s", [item]
    ).fetchone()
    assert row is not None
    return row


def test_queued_item_with_waiting_paste(connection: Connection) -> None:
    item = make.item(connection)
    make.insert(connection, "item_pastes", item_id=item, user_pasted_text="mine")
    assert content(connection, item) == ("mine", None, None)


def test_extracted_text_joins_fragments_in_order(connection: Connection) -> None:
    media = make.ready_media(connection, text="first")
    make.fragment(connection, media, idx=1, canonical_text="second")
    item = make.item(connection, media_id=media, status="succeeded", final_text_source="extracted_from_url")
    assert content(connection, item) == (None, "first\nsecond", "first\nsecond")


def test_short_page_has_extracted_but_no_canonical_text(connection: Connection) -> None:
    item = make.item(connection, media_id=make.ready_media(connection, text="short"), status="needs_user_text")
    assert content(connection, item) == (None, "short", None)


def test_paste_is_kept_word_for_word(connection: Connection) -> None:
    owner = make.user(connection)
    item = make.item(
        connection,
        user_id=owner,
        media_id=make.paste(connection, owner),
        status="succeeded",
        source_type="pasted_text",
        final_text_source="user_pasted_text",
    )
    make.insert(connection, "item_pastes", item_id=item, user_pasted_text=" as  typed ")
    assert content(connection, item) == (" as  typed ", None, " as  typed ")


def test_updated_at_moves_whoever_writes(connection: Connection) -> None:
    saved = make.item(connection)
    connection.commit()
    connection.execute("UPDATE items SET title = 'New' WHERE id = %s", [saved])
    assert connection.execute("SELECT updated_at > created_at FROM items").fetchone() == (True,)
