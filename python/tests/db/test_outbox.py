"""What a broker is told of: each save once, in turns, and again when nobody came for it."""

import pytest

from nexus.services import outbox
from nexus.services.outbox import Message, put_back, take_messages
from tests.db.lifecycle_steps import World


def take(world: World, limit: int = 10, again_seconds: float = 30) -> list[Message]:
    with world.database.transaction() as session:
        return take_messages(session, limit=limit, again_seconds=again_seconds)


def test_one_persons_many_links_delay_nobody_else(world: World) -> None:
    collector, reader = world.viewer(), world.viewer()
    many = [world.save(collector) for _ in range(5)]
    one = world.save(reader)
    assert [message.item_id for message in take(world, limit=3)] == [many[0], one, many[1]]
    assert [message.item_id for message in take(world)] == many[2:]
    assert take(world) == []


def test_what_was_not_sent_is_taken_again(world: World) -> None:
    world.save(world.viewer())
    taken = take(world)
    with world.database.transaction() as session:
        put_back(session, taken)
    assert take(world) == taken


def test_what_nobody_claimed_is_told_again_and_what_is_claimed_is_not(world: World) -> None:
    viewer = world.viewer()
    world.save(viewer)
    (told,) = take(world)
    assert take(world) == []
    world.connection.execute("UPDATE items SET due_at = published_at")  # else it waits as long as it had waited
    world.connection.commit()
    assert take(world, again_seconds=0) == [told]
    world.claim_one()
    assert take(world, again_seconds=0) == []


def test_few_are_out_at_a_time(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "MOST_OUTSTANDING", 2)
    viewer = world.viewer()
    saved = [world.save(viewer) for _ in range(3)]
    assert len(take(world)) == 2
    assert take(world) == []
    assert world.claim_one().item_id == saved[0]
    assert [message.item_id for message in take(world)] == saved[2:]
