"""A save that its client sends again, with the same key, is saved once."""

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID, uuid4

import httpx2

from tests.api.saving import ALICE, BOB, LINK, as_user
from tests.api.test_errors import problem
from tests.lifecycle_steps import LifecycleSteps


def post(client: httpx2.Client, key: str, user: UUID = ALICE, **body: str) -> httpx2.Response:
    return client.post("/items", json=body, headers=as_user(user) | {"Idempotency-Key": key})


def item_count(client: httpx2.Client, user: UUID = ALICE) -> int:
    return len(client.get("/items?limit=100", headers=as_user(user)).json()["items"])


def test_a_text_and_a_link(client: httpx2.Client) -> None:
    text, text_again = (post(client, "text", pasted_text="Some words") for _ in range(2))
    link, link_again = (post(client, "link", url=LINK) for _ in range(2))
    assert (text.status_code, link.status_code) == (200, 200)
    assert (text.json(), link.json()) == (text_again.json(), link_again.json())
    assert item_count(client) == 2
    assert post(client, "new", pasted_text="Some words").json()["id"] != text.json()["id"]
    assert item_count(client) == 3


def test_at_the_same_time(client: httpx2.Client) -> None:
    client.get("/api/me", headers=as_user(ALICE))
    key = uuid4().hex
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: post(client, key, pasted_text="Some words").json()["id"], range(8)))
    assert len(set(answers)) == 1
    assert item_count(client) == 1


def test_keys_are_a_users_own(client: httpx2.Client) -> None:
    mine, theirs = (post(client, "same", user, pasted_text="Words").json()["id"] for user in (ALICE, BOB))
    assert mine != theirs
    assert (item_count(client), item_count(client, BOB)) == (1, 1)


def test_a_link_that_failed_before(client: httpx2.Client, steps: LifecycleSteps) -> None:
    failed = post(client, "one", url=LINK).json()["id"]
    steps.fail_item(failed)
    assert [post(client, "two", url=LINK).json()["id"] for _ in range(2)] == [failed, failed]
    assert item_count(client) == 1


def test_a_key_is_neither_empty_nor_long(client: httpx2.Client) -> None:
    for key in ("", "x" * 256):
        problem(post(client, key, pasted_text="Words"), 422, "invalid_request")
