import pytest

from nexus.web.egress.shares import NoSlotError, SharedSlots, half_of, three_quarters_of


def test_slots_are_granted_in_order_of_request_within_shares() -> None:
    slots = SharedSlots(2)
    slow = [slots.request({"slow": 1}) for _ in range(3)]
    other, late = slots.request({"other": 1}), slots.request({"late": 1})
    assert [requests.done() for requests in (*slow, other, late)] == [True, False, False, True, False]
    slots.release({"other": 1})
    assert late.done()
    assert not slow[1].done()
    slots.release({"slow": 1})
    assert [requests.done() for requests in slow] == [True, True, False]


def test_a_cancelled_request_takes_no_slot() -> None:
    slots = SharedSlots(1)
    assert slots.request({}).done()
    gone, next_one = slots.request({}), slots.request({})
    assert gone.cancel()
    slots.release({})
    assert next_one.done()
    slots.release({})
    assert slots.request({}).done()


def test_every_key_must_have_room() -> None:
    slots = SharedSlots(4)
    with slots.hold({"user": 2, "host": 1}, wait_seconds=60):
        assert not slots.request({"user": 2, "host": 1}).done()
        assert slots.request({"user": 2, "another host": 1}).done()


def test_waiting_for_a_slot_times_out() -> None:
    slots = SharedSlots(1)
    with slots.hold({}, wait_seconds=60):
        for _ in range(3):
            with pytest.raises(NoSlotError), slots.hold({}, wait_seconds=0.01):
                raise AssertionError("two have the same slot")
    with slots.hold({}, wait_seconds=0):
        assert not slots.request({}).done()


def test_share_is_at_least_one_and_leaves_one_for_others() -> None:
    assert [three_quarters_of(slots) for slots in (1, 2, 3, 4, 16)] == [1, 1, 2, 3, 12]
    assert [half_of(slots) for slots in (1, 2, 3, 16)] == [1, 1, 1, 8]
    assert all(three_quarters_of(slots) < slots for slots in range(2, 257))
