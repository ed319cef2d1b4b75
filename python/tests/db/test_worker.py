"""What a dead worker held goes back into the queue; what a living one holds does not."""

from psycopg import Connection

from tests import factories as make
from tests.lifecycle_steps import LifecycleSteps


def test_lost_items_are_queued_again_with_their_media(connection: Connection, steps: LifecycleSteps) -> None:
    expired = make.claimed_item(connection, lease="-1 s")
    stale = make.claimed_item(connection, lease="1 hour", claimed="16 minutes")
    alive = make.claimed_item(connection, lease="10 s")
    connection.commit()
    assert steps.sweep() == 2
    assert steps.state(expired) == ("queued", "pending")
    assert steps.state(stale) == ("queued", "pending")
    assert steps.state(alive) == ("processing", "extracting")


def test_row_that_a_living_worker_is_writing_is_left_alone(connection: Connection, steps: LifecycleSteps) -> None:
    make.claimed_item(connection, lease="-1 s")
    connection.commit()
    connection.execute("SELECT FROM items FOR UPDATE")
    assert steps.sweep() == 0
    connection.rollback()
    assert steps.sweep() == 1


def test_handed_back_item_says_why(connection: Connection, steps: LifecycleSteps) -> None:
    make.claimed_item(connection, lease="-1 s")
    connection.commit()
    steps.sweep()
    row = steps.row("SELECT status_detail, attempts, losses, lease_until FROM items")
    assert row == ("The worker that had this was lost; it is back in the queue.", 0, 1, None)
