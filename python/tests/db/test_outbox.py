"""Messages for a broker: each item once, in turns, and again when no worker claimed it."""

import pytest

from nexus.services import outbox
from nexus.services.outbox import Message, mark_unpublished, take_messages
from tests.lifecycle_steps import LifecycleSteps


def take(steps: LifecycleSteps, limit: int = 10, again_seconds: float = 30) -> list[Message]:
    with steps.database.transaction() as session:
        return take_messages(session, limit=limit, again_seconds=again_seconds)


def test_many_links_of_one_user_delay_no_other(steps: LifecycleSteps) -> None:
    collector, reader = steps.user(), steps.user()
    many = [steps.save(collector) for _ in range(5)]
    one = steps.save(reader)
    assert [message.item_id for message in take(steps, limit=3)] == [many[0], one, many[1]]
    assert [message.item_id for message in take(steps)] == many[2:]
    assert take(steps) == []


def test_what_was_not_sent_is_taken_again(steps: LifecycleSteps) -> None:
    steps.save(steps.user())
    taken = take(steps)
    with steps.database.transaction() as session:
        mark_unpublished(session, taken)
    assert take(steps) == taken


def test_what_was_not_claimed_is_sent_again_and_what_is_claimed_is_not(steps: LifecycleSteps) -> None:
    user = steps.user()
    steps.save(user)
    (told,) = take(steps)
    assert take(steps) == []
    steps.connection.execute("UPDATE items SET due_at = published_at")  # else it waits as long as it had waited
    steps.connection.commit()
    assert take(steps, again_seconds=0) == [told]
    steps.claim_one()
    assert take(steps, again_seconds=0) == []


def test_few_are_out_at_a_time(steps: LifecycleSteps, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "MAX_OUTSTANDING", 2)
    user = steps.user()
    items = [steps.save(user) for _ in range(3)]
    assert len(take(steps)) == 2
    assert take(steps) == []
    assert steps.claim_one().item_id == items[0]
    assert [message.item_id for message in take(steps)] == items[2:]
