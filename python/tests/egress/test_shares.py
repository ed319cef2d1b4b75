import pytest

from nexus.web.egress.shares import NoSlotError, SharedSlots, half_of, three_quarters_of


def test_slots_are_given_in_order_past_those_that_have_their_share() -> None:
    slots = SharedSlots(2)
    slow = [slots.ask({"slow": 1}) for _ in range(3)]
    other, late = slots.ask({"other": 1}), slots.ask({"late": 1})
    assert [asked.done() for asked in (*slow, other, late)] == [True, False, False, True, False]
    slots.give_back({"other": 1})
    assert late.done()
    assert not slow[1].done()
    slots.give_back({"slow": 1})
    assert [asked.done() for asked in slow] == [True, True, False]


def test_who_stops_waiting_takes_no_slot() -> None:
    slots = SharedSlots(1)
    assert slots.ask({}).done()
    gone, next_one = slots.ask({}), slots.ask({})
    assert gone.cancel()
    slots.give_back({})
    assert next_one.done()
    slots.give_back({})
    assert slots.ask({}).done()


def test_every_key_must_have_room() -> None:
    slots = SharedSlots(4)
    with slots.hold({"user": 2, "host": 1}, wait_seconds=60):
        assert not slots.ask({"user": 2, "host": 1}).done()
        assert slots.ask({"user": 2, "another host": 1}).done()


def test_waiting_for_a_slot_comes_to_an_end() -> None:
    slots = SharedSlots(1)
    with slots.hold({}, wait_seconds=60):
        for _ in range(3):
            with pytest.raises(NoSlotError), slots.hold({}, wait_seconds=0.01):
                raise AssertionError("two have the same slot")
    with slots.hold({}, wait_seconds=0):
        assert not slots.ask({}).done()


def test_share_is_at_least_one_and_leaves_one_for_others() -> None:
    assert [three_quarters_of(slots) for slots in (1, 2, 3, 4, 16)] == [1, 1, 2, 3, 12]
    assert [half_of(slots) for slots in (1, 2, 3, 16)] == [1, 1, 1, 8]
    assert all(three_quarters_of(slots) < slots for slots in range(2, 257))
