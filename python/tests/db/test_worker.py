"""Leases: items of a dead worker go back into the queue; a living worker renews and releases only its own."""

from uuid import UUID

from sqlalchemy import text

from nexus.services import lifecycle
from tests.lifecycle_steps import LifecycleSteps


def claimed(steps: LifecycleSteps) -> UUID:
    item_id = steps.save(steps.user())
    assert steps.claim_one().item_id == item_id
    return item_id


def test_lost_items_are_queued_again_with_their_media(steps: LifecycleSteps) -> None:
    expired, stale, alive = (claimed(steps) for _ in range(3))
    steps.expire_lease(expired)
    steps.backdate_claim(stale, minutes=16)
    assert steps.sweep() == 2
    assert steps.state(expired) == ("queued", "pending")
    assert steps.state(stale) == ("queued", "pending")
    assert steps.state(alive) == ("processing", "extracting")


def test_row_that_a_living_worker_is_writing_is_left_alone(steps: LifecycleSteps) -> None:
    steps.expire_lease(claimed(steps))
    steps.connection.execute("SELECT FROM items FOR UPDATE")
    assert steps.sweep() == 0
    steps.connection.rollback()
    assert steps.sweep() == 1


def test_requeued_item_says_why(steps: LifecycleSteps) -> None:
    steps.expire_lease(claimed(steps))
    steps.sweep()
    row = steps.row("SELECT status_detail, attempts, losses, lease_until FROM items")
    assert row == ("The worker that was reading this stopped responding. It is in the queue again.", 0, 1, None)


def test_heartbeat_renews_what_is_ours_and_names_what_is_not(steps: LifecycleSteps) -> None:
    for _ in range(2):
        steps.save(steps.user())
    kept, lost = steps.claim(limit=2)
    steps.expire_lease(lost.item_id)
    steps.sweep()
    with steps.session() as session:
        mine = lifecycle.heartbeat(session, [kept, lost], worker_id=steps.worker_id, lease_seconds=300)
    assert mine == {kept}
    assert steps.row("SELECT lease_until > now() + interval '200 s' FROM items WHERE status = 'processing'") == (True,)


def test_a_worker_that_claims_an_item_again_neither_renews_nor_releases_it_by_its_first_claim(
    steps: LifecycleSteps,
) -> None:
    item_id = steps.save(steps.user())
    first = steps.claim_one()
    steps.expire_lease(item_id)
    steps.sweep()
    second = steps.claim_one()
    steps.expire_lease(item_id)
    with steps.session() as session:
        assert lifecycle.heartbeat(session, [first], worker_id=steps.worker_id, lease_seconds=300) == set()
        assert lifecycle.release(session, [first], worker_id=steps.worker_id) == 0
    assert steps.row("SELECT lease_until < now(), claimed_at FROM items") == (True, second.claimed_at)
    with steps.session() as session:
        assert lifecycle.heartbeat(session, [first, second], worker_id=steps.worker_id, lease_seconds=30) == {second}
        assert lifecycle.release(session, [first, second], worker_id=steps.worker_id) == 1
    assert steps.state(item_id) == ("queued", "pending")


def test_heartbeat_does_not_wait_for_a_row_that_is_being_settled(steps: LifecycleSteps) -> None:
    steps.save(steps.user())
    claim = steps.claim_one()
    steps.connection.execute("SELECT FROM items FOR UPDATE")
    with steps.session() as session:
        session.execute(text("SET LOCAL lock_timeout = '1ms'"))
        mine = lifecycle.heartbeat(session, [claim], worker_id=steps.worker_id, lease_seconds=30)
    assert mine == {claim}
