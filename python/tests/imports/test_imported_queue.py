"""What people save themselves goes before what imports added, in the queue of a user and of all users."""

from nexus.services.lifecycle import Claim, Shares, are_items_due, claim
from nexus.services.outbox import MAX_IMPORTED, take_messages
from nexus.services.receipts import get_receipt
from tests.imports.importing import Importing, item
from tests.lifecycle_steps import LifecycleSteps


def links(count: int, host: str = "example.org") -> list[str]:
    return [f"https://{host}/{number}" for number in range(count)]


def take(steps: LifecycleSteps, limit: int, **shares: int) -> list[Claim]:
    with steps.database.transaction() as session:
        return claim(session, worker_id=steps.worker_id, limit=limit, lease_seconds=30, shares=Shares(**shares))


def test_saved_by_hand_first_of_all_users(imports: Importing, steps: LifecycleSteps) -> None:
    imports.run([item(url) for url in links(30)])
    other = steps.user()
    mine, theirs = steps.save(imports.user, "https://example.com/mine"), steps.save(other, "https://example.com/theirs")
    first = take(steps, 3)
    assert {each.item_id for each in first if each.priority == 0} == {mine, theirs}
    assert len(first) == 3


def test_imports_never_hold_all_slots_and_use_up_nobodys_share(imports: Importing, steps: LifecycleSteps) -> None:
    imports.run([item(url) for url in links(30)])
    Importing(imports.database, steps.user()).run([item(url) for url in links(30, "example.net")])
    assert len(take(steps, 8, imported=4, user=3)) == 4, "of both users together"
    assert take(steps, 4, imported=4, user=3) == []
    saved = [steps.save(imports.user, url) for url in links(5, "example.com")]
    assert {each.item_id for each in take(steps, 4, imported=4, user=3)} == set(saved[:3]), "their own share is free"


def test_one_import_leaves_room_for_another_users(imports: Importing, steps: LifecycleSteps) -> None:
    imports.run([item(url) for url in links(30)])
    other = Importing(imports.database, steps.user())
    other.run([item(url) for url in links(2, "example.net")])
    users = [each.user_id for each in take(steps, 4, imported=4)]
    assert users.count(other.user.user_id) == 2


def test_retried_by_hand_is_no_longer_behind(imports: Importing, steps: LifecycleSteps) -> None:
    imports.run([item(url) for url in links(3)])
    failed = steps.claim_one()
    steps.fail(failed)
    steps.retry(imports.user, failed.media_id)
    assert steps.claim_one().item_id == failed.item_id
    assert steps.row("SELECT priority FROM items WHERE id = :p0", failed.item_id) == (0,)


def test_place_in_the_queue(imports: Importing, steps: LifecycleSteps) -> None:
    imports.run([item(url) for url in links(3)])
    saved = steps.save(imports.user, "https://example.com/")
    last = steps.row("SELECT id FROM items WHERE priority = 1 ORDER BY due_at DESC LIMIT 1")[0]
    with imports.database.transaction() as session:
        assert [get_receipt(session, imports.user, each).queue_position for each in (saved, last)] == [1, 4]
        assert are_items_due(session)


def test_few_imported_items_wait_in_a_broker(imports: Importing, steps: LifecycleSteps) -> None:
    imports.run([item(url) for url in links(MAX_IMPORTED + 10)])
    saved = steps.save(imports.user, "https://example.com/")
    with imports.database.transaction() as session:
        sent = take_messages(session, limit=100, again_seconds=30)
        assert (sent[0].item_id, len(sent)) == (saved, MAX_IMPORTED + 1)
        assert take_messages(session, limit=100, again_seconds=30) == []
