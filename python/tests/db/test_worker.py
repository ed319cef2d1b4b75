"""What a dead worker held goes back into the queue; what a living one holds does not."""

from psycopg import Connection

from nexus.config import load_settings
from nexus.db.session import Database
from nexus.worker import Worker
from tests import factories as make


def states(db: Connection) -> dict[object, tuple[str, str]]:
    rows = db.execute(
        "SELECT items.id, items.status, media.processing_status FROM items JOIN media ON media.id = media_id"
    ).fetchall()
    return {item: (status, media_status) for item, status, media_status in rows}


def test_lost_items_are_queued_again_with_their_media(connection: Connection, database: Database) -> None:
    expired = make.claimed_item(connection, lease="-1 s")
    stale = make.claimed_item(connection, lease="1 hour", claimed="16 minutes")
    alive = make.claimed_item(connection, lease="10 s")
    connection.commit()
    assert Worker(load_settings(), database).run_once() == 2
    assert states(connection) == {
        expired: ("queued", "pending"),
        stale: ("queued", "pending"),
        alive: ("processing", "extracting"),
    }


def test_row_that_a_living_worker_is_writing_is_left_alone(connection: Connection, database: Database) -> None:
    make.claimed_item(connection, lease="-1 s")
    connection.commit()
    connection.execute("SELECT FROM items FOR UPDATE")
    assert Worker(load_settings(), database).run_once() == 0
    connection.rollback()
    assert Worker(load_settings(), database).run_once() == 1


def test_handed_back_item_says_why(connection: Connection, database: Database) -> None:
    make.claimed_item(connection, lease="-1 s")
    connection.commit()
    Worker(load_settings(), database).run_once()
    row = connection.execute("SELECT status_detail, attempts, due_at <= now(), lease_until FROM items").fetchone()
    assert row == ("The worker that had this was lost; it is back in the queue.", 1, True, None)
